"""The source book's queue without a flush at the end: the companion code's fault, kept as a switch.

Product: companion code of the book whose rules this project models, as described in public sources, 2026. Source: its
runtime.py: what waits is flushed when a tool returns, numbered, and never otherwise. The correct one is
``queue-first-return``. Unknown: nothing; a message that no tool follows waits for the next turn.
"""

from simlab.core.decisions import Decision, Departure, Interrupt, Pending, Queue, SafePoint, Take
from simlab.core.events import Event, Verdict
from simlab.core.messages import Mark
from simlab.core.plugins import Traits
from simlab.core.view import View
from simlab.strategies.pieces import take_ids
from simlab.strategies.queue_first_return import QueueFirstReturn


class BookQueueNoFlush(QueueFirstReturn):
    """Flushes at tool results only."""

    name = "book-queue-no-flush"
    traits = Traits(
        points=frozenset({SafePoint.TOOL_CLOSED, SafePoint.ROUND_CLOSED}),
        departures=frozenset({Departure.WAITS, Departure.REORDERS}),
    )

    def on_event(self, view: View, _event: Event, _verdict: Verdict) -> Decision:
        """Begin a turn with the new message alone, or wait for a tool."""
        return Interrupt(backlog=Pending.KEEP) if view.is_idle else Queue()

    def at_safe_point(self, view: View, _point: SafePoint) -> Take:
        """Flush, numbered."""
        return take_ids(view.backlog_ids, Mark.NUMBERED)
