"""Queue with a join: at idle, results wake the model once, when the whole group of background work has settled."""

from collections.abc import Mapping, Sequence

from simlab.core.decisions import NOTHING, Closing, Decision, Moment, Queue, SafePoint, Take
from simlab.core.events import Event, EventType, Verdict
from simlab.core.plugins import Traits
from simlab.core.state import OpenCall
from simlab.core.view import View
from simlab.strategies.habits import FLUSH_POINTS, keep_all, pending_jobs, take_all


class QueueJoin:
    """What an asynchronous interface with a join does. Anything but a tool's report ends the wait at once."""

    name = "queue-join"
    traits = Traits(points=FLUSH_POINTS)

    def on_event(self, _view: View, _event: Event, _verdict: Verdict) -> Decision:
        """Append to the backlog."""
        return Queue()

    def at_safe_point(self, view: View, point: SafePoint) -> Take:
        """Flush; but at idle, hold back reports while more of them are to come."""
        if point is SafePoint.IDLE and self._waits(view):
            return NOTHING
        return take_all(view)

    def _waits(self, view: View) -> bool:
        only_reports = all(item.event.type is EventType.TOOL_RESULT for item in view.backlog)
        return only_reports and (bool(view.background_calls) or bool(view.routing) or bool(pending_jobs(view)))

    def on_open_calls(self, _view: View, calls: Sequence[OpenCall], _moment: Moment) -> Mapping[str, Closing]:
        """Never needed: nothing is appended while a call is open."""
        return keep_all(calls)
