"""pi, version 1, parallel tools: a steering message is looked for after each call's preparation, before its launch.

Product: pi coding agent, version 1, as described in public sources, 2026. Source: its agent loop. A message found
then skips the prepared call and the remaining ones; what was launched runs to its end, and one look is taken there.
Unknown: nothing that matters here.
"""

from collections.abc import Mapping, Sequence

from simlab.core.decisions import Closing, Moment, SafePoint, Take
from simlab.core.messages import Wording
from simlab.core.plugins import Traits
from simlab.core.state import OpenCall
from simlab.core.view import View
from simlab.strategies.habits import take_oldest
from simlab.strategies.pieces import queue_it, skip_rest


class PiV1SteerPar:
    """Skips before launch, never after."""

    name = "pi-v1-steer-par"
    traits = Traits(
        points=frozenset({SafePoint.ROUND_CLOSED, SafePoint.TURN_CLOSED, SafePoint.IDLE}),
        moments=frozenset({Moment.LAUNCH}),
    )
    on_event = queue_it

    def at_safe_point(self, view: View, _point: SafePoint) -> Take:
        """Take one steering message."""
        return take_oldest(view)

    def on_open_calls(self, view: View, calls: Sequence[OpenCall], _moment: Moment) -> Mapping[str, Closing]:
        """Skip what is about to be launched while a message waits."""
        return skip_rest(calls, Wording.ERROR) if view.has_backlog else {}
