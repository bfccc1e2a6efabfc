"""Claude Code, ``/btw``: a side question on a read-only copy of the context; the main history never learns of it.

Product: Claude Code, as described in public sources, 2026. Source: reports of its behaviour. Applied to every event
here; what the side session cannot settle goes to the main task. Unknown: what the side session may do beyond
answering. The source book's variant, which appends the pair, is the strategy ``parallel``.
"""

from simlab.core.decisions import Decision, Queue, Side
from simlab.core.events import Event, Verdict
from simlab.core.plugins import Traits
from simlab.core.view import View
from simlab.strategies.habits import FLUSH_POINTS, is_late
from simlab.strategies.queue import QueueAll


class ClaudeSideQuestion(QueueAll):
    """Answers aside and records nothing."""

    name = "claude-side-question"
    traits = Traits(points=FLUSH_POINTS)

    def on_event(self, _view: View, event: Event, _verdict: Verdict) -> Decision:
        """Open a side session."""
        return Queue() if is_late(event) else Side(append=False)
