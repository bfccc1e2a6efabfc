"""Foundry agents, cooperative cancellation: the current unit is finished, the partial answer kept, then the message.

Product: Azure AI Foundry agents, as described in public sources, 2026. Source: its rules for input during a run. If the
run does not yield in time, the input is refused (409). A unit is a stream item of the model or a whole round of tools.
Unknown: the time; 30 s here (an assumption).
"""

from typing import Final

from simlab.core.commands import Partial
from simlab.core.decisions import Departure, Queue, SafePoint, Take
from simlab.core.events import Event, Verdict
from simlab.core.plugins import Traits
from simlab.core.view import View
from simlab.strategies.habits import FLUSH_POINTS, is_late
from simlab.strategies.pieces import Answer, tools_run_on

YIELD_MS: Final = 30_000


class FoundryCooperative:
    """Yields between units, or refuses."""

    name = "foundry-cooperative"
    traits = Traits(points=FLUSH_POINTS | {SafePoint.STREAM_ITEM}, departures=frozenset({Departure.KEEPS_PARTIAL}))
    on_open_calls = tools_run_on

    def on_event(self, view: View, event: Event, _verdict: Verdict) -> Answer:
        """Wait for the unit's end, not for ever."""
        return Queue() if view.is_idle or is_late(event) else Queue(expires_ms=YIELD_MS)

    def at_safe_point(self, view: View, _point: SafePoint) -> Take:
        """Yield."""
        return Take(append=view.backlog_ids, partial=Partial.KEEP)
