"""Copilot CLI, "immediate": before the next model call of the turn, or else first in the queue when the turn is over.

Product: GitHub Copilot CLI, as described in public sources, 2026. Source: its two ways of sending while busy. Urgent
events are immediate here, all others are its "enqueue" (a turn each). Unknown: nothing that matters here.
"""

from simlab.core.decisions import NOTHING, SafePoint, Take
from simlab.core.plugins import Traits
from simlab.core.view import View
from simlab.strategies.pieces import queue_it, routine_ids, take_ids, tools_run_on, urgent_ids


class CopilotImmediate:
    """Immediate messages overtake the queue; one that missed its turn gets the next one."""

    name = "copilot-immediate"
    traits = Traits(points=frozenset({SafePoint.BEFORE_CALL, SafePoint.IDLE}))
    on_event = queue_it
    on_open_calls = tools_run_on

    def at_safe_point(self, view: View, point: SafePoint) -> Take:
        """Take immediate messages into the turn; begin one with the first of the queue."""
        if point is SafePoint.IDLE:
            return take_ids((*urgent_ids(view), *routine_ids(view))[:1])
        return take_ids(urgent_ids(view)) if view.call_in_turn else NOTHING
