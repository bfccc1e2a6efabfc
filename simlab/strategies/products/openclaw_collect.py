"""OpenClaw, queue mode "collect": wait for the run's end and 500 ms of quiet, then one combined message.

Product: OpenClaw, as described in public sources, 2026. Source: its documentation of the queue (cap 20, the oldest is
summarised). Unknown: what the summary keeps; here a summarised message is lost to the model (declared and counted).
A steady drip faster than the window keeps it waiting for ever.
"""

from typing import Final

from simlab.core.decisions import NOTHING, Departure, Discard, DropReason, Queue, SafePoint, Take
from simlab.core.events import Event, Verdict
from simlab.core.plugins import Traits
from simlab.core.view import View
from simlab.strategies.habits import is_late
from simlab.strategies.pieces import Answer, take_ids, tools_run_on

QUIET_MS: Final = 500
CAP: Final = 20


class OpenclawCollect:
    """Hold everything back; one turn for all of it."""

    name = "openclaw-collect"
    traits = Traits(points=frozenset({SafePoint.IDLE}), departures=frozenset({Departure.DROPS_EVENTS}))
    on_open_calls = tools_run_on

    def on_event(self, view: View, event: Event, _verdict: Verdict) -> Answer:
        """Open a window of quiet; an idle agent with nothing pending begins at once."""
        if is_late(event) or (view.is_idle and not view.has_backlog):
            return Queue()
        waiting = tuple(item.id for item in view.backlog if not item.is_report)
        over = waiting[: max(0, len(waiting) - CAP + 1)]
        return (*([Discard(event_ids=over, reason=DropReason.SUMMARISED)] if over else []), Queue(hold_ms=QUIET_MS))

    def at_safe_point(self, view: View, _point: SafePoint) -> Take:
        """Take all as one message when no window is open."""
        return NOTHING if view.held else take_ids(view.backlog_ids, joined=True)
