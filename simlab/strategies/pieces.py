"""Pieces of which product policies are put together: whole hooks, closings, selections from the backlog."""

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from simlab.core.decisions import (
    NOTHING,
    Cancel,
    Closing,
    Decision,
    Keep,
    LatePolicy,
    Moment,
    Queue,
    SafePoint,
    Shield,
    Skip,
    Take,
)
from simlab.core.events import PERSON_TYPES, Event, Verdict
from simlab.core.messages import EventMessage, LateResultMessage, Mark, NoticeMessage, SideMessage, Wording
from simlab.core.state import OpenCall
from simlab.core.view import View

Answer: TypeAlias = Decision | Sequence[Decision]
"""What ``on_event`` returns: exactly one placement, and what else is to be done for the event."""

INPUTS = (EventMessage, LateResultMessage, NoticeMessage, SideMessage)
"""Messages that came from outside; everything else in a trajectory is the agent's own work."""


def queue_it(_self: object, _view: View, _event: Event, _verdict: Verdict) -> Answer:
    """Answer ``on_event``: append to the backlog."""
    return Queue()


def tools_run_on(_self: object, _view: View, _calls: Sequence[OpenCall], _moment: Moment) -> Mapping[str, Closing]:
    """Answer ``on_open_calls``: nothing is appended while a call is open, so nothing has to close one."""
    return {}


def close_calls(
    calls: Sequence[OpenCall], wording: Wording, *, late: LatePolicy = LatePolicy.APPEND
) -> Mapping[str, Closing]:
    """Cancel the tools that can be cancelled, in these words; leave the others running behind a placeholder."""
    return {
        call.call.id: Cancel(wording=wording) if call.spec.can_be_cancelled else Keep(wording=wording, late=late)
        for call in calls
    }


def skip_rest(calls: Sequence[OpenCall], wording: Wording) -> Mapping[str, Closing]:
    """Skip what has not been launched, in these words; what runs may finish first."""
    return {call.call.id: Shield() if call.runs else Skip(wording=wording) for call in calls}


def is_speech(event: Event) -> bool:
    """Whether a person said it: what a voice product hears as speech."""
    return event.type in PERSON_TYPES


def take_ids(event_ids: Sequence[str], mark: Mark = Mark.PLAIN, *, joined: bool = False) -> Take:
    """Take the named events, marked."""
    return Take(append=tuple(event_ids), mark=mark, joined=joined) if event_ids else NOTHING


def urgent_ids(view: View) -> tuple[str, ...]:
    """Return the urgent events of the backlog, in order."""
    return tuple(item.id for item in view.backlog if item.event.urgent)


def routine_ids(view: View) -> tuple[str, ...]:
    """Return the other events of the backlog, in order."""
    return tuple(item.id for item in view.backlog if not item.event.urgent)


def inputs_end(view: View) -> int:
    """Return the index behind the messages with which this turn began."""
    messages = view.trajectory
    index = view.turn_start_index
    while index < len(messages) and isinstance(messages[index], INPUTS):
        index += 1
    return index


def take_settled(view: View, point: SafePoint) -> Take:
    """Take everything, but neither go on with calls in the background nor take their results one by one."""
    unsettled = bool(view.background_calls)
    if point is SafePoint.ROUND_CLOSED:
        return Take(call=False) if unsettled else Take(append=view.backlog_ids)
    only_results = all(item.call_id is not None for item in view.backlog)
    return NOTHING if unsettled and only_results else Take(append=view.backlog_ids)
