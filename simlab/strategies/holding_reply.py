"""Fast/slow split: a small model acknowledges at once on the side while the main loop goes on and answers in full."""

from simlab.core.decisions import Acknowledge, Queue, SafePoint, Take
from simlab.core.events import Event, Verdict
from simlab.core.plugins import Traits
from simlab.core.view import View
from simlab.strategies.habits import FLUSH_POINTS, is_late, take_all
from simlab.strategies.pieces import Answer, tools_run_on


class HoldingReply:
    """The source's fast/slow split over a plain queue. The time to the acknowledgement is a metric of its own."""

    name = "holding-reply"
    traits = Traits(points=FLUSH_POINTS)
    on_open_calls = tools_run_on

    def on_event(self, view: View, event: Event, _verdict: Verdict) -> Answer:
        """Acknowledge what has to wait, and queue it."""
        return Queue() if view.is_idle or is_late(event) else (Acknowledge(), Queue())

    def at_safe_point(self, view: View, _point: SafePoint) -> Take:
        """Flush."""
        return take_all(view)
