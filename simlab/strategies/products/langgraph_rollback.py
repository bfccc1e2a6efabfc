"""LangGraph, multitask strategy "rollback": the run is cancelled and deleted, its first input too.

Product: LangGraph server, as described in public sources, 2026. Source: its documentation of double texting;
langgraphjs#864 for the lost request. Side effects remain. Unknown: how many clients send the first request again;
``LanggraphRollbackConcat`` is a client that does: the input stays, the work is repeated.
"""

from collections.abc import Mapping, Sequence

from simlab.core.decisions import Closing, Departure, Interrupt, LeaveOpen, Moment, Queue, SafePoint, Take
from simlab.core.events import Event, Verdict
from simlab.core.plugins import Traits
from simlab.core.state import OpenCall
from simlab.core.view import View
from simlab.strategies.habits import is_late, take_all
from simlab.strategies.pieces import Answer, inputs_end


class LanggraphRollback:
    """Any event cancels the run and rewinds history to where it began."""

    name = "langgraph-rollback"
    traits = Traits(points=frozenset({SafePoint.IDLE}), departures=frozenset({Departure.REWINDS, Departure.DROPS_LATE}))

    def on_event(self, view: View, event: Event, _verdict: Verdict) -> Answer:
        """Delete the run in progress."""
        return Queue() if view.is_idle or is_late(event) else Interrupt(rewind_to=self._cut(view))

    def _cut(self, view: View) -> int:
        return view.turn_start_index

    def at_safe_point(self, view: View, _point: SafePoint) -> Take:
        """Start a run with what waits."""
        return take_all(view)

    def on_open_calls(self, _view: View, calls: Sequence[OpenCall], _moment: Moment) -> Mapping[str, Closing]:
        """Cancel the tools; their calls go with the history."""
        return {call.call.id: LeaveOpen() for call in calls}


class LanggraphRollbackConcat(LanggraphRollback):
    """The same, with a client that sends the first request again together with the new message."""

    name = "langgraph-rollback-concat"

    def _cut(self, view: View) -> int:
        return inputs_end(view)
