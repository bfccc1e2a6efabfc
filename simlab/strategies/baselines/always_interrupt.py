"""Always interrupt: every event cancels, what tools report included. Not a product: the other bound."""

from simlab.core.decisions import Decision, Interrupt
from simlab.core.events import Event, Verdict
from simlab.core.view import View
from simlab.strategies.cancel import Cancel


class AlwaysInterrupt(Cancel):
    """Never lets anything wait."""

    name = "always-interrupt"

    def on_event(self, _view: View, _event: Event, _verdict: Verdict) -> Decision:
        """Interrupt."""
        return Interrupt()
