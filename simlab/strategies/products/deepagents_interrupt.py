"""deepagents: LangGraph's "interrupt" with a patch that closes dangling calls when the next run starts.

Product: deepagents, as described in public sources, 2026. Source: its middleware that patches tool calls; one of two
parallel calls: deepagentsjs#150. The text says that the call was cancelled because another message came in.
Unknown: what it says of a tool that could not be stopped; here: cancelled, effect unknown.
"""

from collections.abc import Mapping, Sequence

from simlab.core.decisions import Cancel, Closing, Departure, LeaveOpen, Moment
from simlab.core.plugins import Traits
from simlab.core.state import OpenCall
from simlab.core.view import View
from simlab.strategies.habits import FLUSH_POINTS
from simlab.strategies.products.langgraph_interrupt import LanggraphInterrupt


class DeepagentsInterrupt(LanggraphInterrupt):
    """Any event cancels; calls are closed before the next model call, behind the message that made them."""

    name = "deepagents-interrupt"
    traits = Traits(
        points=FLUSH_POINTS,
        moments=frozenset({Moment.APPEND, Moment.NEXT_CALL}),
        departures=frozenset({Departure.DROPS_LATE, Departure.EDITS}),
    )

    def on_open_calls(self, _view: View, calls: Sequence[OpenCall], moment: Moment) -> Mapping[str, Closing]:
        """Leave calls open at the interrupt; close them at the next model call."""
        return {call.call.id: Cancel() if moment is Moment.NEXT_CALL else LeaveOpen() for call in calls}
