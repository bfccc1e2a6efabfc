"""LangGraph, multitask strategy "enqueue" (the server's default): one run for each message, first come, first served.

Product: LangGraph server, as described in public sources, 2026. Source: its documentation of double texting.
Unknown: nothing that matters here. The wait grows without bound once arrivals outpace turns.
"""

from simlab.core.decisions import SafePoint, Take
from simlab.core.plugins import Traits
from simlab.core.view import View
from simlab.strategies.habits import take_oldest
from simlab.strategies.pieces import queue_it, tools_run_on


class LanggraphEnqueue:
    """A full turn for every message."""

    name = "langgraph-enqueue"
    traits = Traits(points=frozenset({SafePoint.IDLE}))
    on_event = queue_it
    on_open_calls = tools_run_on

    def at_safe_point(self, view: View, _point: SafePoint) -> Take:
        """Start a run with the oldest."""
        return take_oldest(view)
