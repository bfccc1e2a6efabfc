"""The router that knows the truth at once: the upper bound that no real router reaches."""

from simlab.core.events import Event, Verdict
from simlab.core.plugins import AT_ONCE, Hints


class Oracle:
    """Returns the handling that the event truly needs."""

    name = "oracle"
    service = AT_ONCE

    def route(self, _event: Event, hints: Hints) -> Verdict:
        """Look at the truth."""
        return Verdict(handling=hints.true_handling, reason="truth")

    def latency_ms(self, _event: Event, _hints: Hints) -> float:
        """No time."""
        return 0.0
