"""Inspect, operator interrupt: the turn is cancelled and its calls are filled; then the agent waits for the operator.

Product: Inspect (inspect_ai), as described in public sources, 2026. Source: its operator interrupts. Every open call of
the last message gets the error "cancelled"; posts are joined before the next turn. A person's urgent event is the
operator here. Unknown: nothing that matters here.
"""

from collections.abc import Mapping, Sequence

from simlab.core.decisions import Closing, Interrupt, Moment, Pending, Queue, SafePoint, Take, Then
from simlab.core.events import Event, Verdict
from simlab.core.messages import Wording
from simlab.core.plugins import Traits
from simlab.core.state import OpenCall
from simlab.core.view import View
from simlab.strategies.pieces import Answer, close_calls, is_speech, take_ids


class InspectStopAndWait:
    """Stops, fills, waits."""

    name = "inspect-stop-and-wait"
    traits = Traits(points=frozenset({SafePoint.BEFORE_CALL, SafePoint.TURN_CLOSED, SafePoint.IDLE}))

    def on_event(self, view: View, event: Event, _verdict: Verdict) -> Answer:
        """Stop for the operator."""
        stops = event.urgent and is_speech(event) and not view.is_idle
        return Interrupt(then=Then.WAIT_USER, backlog=Pending.KEEP) if stops else Queue()

    def at_safe_point(self, view: View, _point: SafePoint) -> Take:
        """Join what was posted."""
        return take_ids(view.backlog_ids, joined=True)

    def on_open_calls(self, _view: View, calls: Sequence[OpenCall], _moment: Moment) -> Mapping[str, Closing]:
        """Fill every call with the error."""
        return close_calls(calls, Wording.ERROR)
