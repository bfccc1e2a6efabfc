"""pi, follow-ups: they are looked for only when a turn would end and no steering message waits.

Product: pi coding agent, as described in public sources, 2026. Source: its agent loop. Urgent events are steering
messages here (one at the end of each round, as in version 2), all others are follow-ups (one at a time).
Unknown: the share of users who let all follow-ups enter at once.
"""

from simlab.core.decisions import SafePoint, Take
from simlab.core.plugins import Traits
from simlab.core.view import View
from simlab.strategies.pieces import queue_it, routine_ids, take_ids, tools_run_on, urgent_ids


class PiFollowup:
    """Steers first; a follow-up only when nothing else is to be done."""

    name = "pi-followup"
    traits = Traits(points=frozenset({SafePoint.ROUND_CLOSED, SafePoint.TURN_CLOSED, SafePoint.IDLE}))
    on_event = queue_it
    on_open_calls = tools_run_on

    def at_safe_point(self, view: View, point: SafePoint) -> Take:
        """Take one steering message, or at the end of the turn one follow-up."""
        follow_ups = () if point is SafePoint.ROUND_CLOSED else routine_ids(view)
        return take_ids((*urgent_ids(view), *follow_ups)[:1])
