"""Pipecat, function calls that an interruption cancels: one status in the context, replaced in place.

Product: Pipecat, ``cancel_on_interruption=True``, as described in public sources, 2026. Source: its context
aggregator. A call stands as "in progress" from its start, then as its result or as cancelled. The model is called when
the last call has settled. Unknown: what is kept of a reply that was being spoken; here nothing.
"""

from collections.abc import Mapping, Sequence

from simlab.core.decisions import (
    Cancel,
    Closing,
    Departure,
    Interrupt,
    Keep,
    LatePolicy,
    Moment,
    Queue,
    SafePoint,
    Take,
)
from simlab.core.events import Event, Verdict
from simlab.core.messages import Wording
from simlab.core.plugins import Traits
from simlab.core.state import OpenCall
from simlab.core.view import View
from simlab.strategies.pieces import Answer, is_speech, take_settled


class PipecatCancel:
    """Speech cancels the tools and rewrites their status."""

    name = "pipecat-cancel"
    traits = Traits(
        points=frozenset({SafePoint.ROUND_CLOSED, SafePoint.IDLE}),
        moments=frozenset({Moment.LAUNCH, Moment.APPEND}),
        departures=frozenset({Departure.EDITS}),
    )

    def on_event(self, _view: View, event: Event, _verdict: Verdict) -> Answer:
        """Stop for speech, even while only tools run."""
        return Interrupt() if is_speech(event) else Queue()

    def at_safe_point(self, view: View, point: SafePoint) -> Take:
        """Wait until the group of calls has settled."""
        return take_settled(view, point)

    def on_open_calls(self, _view: View, calls: Sequence[OpenCall], moment: Moment) -> Mapping[str, Closing]:
        """Write the status at the start; rewrite it at an interruption."""
        if moment is Moment.LAUNCH:
            return {call.call.id: Keep(wording=Wording.TERSE, late=LatePolicy.REPLACE) for call in calls}
        stops = [call for call in calls if call.spec.can_be_cancelled or not call.runs]
        return {call.call.id: Cancel(wording=Wording.TERSE, edit=True) for call in stops}
