"""Parallel: answer in a side session at once; question and answer are appended, marked, at the next safe point."""

from collections.abc import Mapping, Sequence

from simlab.core.decisions import Closing, Decision, Moment, Queue, SafePoint, Side, Take
from simlab.core.events import Event, Verdict
from simlab.core.plugins import Traits
from simlab.core.state import OpenCall
from simlab.core.view import View
from simlab.strategies.habits import FLUSH_POINTS, is_late, keep_all, take_all


class Parallel:
    """The source's handling of independent, cheap questions, applied to every event."""

    name = "parallel"
    traits = Traits(points=FLUSH_POINTS)

    def on_event(self, _view: View, event: Event, _verdict: Verdict) -> Decision:
        """Open a side session, except for what a tool has to report."""
        return Queue() if is_late(event) else Side()

    def at_safe_point(self, view: View, _point: SafePoint) -> Take:
        """Flush: marked exchanges and late results."""
        return take_all(view)

    def on_open_calls(self, _view: View, calls: Sequence[OpenCall], _moment: Moment) -> Mapping[str, Closing]:
        """Keep every tool running."""
        return keep_all(calls)
