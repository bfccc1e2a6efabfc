"""Gemini CLI, a message while busy: all that waits becomes one message when the agent is idle.

Product: Gemini CLI, as described in public sources, 2026. Source: its queue of messages, joined by blank lines.
Unknown: nothing that matters here.
"""

from simlab.core.decisions import SafePoint, Take
from simlab.core.plugins import Traits
from simlab.core.view import View
from simlab.strategies.pieces import queue_it, take_ids, tools_run_on


class GeminiIdleJoin:
    """One turn for everything that came during the last one."""

    name = "gemini-idle-join"
    traits = Traits(points=frozenset({SafePoint.IDLE}))
    on_event = queue_it
    on_open_calls = tools_run_on

    def at_safe_point(self, view: View, _point: SafePoint) -> Take:
        """Join everything."""
        return take_ids(view.backlog_ids, joined=True)
