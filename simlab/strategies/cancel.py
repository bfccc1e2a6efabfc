"""Cancel: stop the current operation, drain the backlog, append the event last, call the model at once."""

from collections.abc import Mapping, Sequence

from simlab.core.decisions import Closing, Decision, Interrupt, Moment, Queue, SafePoint, Take
from simlab.core.events import Event, Verdict
from simlab.core.plugins import Traits
from simlab.core.state import OpenCall
from simlab.core.view import View
from simlab.strategies.habits import FLUSH_POINTS, cancel_all, is_late, keep_all, take_all


class Cancel:
    """The source's handling of urgent events, applied to every event: it starves under a steady drip."""

    name = "cancel"
    traits = Traits(points=FLUSH_POINTS)

    def on_event(self, _view: View, event: Event, _verdict: Verdict) -> Decision:
        """Interrupt, except for what a tool has to report."""
        return Queue() if is_late(event) else Interrupt()

    def at_safe_point(self, view: View, _point: SafePoint) -> Take:
        """Flush late results."""
        return take_all(view)

    def on_open_calls(self, _view: View, calls: Sequence[OpenCall], _moment: Moment) -> Mapping[str, Closing]:
        """Cancel what can be cancelled."""
        return cancel_all(calls)


class CancelBackground(Cancel):
    """The same, but no tool is ever cancelled: each goes on behind a placeholder, and its result comes late."""

    name = "cancel-background"

    def on_open_calls(self, _view: View, calls: Sequence[OpenCall], _moment: Moment) -> Mapping[str, Closing]:
        """Keep every tool running."""
        return keep_all(calls)
