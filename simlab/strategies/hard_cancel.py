"""Hard cancel: what naive loops do. It severs the operation and leaves its calls open; invariants must catch it."""

from collections.abc import Mapping, Sequence

from simlab.core.decisions import Closing, LeaveOpen, Moment
from simlab.core.state import OpenCall
from simlab.core.view import View
from simlab.strategies.cancel import Cancel


class HardCancel(Cancel):
    """Cancels everything and closes nothing: the next request is malformed for every provider."""

    name = "hard-cancel"

    def on_open_calls(self, _view: View, calls: Sequence[OpenCall], _moment: Moment) -> Mapping[str, Closing]:
        """Leave every call open."""
        return {call.call.id: LeaveOpen(cancel=call.spec.can_be_cancelled) for call in calls}
