"""OpenCode, delivery "steer" (its default): all in order at the next step; barrier items split the batch.

Product: OpenCode, as described in public sources, 2026. Source: its session inbox. A barrier is taken alone. Here a
supervisor's instruction is one. Unknown: which items are barriers in which version; opencode#21524 for one stranded.
"""

from simlab.core.decisions import NOTHING, SafePoint, Take
from simlab.core.events import EventType
from simlab.core.plugins import Traits
from simlab.core.view import View
from simlab.strategies.pieces import queue_it, take_ids, tools_run_on


class OpencodeSteer:
    """Drain up to the next barrier."""

    name = "opencode-steer"
    traits = Traits(points=frozenset({SafePoint.ROUND_CLOSED, SafePoint.TURN_CLOSED, SafePoint.IDLE}))
    on_event = queue_it
    on_open_calls = tools_run_on

    def at_safe_point(self, view: View, _point: SafePoint) -> Take:
        """Take what stands before the first barrier, or the barrier."""
        if not view.has_backlog:
            return NOTHING
        barriers = [item.event.type is EventType.SUPERVISOR_INSTRUCTION for item in view.backlog]
        length = barriers.index(True) if True in barriers else len(barriers)
        return take_ids(view.backlog_ids[: max(1, length)])
