"""LangGraph, multitask strategy "interrupt": the run is cancelled, what it had done stays, open calls stay open.

Product: LangGraph server, as described in public sources, 2026. Source: its documentation of double texting; the
refused requests that follow: langgraph#6726, aegra#191. Unknown: whether a node may finish its current step.
"""

from collections.abc import Mapping, Sequence

from simlab.core.decisions import Closing, Departure, Interrupt, LeaveOpen, Moment, Queue, SafePoint, Take
from simlab.core.events import Event, Verdict
from simlab.core.plugins import Traits
from simlab.core.state import OpenCall
from simlab.core.view import View
from simlab.strategies.habits import FLUSH_POINTS, is_late, take_all
from simlab.strategies.pieces import Answer


class LanggraphInterrupt:
    """Any event cancels; no call is closed."""

    name = "langgraph-interrupt"
    traits = Traits(points=FLUSH_POINTS, departures=frozenset({Departure.DROPS_LATE}))

    def on_event(self, view: View, event: Event, _verdict: Verdict) -> Answer:
        """Cancel the run in progress."""
        return Queue() if view.is_idle or is_late(event) else Interrupt()

    def at_safe_point(self, view: View, _point: SafePoint) -> Take:
        """Start the next run with what waits."""
        return take_all(view)

    def on_open_calls(self, _view: View, calls: Sequence[OpenCall], _moment: Moment) -> Mapping[str, Closing]:
        """Cancel the tools with the node; nothing is recorded for them."""
        return {call.call.id: LeaveOpen() for call in calls}
