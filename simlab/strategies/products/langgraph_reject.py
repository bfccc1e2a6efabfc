"""LangGraph, multitask strategy "reject": a run in progress refuses every new message.

Product: LangGraph server, as described in public sources, 2026. Source: its documentation of double texting.
Unknown: how a client retries; here the sender is told at once and nothing more happens.
"""

from simlab.core.decisions import Queue, Refuse, SafePoint, Take
from simlab.core.events import Event, Verdict
from simlab.core.plugins import Traits
from simlab.core.view import View
from simlab.strategies.habits import is_late, take_oldest
from simlab.strategies.pieces import Answer, tools_run_on


class LanggraphReject:
    """Busy: refuse at once; the client must retry."""

    name = "langgraph-reject"
    traits = Traits(points=frozenset({SafePoint.IDLE}))
    on_open_calls = tools_run_on

    def on_event(self, view: View, event: Event, _verdict: Verdict) -> Answer:
        """Accept only what starts a run, and what a tool reports."""
        free = view.is_idle and not view.has_backlog
        return Queue() if free or is_late(event) else Refuse(reason="a run is in progress")

    def at_safe_point(self, view: View, _point: SafePoint) -> Take:
        """Start a run."""
        return take_oldest(view)
