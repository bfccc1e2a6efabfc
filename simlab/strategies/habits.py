"""Small pure pieces that strategies share."""

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
from simlab.core.events import PERSON_TYPES, Event, EventType, Verdict
from simlab.core.messages import EventMessage, LateResultMessage, Mark, NoticeMessage, SideMessage, Wording
from simlab.core.state import CallStatus, OpenCall
from simlab.core.view import View

FLUSH_POINTS = frozenset({SafePoint.ROUND_CLOSED, SafePoint.BEFORE_CALL, SafePoint.TURN_CLOSED, SafePoint.IDLE})
"""Where a strategy asks to consume when it waits for the round to close and flushes everything."""

Answer: TypeAlias = Decision | Sequence[Decision]
"""What ``on_event`` returns: exactly one placement, and what else is to be done for the event."""

INPUTS = (EventMessage, LateResultMessage, NoticeMessage, SideMessage)
"""Messages that came from outside; everything else in a trajectory is the agent's own work."""


def take_all(view: View) -> Take:
    """Take the whole backlog, in order."""
    return Take(append=view.backlog_ids) if view.has_backlog else NOTHING


def take_oldest(view: View) -> Take:
    """Take the oldest entry of the backlog."""
    return Take(append=view.backlog_ids[:1]) if view.has_backlog else NOTHING


def is_late(event: Event) -> bool:
    """Whether it reports the end of a tool; no shipped strategy interrupts for one."""
    return event.type is EventType.TOOL_RESULT


def keep_all(calls: Sequence[OpenCall]) -> Mapping[str, Closing]:
    """Leave every tool running behind a placeholder; what has not started is skipped."""
    return {call.call.id: Keep() for call in calls}


def cancel_all(calls: Sequence[OpenCall]) -> Mapping[str, Closing]:
    """Cancel the tools that can be cancelled; leave the others running behind a placeholder."""
    return {call.call.id: Cancel() if call.spec.can_be_cancelled else Keep() for call in calls}


def skip_unstarted(calls: Sequence[OpenCall]) -> Mapping[str, Closing]:
    """Skip what has not started and keep the rest running behind a placeholder."""
    return {call.call.id: Skip() if call.status is CallStatus.UNSTARTED else Keep() for call in calls}


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
