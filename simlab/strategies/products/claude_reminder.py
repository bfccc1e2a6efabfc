"""Claude Code, a plain message while busy: it travels with the next tool results as a reminder.

Product: Claude Code, as described in public sources, 2026. Source: reports of its reminder text, which tells the
model to address the message after its current task. Known trouble: claude-code#49373 (derailed), #54031 (newest
first), opencodex#543 (ignored). Unknown: how strongly the model obeys it.
"""

from simlab.core.decisions import SafePoint, Take
from simlab.core.messages import Mark
from simlab.core.plugins import Traits
from simlab.core.view import View
from simlab.strategies.pieces import queue_it, take_ids, tools_run_on


class ClaudeReminder:
    """All at the end of the round, as a reminder; the rest begins a new turn."""

    name = "claude-reminder"
    traits = Traits(points=frozenset({SafePoint.ROUND_CLOSED, SafePoint.IDLE}))
    on_event = queue_it
    on_open_calls = tools_run_on

    def at_safe_point(self, view: View, point: SafePoint) -> Take:
        """Remind, or begin a turn."""
        return take_ids(view.backlog_ids, Mark.PLAIN if point is SafePoint.IDLE else Mark.REMINDER)
