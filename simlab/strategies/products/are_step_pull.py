"""Agents Research Environment: notifications are pulled in one block at the start of each step.

Product: Meta ARE (Gaia2), as described in public sources, 2026. Source: its notification system; a verbosity filter
drops classes of notifications. Here routine external triggers are filtered; a person, a tool or an urgent event wakes
a run that has ended, everything else waits for the next wake. Unknown: the filter of each benchmark level.
"""

from simlab.core.decisions import Departure, Discard, DropReason, Queue, SafePoint, Take
from simlab.core.events import Event, EventType, Verdict
from simlab.core.plugins import Traits
from simlab.core.view import View
from simlab.strategies.pieces import Answer, is_speech, take_ids, tools_run_on


class AreStepPull:
    """One block a step."""

    name = "are-step-pull"
    traits = Traits(
        points=frozenset({SafePoint.BEFORE_CALL, SafePoint.IDLE}),
        departures=frozenset({Departure.DROPS_EVENTS, Departure.WAITS}),
    )
    on_open_calls = tools_run_on

    def on_event(self, _view: View, event: Event, _verdict: Verdict) -> Answer:
        """Filter, or keep for the next step."""
        if event.type is EventType.EXTERNAL_TRIGGER and not event.urgent:
            return Discard(event_ids=(event.id,), reason=DropReason.FILTERED)
        return Queue()

    def at_safe_point(self, view: View, point: SafePoint) -> Take:
        """Wake, or pull everything."""
        if point is SafePoint.IDLE:
            return Take(call=any(each.is_report or each.event.urgent or is_speech(each.event) for each in view.backlog))
        return take_ids(view.backlog_ids, joined=True)
