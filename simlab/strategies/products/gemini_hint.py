"""Gemini CLI, hints (experimental): with the next tool results, acknowledged at once by a small model.

Product: Gemini CLI, as described in public sources, 2026. Source: its steering hints: one block before the results,
with an instruction to classify it in one of four ways; the acknowledgement has 1.2 s, then a stock text is sent.
Unknown: how well the instruction is followed.
"""

from typing import Final

from simlab.core.decisions import Acknowledge, Queue, SafePoint, Take
from simlab.core.events import Event, Verdict
from simlab.core.messages import Mark
from simlab.core.plugins import Traits
from simlab.core.view import View
from simlab.strategies.habits import is_late
from simlab.strategies.pieces import Answer, take_ids, tools_run_on

ACKNOWLEDGE_MS: Final = 1200


class GeminiHint:
    """Hint with the results; what comes too late for that begins a turn."""

    name = "gemini-hint"
    traits = Traits(points=frozenset({SafePoint.ROUND_CLOSED, SafePoint.IDLE}))
    on_open_calls = tools_run_on

    def on_event(self, view: View, event: Event, _verdict: Verdict) -> Answer:
        """Acknowledge at once."""
        busy = not view.is_idle and not is_late(event)
        return (Acknowledge(limit_ms=ACKNOWLEDGE_MS), Queue()) if busy else Queue()

    def at_safe_point(self, view: View, point: SafePoint) -> Take:
        """Put one block before the results, or begin a turn."""
        return take_ids(view.backlog_ids, Mark.PLAIN if point is SafePoint.IDLE else Mark.IN_RESULT, joined=True)
