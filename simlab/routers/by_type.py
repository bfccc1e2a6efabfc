"""Route by the type of the event alone: urgent types cancel, everything else waits. Never yields ``parallel``."""

from simlab.core.events import Event, Handling, Verdict
from simlab.core.plugins import AT_ONCE, Hints
from simlab.routers.typed import URGENT

_ROUTINE = Verdict(handling=Handling.QUEUE, reason="routine type")


class ByType:
    """The source's table of types."""

    name = "by_type"
    service = AT_ONCE

    def route(self, event: Event, _hints: Hints) -> Verdict:
        """Look at the type."""
        return URGENT if event.urgent else _ROUTINE

    def latency_ms(self, _event: Event, _hints: Hints) -> float:
        """No time."""
        return 0.0
