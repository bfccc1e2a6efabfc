"""OpenClaw, steering that skips tools not yet started: one look before a batch is launched.

Product: OpenClaw, as described in public sources, 2026. Source: its documentation of the queue. A parallel batch is
one launch: what waits then skips the whole batch, with a result that says an incoming message came first; after the
launch the batch runs to its end. Unknown: how sequential batches are told apart; all batches are parallel here.
"""

from collections.abc import Mapping, Sequence

from simlab.core.decisions import Closing, Moment, SafePoint, Take
from simlab.core.messages import Wording
from simlab.core.plugins import Traits
from simlab.core.state import OpenCall
from simlab.core.view import View
from simlab.strategies.habits import take_all
from simlab.strategies.pieces import queue_it, skip_rest

POINTS = frozenset({SafePoint.MESSAGE_CLOSED, SafePoint.ROUND_CLOSED, SafePoint.TURN_CLOSED, SafePoint.IDLE})


class OpenclawSteerSkip:
    """What came during the model call skips the calls that it made."""

    name = "openclaw-steer-skip-unstarted"
    traits = Traits(points=POINTS)
    on_event = queue_it

    def at_safe_point(self, view: View, _point: SafePoint) -> Take:
        """Take all."""
        return take_all(view)

    def on_open_calls(self, _view: View, calls: Sequence[OpenCall], _moment: Moment) -> Mapping[str, Closing]:
        """Skip the batch."""
        return skip_rest(calls, Wording.ERROR)
