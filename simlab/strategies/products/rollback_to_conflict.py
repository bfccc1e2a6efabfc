"""Rollback to the conflict: a revision cuts history at the earliest step that it contradicts, and undoes what it can.

Product: Revisable by Design, as described in public sources, 2026. Source: arXiv 2604.23283. What happens to a step
depends on its class: idempotent steps are dropped, reversible ones undone, compensable ones compensated, irreversible
ones stay. Unknown: how the conflict is found; here a person's message that names an earlier request contradicts every
step since the last input, and the cut lies behind the last irreversible one.
"""

from collections.abc import Mapping, Sequence

from simlab.core.decisions import Closing, Departure, Interrupt, Moment, Queue, SafePoint, Take
from simlab.core.events import Event, Verdict
from simlab.core.plugins import Traits
from simlab.core.state import OpenCall
from simlab.core.view import View
from simlab.strategies.habits import FLUSH_POINTS, cancel_all, take_all
from simlab.strategies.pieces import Answer, is_speech
from simlab.strategies.reversal import earliest_cut, undoable


class RollbackToConflict:
    """Revises instead of appending."""

    name = "rollback-to-conflict"
    traits = Traits(points=FLUSH_POINTS, departures=frozenset({Departure.REWINDS}))

    def on_event(self, view: View, event: Event, _verdict: Verdict) -> Answer:
        """Roll back for a revision."""
        revises = bool(event.context) or view.is_stopping
        if view.is_idle or not (revises and is_speech(event)):
            return Queue()
        cut = earliest_cut(view)
        return Interrupt(rewind_to=cut, undo=undoable(view, cut))

    def at_safe_point(self, view: View, _point: SafePoint) -> Take:
        """Flush."""
        return take_all(view)

    def on_open_calls(self, _view: View, calls: Sequence[OpenCall], _moment: Moment) -> Mapping[str, Closing]:
        """Cancel what can be cancelled."""
        return cancel_all(calls)
