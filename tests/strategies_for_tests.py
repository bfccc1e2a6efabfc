"""Strategies that only tests need."""

from collections.abc import Mapping, Sequence

from simlab.core.decisions import Cancel as CancelCall
from simlab.core.decisions import Closing, Decision, Keep, Moment
from simlab.core.events import Event, Verdict
from simlab.core.state import CallStatus, OpenCall
from simlab.core.view import View
from simlab.strategies.cancel import Cancel


class KeepThenCancel(Cancel):
    """Keeps tools at the first interrupt, and cancels at the next what runs in the background."""

    name = "keep-then-cancel"

    def on_open_calls(self, _view: View, calls: Sequence[OpenCall], _moment: Moment) -> Mapping[str, Closing]:
        return {call.call.id: CancelCall() if call.status is CallStatus.BACKGROUND else Keep() for call in calls}


class Raises(Cancel):
    """Raises when asked about an event."""

    name = "raises"

    def on_event(self, _view: View, event: Event, _verdict: Verdict) -> Decision:
        raise ZeroDivisionError("no idea")


class Nonsense(Cancel):
    """Returns something that is no decision."""

    name = "nonsense"

    def on_event(self, _view: View, event: Event, _verdict: Verdict) -> Decision:
        return "later"  # type: ignore[return-value]
