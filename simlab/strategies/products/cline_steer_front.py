"""Cline, steering by front insertion: the newest message enters first, one before each model call after the first.

Product: Cline, as described in public sources, 2026. Source: its queue (unshift); the same text is merged. When a run
has ended, the queue is drained one turn each. Unknown: what becomes of it after an error, and of a turn that the user
aborts (dropped): not modelled. The reversed order is declared and counted.
"""

from simlab.core.decisions import NOTHING, Departure, Discard, DropReason, Queue, SafePoint, Take
from simlab.core.events import Event, Verdict
from simlab.core.plugins import Traits
from simlab.core.view import View
from simlab.strategies.habits import is_late, take_oldest
from simlab.strategies.pieces import Answer, tools_run_on


class ClineSteerFront:
    """Last in, first out."""

    name = "cline-steer-front"
    traits = Traits(
        points=frozenset({SafePoint.BEFORE_CALL, SafePoint.IDLE}),
        departures=frozenset({Departure.REORDERS, Departure.DROPS_EVENTS}),
    )
    on_open_calls = tools_run_on

    def on_event(self, view: View, event: Event, _verdict: Verdict) -> Answer:
        """Insert at the front; merge with a message of the same text."""
        same = tuple(item.id for item in view.backlog if event.content and item.event.content == event.content)
        merge = [Discard(event_ids=same, reason=DropReason.SUPERSEDED)] if same else []
        return Queue() if is_late(event) else (*merge, Queue(front=True))

    def at_safe_point(self, view: View, point: SafePoint) -> Take:
        """Take the one at the front."""
        return NOTHING if point is SafePoint.BEFORE_CALL and view.call_in_turn == 0 else take_oldest(view)
