"""Route at random: the baseline that every router should beat."""

from simlab.core.events import Event, Handling, Verdict
from simlab.core.plugins import AT_ONCE, Hints

_CHOICES = tuple(Handling)


class Random:
    """One of the three handlings, each as often as the others; the same for an event under every strategy."""

    name = "random"
    service = AT_ONCE

    def route(self, _event: Event, hints: Hints) -> Verdict:
        """Draw."""
        return Verdict(handling=_CHOICES[int(hints.uniform("choice") * len(_CHOICES))], reason="drawn")

    def latency_ms(self, _event: Event, _hints: Hints) -> float:
        """No time."""
        return 0.0
