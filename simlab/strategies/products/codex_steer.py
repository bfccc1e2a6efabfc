"""Codex, ``turn/steer``: what waits enters before the next model call of the same turn.

Product: Codex, as described in public sources, 2026. Source: codex-rs, the turn loop. The first call of a turn takes
nothing but the message that began it; what waits when the turn would end keeps it going.
Unknown: a steer that names the wrong turn is refused, and the call after a compaction takes nothing: not modelled.
"""

from simlab.core.decisions import NOTHING, SafePoint, Take
from simlab.core.plugins import Traits
from simlab.core.view import View
from simlab.strategies.habits import take_all, take_oldest
from simlab.strategies.pieces import queue_it, tools_run_on


class CodexSteer:
    """Interrupt nothing; drain everything before each model call but the first."""

    name = "codex-steer"
    traits = Traits(points=frozenset({SafePoint.BEFORE_CALL, SafePoint.TURN_CLOSED, SafePoint.IDLE}))
    on_event = queue_it
    on_open_calls = tools_run_on

    def at_safe_point(self, view: View, point: SafePoint) -> Take:
        """Begin a turn with one message; drain later."""
        if point is SafePoint.BEFORE_CALL and view.call_in_turn == 0:
            return NOTHING
        return take_oldest(view) if point is SafePoint.IDLE else take_all(view)
