"""One turn for a message: the oldest event starts a turn of its own each time a turn is over ("enqueue")."""

from collections.abc import Mapping, Sequence

from simlab.core.decisions import Closing, Decision, Moment, Queue, SafePoint, Take
from simlab.core.events import Event, Verdict
from simlab.core.plugins import Traits
from simlab.core.state import OpenCall
from simlab.core.view import View
from simlab.strategies.habits import keep_all, take_oldest


class QueueTurn:
    """What "enqueue" means in several products: no message reaches a turn that is under way."""

    name = "queue-turn"
    traits = Traits(points=frozenset({SafePoint.IDLE}))

    def on_event(self, _view: View, _event: Event, _verdict: Verdict) -> Decision:
        """Append to the backlog."""
        return Queue()

    def at_safe_point(self, view: View, _point: SafePoint) -> Take:
        """Start a turn with the oldest."""
        return take_oldest(view)

    def on_open_calls(self, _view: View, calls: Sequence[OpenCall], _moment: Moment) -> Mapping[str, Closing]:
        """Never needed: nothing is appended while a call is open."""
        return keep_all(calls)
