"""Oracle: does what each event truly needs, and touches only the work that it is about.

Meant for the router ``oracle``: the truth comes through its verdict and from nowhere else. A correction cancels the
tools; an urgent request leaves them running. Not a product: the bound for all of them.
"""

from collections.abc import Mapping, Sequence

from simlab.core.decisions import Closing, Decision, Interrupt, Moment, Queue, Side
from simlab.core.events import Event, Handling, Verdict
from simlab.core.plugins import Traits
from simlab.core.state import OpenCall
from simlab.core.view import View
from simlab.strategies.habits import FLUSH_POINTS, cancel_all, is_late, keep_all
from simlab.strategies.queue import QueueAll


class OraclePolicy(QueueAll):
    """Follows the truth."""

    name = "oracle-policy"
    traits = Traits(points=FLUSH_POINTS)

    def on_event(self, _view: View, event: Event, verdict: Verdict) -> Decision:
        """Do what the verdict says."""
        if is_late(event) or verdict.handling is Handling.QUEUE:
            return Queue()
        return Interrupt() if verdict.handling is Handling.CANCEL else Side()

    def on_open_calls(self, view: View, calls: Sequence[OpenCall], _moment: Moment) -> Mapping[str, Closing]:
        """Cancel what the interrupting events are about; keep the rest running."""
        return cancel_all(calls) if any(event.context for event in view.interrupting) else keep_all(calls)
