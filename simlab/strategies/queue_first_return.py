"""Queue, flushing when the first tool returns: the other calls of the round go on behind placeholders."""

from collections.abc import Mapping, Sequence

from simlab.core.decisions import Closing, Decision, Moment, Queue, SafePoint, Take
from simlab.core.events import Event, Verdict
from simlab.core.plugins import Traits
from simlab.core.state import OpenCall
from simlab.core.view import View
from simlab.strategies.habits import FLUSH_POINTS, keep_all, take_all


class QueueFirstReturn:
    """The source's "whenever any tool call returns, flush" (P28), by the second of its two readings."""

    name = "queue-first-return"
    traits = Traits(points=FLUSH_POINTS | {SafePoint.TOOL_CLOSED})

    def on_event(self, _view: View, _event: Event, _verdict: Verdict) -> Decision:
        """Append to the backlog."""
        return Queue()

    def at_safe_point(self, view: View, _point: SafePoint) -> Take:
        """Flush."""
        return take_all(view)

    def on_open_calls(self, _view: View, calls: Sequence[OpenCall], _moment: Moment) -> Mapping[str, Closing]:
        """Close the others with placeholders and keep them running."""
        return keep_all(calls)
