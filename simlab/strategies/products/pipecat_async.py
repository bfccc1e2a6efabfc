"""Pipecat, asynchronous function calls: told as started, the result comes later as a message of its own.

Product: Pipecat, ``cancel_on_interruption=False``, as described in public sources, 2026. Source: its context
aggregator. The start says that the call still runs and that its result must not be invented; results are held until
the last call of the group has settled (pipecat#5779: a stuck call blocks the group) and come as developer messages.
Unknown: how long speech holds results back (not modelled); whether speech stops a reply: here it does not.
"""

from collections.abc import Mapping, Sequence

from simlab.core.decisions import Closing, Keep, Moment, SafePoint, Take
from simlab.core.plugins import Traits
from simlab.core.state import OpenCall
from simlab.core.view import View
from simlab.strategies.pieces import queue_it, take_settled


class PipecatAsync:
    """Tools run in the background; their results wake the agent as a group."""

    name = "pipecat-async"
    traits = Traits(
        points=frozenset({SafePoint.ROUND_CLOSED, SafePoint.IDLE}),
        moments=frozenset({Moment.LAUNCH}),
    )
    on_event = queue_it

    def at_safe_point(self, view: View, point: SafePoint) -> Take:
        """Wait until the group of calls has settled."""
        return take_settled(view, point)

    def on_open_calls(self, _view: View, calls: Sequence[OpenCall], _moment: Moment) -> Mapping[str, Closing]:
        """Say that it still runs."""
        return {call.call.id: Keep() for call in calls}
