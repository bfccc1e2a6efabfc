"""pi, version 1, sequential tools: a steering message is looked for after each tool; the rest of the batch is skipped.

Product: pi coding agent, version 1, as described in public sources, 2026. Source: its agent loop. One message is
taken at a time (the default); skipped calls get an error result which says that a message from the user came first.
Unknown: nothing that matters here. Skipped work must be asked for again: an extra round trip.
"""

from collections.abc import Mapping, Sequence

from simlab.core.decisions import Closing, Moment, SafePoint, Take
from simlab.core.messages import Wording
from simlab.core.plugins import Traits
from simlab.core.state import OpenCall
from simlab.core.view import View
from simlab.strategies.habits import take_oldest
from simlab.strategies.pieces import queue_it, skip_rest

POINTS = frozenset({SafePoint.TOOL_CLOSED, SafePoint.ROUND_CLOSED, SafePoint.TURN_CLOSED, SafePoint.IDLE})


class PiV1SteerSeq:
    """The running tool finishes; calls that have not started are skipped."""

    name = "pi-v1-steer-seq"
    traits = Traits(points=POINTS, sequential_tools=True)
    on_event = queue_it

    def at_safe_point(self, view: View, _point: SafePoint) -> Take:
        """Take one steering message."""
        return take_oldest(view)

    def on_open_calls(self, _view: View, calls: Sequence[OpenCall], _moment: Moment) -> Mapping[str, Closing]:
        """Skip the rest."""
        return skip_rest(calls, Wording.ERROR)
