"""The source book's cancel for urgent events, with all its parts; everything else waits for the round to close.

Product: the book whose rules this project models, as described in public sources, 2026. Stop the model call and
discard its output, signal the tools, close each open call with a truthful placeholder, flush the backlog, append the
urgent event last, call the model at once; a result that comes late is an event.
Source: the book's rules for urgent events. Unknown: nothing; the rules are given.
"""

from collections.abc import Mapping, Sequence

from simlab.core.decisions import Closing, Interrupt, Moment, Queue, SafePoint, Take
from simlab.core.events import Event, Handling, Verdict
from simlab.core.plugins import Traits
from simlab.core.state import OpenCall
from simlab.core.view import View
from simlab.strategies.habits import FLUSH_POINTS, cancel_all, is_late, take_all
from simlab.strategies.pieces import Answer


class BookCancel:
    """Cancel for what the router calls urgent."""

    name = "book-cancel"
    traits = Traits(points=FLUSH_POINTS)

    def on_event(self, _view: View, event: Event, verdict: Verdict) -> Answer:
        """Interrupt for urgent events."""
        return Interrupt() if verdict.handling is Handling.CANCEL and not is_late(event) else Queue()

    def at_safe_point(self, view: View, _point: SafePoint) -> Take:
        """Flush."""
        return take_all(view)

    def on_open_calls(self, _view: View, calls: Sequence[OpenCall], _moment: Moment) -> Mapping[str, Closing]:
        """Cancel what can be cancelled."""
        return cancel_all(calls)
