"""pi, version 2: the whole batch of tools runs, then one steering message is taken.

Product: pi coding agent, version 2, as described in public sources, 2026. Source: its agent loop.
Unknown: the share of users who switch from one message at a time (the default, used here) to all.
"""

from simlab.core.decisions import SafePoint, Take
from simlab.core.plugins import Traits
from simlab.core.view import View
from simlab.strategies.habits import take_oldest
from simlab.strategies.pieces import queue_it, tools_run_on


class PiV2Steer:
    """One message at the end of each round."""

    name = "pi-v2-steer"
    traits = Traits(points=frozenset({SafePoint.ROUND_CLOSED, SafePoint.TURN_CLOSED, SafePoint.IDLE}))
    on_event = queue_it
    on_open_calls = tools_run_on

    def at_safe_point(self, view: View, _point: SafePoint) -> Take:
        """Take one steering message."""
        return take_oldest(view)
