"""OpenCode, interrupt: stop, keep what is pending, and fail the orphaned calls at the next drain.

Product: OpenCode, as described in public sources, 2026. Source: its session inbox. A person's urgent event stops the
run and then begins the next one, together with what was kept, as ``opencode-queue`` takes it.
Unknown: whether tools are awaited. Between the stop and the next drain the calls stand open.
"""

from collections.abc import Mapping, Sequence

from simlab.core.decisions import Cancel, Closing, Departure, Interrupt, LeaveOpen, Moment, Pending, Queue, Then
from simlab.core.events import Event, Verdict
from simlab.core.messages import Wording
from simlab.core.plugins import Traits
from simlab.core.state import OpenCall
from simlab.core.view import View
from simlab.strategies.pieces import Answer, is_speech
from simlab.strategies.products.opencode_queue import OpencodeQueue


class OpencodeInterrupt(OpencodeQueue):
    """Stops at once; repairs later."""

    name = "opencode-interrupt"
    traits = Traits(
        points=OpencodeQueue.traits.points,
        moments=frozenset({Moment.APPEND, Moment.NEXT_CALL}),
        departures=frozenset({Departure.DROPS_LATE, Departure.EDITS}),
    )

    def on_event(self, view: View, event: Event, _verdict: Verdict) -> Answer:
        """Stop for a person's urgent event."""
        stops = event.urgent and is_speech(event) and not view.is_idle
        return Interrupt(then=Then.IDLE, backlog=Pending.KEEP, queue=True) if stops else Queue()

    def on_open_calls(self, _view: View, calls: Sequence[OpenCall], moment: Moment) -> Mapping[str, Closing]:
        """Leave calls open; fail them before the next model call."""
        fail = Cancel(wording=Wording.ERROR)
        return {call.call.id: fail if moment is Moment.NEXT_CALL else LeaveOpen() for call in calls}
