"""OpenClaw, queue mode "interrupt": abort the run and go on with the newest message only.

Product: OpenClaw, as described in public sources, 2026. Source: its documentation of the queue. Open calls are
filled; older messages are lost by design (declared and counted). Unknown: the words of the fill.
"""

from collections.abc import Mapping, Sequence

from simlab.core.decisions import Closing, Departure, Interrupt, Moment, Pending, Queue, SafePoint, Take
from simlab.core.events import Event, Verdict
from simlab.core.messages import Wording
from simlab.core.plugins import Traits
from simlab.core.state import OpenCall
from simlab.core.view import View
from simlab.strategies.habits import FLUSH_POINTS, is_late, take_all
from simlab.strategies.pieces import Answer, close_calls


class OpenclawInterrupt:
    """Any event aborts; the newest one wins."""

    name = "openclaw-interrupt"
    traits = Traits(points=FLUSH_POINTS, departures=frozenset({Departure.DROPS_EVENTS}))

    def on_event(self, _view: View, event: Event, _verdict: Verdict) -> Answer:
        """Abort."""
        return Queue() if is_late(event) else Interrupt(backlog=Pending.NEWEST)

    def at_safe_point(self, view: View, _point: SafePoint) -> Take:
        """Take what tools report."""
        return take_all(view)

    def on_open_calls(self, _view: View, calls: Sequence[OpenCall], _moment: Moment) -> Mapping[str, Closing]:
        """Cancel what can be cancelled."""
        return close_calls(calls, Wording.TERSE)
