"""OpenCode, delivery "queue": when the session is idle exactly one queued item, then the steers that came meanwhile.

Product: OpenCode, as described in public sources, 2026. Source: its session inbox. Urgent events are steers here
(all in order at the next step), the others are queued items. Unknown: how the two deliveries are mixed in practice.
Its own interrupt (stop, keep what is pending, fail orphans at the next drain) is ``opencode-interrupt``.
"""

from simlab.core.decisions import SafePoint, Take
from simlab.core.plugins import Traits
from simlab.core.view import View
from simlab.strategies.pieces import queue_it, routine_ids, take_ids, tools_run_on, urgent_ids


class OpencodeQueue:
    """One queued item a turn."""

    name = "opencode-queue"
    traits = Traits(points=frozenset({SafePoint.ROUND_CLOSED, SafePoint.TURN_CLOSED, SafePoint.IDLE}))
    on_event = queue_it
    on_open_calls = tools_run_on

    def at_safe_point(self, view: View, point: SafePoint) -> Take:
        """Take steers in a turn; begin one with a queued item."""
        queued = routine_ids(view)[:1] if point is SafePoint.IDLE else ()
        return take_ids((*queued, *urgent_ids(view)))
