"""Queue: interrupt nothing; flush the whole backlog in one batch when the round has closed."""

from collections.abc import Mapping, Sequence

from simlab.core.decisions import Closing, Decision, Moment, Queue, SafePoint, Take
from simlab.core.events import Event, Verdict
from simlab.core.plugins import Traits
from simlab.core.state import OpenCall
from simlab.core.view import View
from simlab.strategies.habits import FLUSH_POINTS, keep_all, take_all


class QueueAll:
    """The source's handling of routine events, applied to every event. Waits for the round to close."""

    name = "queue"
    traits = Traits(points=FLUSH_POINTS)

    def on_event(self, _view: View, _event: Event, _verdict: Verdict) -> Decision:
        """Append to the backlog."""
        return Queue()

    def at_safe_point(self, view: View, _point: SafePoint) -> Take:
        """Flush."""
        return take_all(view)

    def on_open_calls(self, _view: View, calls: Sequence[OpenCall], _moment: Moment) -> Mapping[str, Closing]:
        """Never needed: nothing is appended while a call is open."""
        return keep_all(calls)
