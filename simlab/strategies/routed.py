"""Routed: each event gets the handling that the router's verdict names."""

from collections.abc import Mapping, Sequence

from simlab.core.decisions import Closing, Decision, Interrupt, Moment, Queue, SafePoint, Side, Take
from simlab.core.events import Event, Handling, Verdict
from simlab.core.plugins import Traits
from simlab.core.state import OpenCall
from simlab.core.view import View
from simlab.strategies.habits import FLUSH_POINTS, cancel_all, is_late, keep_all, take_all

_DECISIONS: Mapping[Handling, Decision] = {
    Handling.CANCEL: Interrupt(),
    Handling.QUEUE: Queue(),
    Handling.PARALLEL: Side(),
}


class Routed:
    """The source's three strategies together. Urgent events cancel the tools that can be cancelled."""

    name = "routed"
    traits = Traits(points=FLUSH_POINTS)

    def on_event(self, _view: View, event: Event, verdict: Verdict) -> Decision:
        """Follow the verdict, except for what a tool has to report."""
        return Queue() if is_late(event) else _DECISIONS[verdict.handling]

    def at_safe_point(self, view: View, _point: SafePoint) -> Take:
        """Flush."""
        return take_all(view)

    def on_open_calls(self, _view: View, calls: Sequence[OpenCall], _moment: Moment) -> Mapping[str, Closing]:
        """Cancel what can be cancelled."""
        return cancel_all(calls)


class RoutedBackground(Routed):
    """The same, but urgent events leave tools running behind placeholders."""

    name = "routed-background"

    def on_open_calls(self, _view: View, calls: Sequence[OpenCall], _moment: Moment) -> Mapping[str, Closing]:
        """Keep every tool running."""
        return keep_all(calls)
