"""Ignore until the end: nothing that arrives is looked at before the turn is over. Not a product: a lower bound."""

from simlab.core.decisions import SafePoint, Take
from simlab.core.plugins import Traits
from simlab.core.view import View
from simlab.strategies.habits import take_all
from simlab.strategies.pieces import queue_it, tools_run_on


class IgnoreUntilEnd:
    """Everything waits for idle."""

    name = "ignore-until-end"
    traits = Traits(points=frozenset({SafePoint.IDLE}))
    on_event = queue_it
    on_open_calls = tools_run_on

    def at_safe_point(self, view: View, _point: SafePoint) -> Take:
        """Take all, in order."""
        return take_all(view)
