"""Small pure pieces that strategies share."""

from collections.abc import Mapping, Sequence

from simlab.core.decisions import NOTHING, Cancel, Closing, Keep, SafePoint, Take
from simlab.core.events import Event, EventType
from simlab.core.messages import EventMessage, LateResultMessage, ResultMessage
from simlab.core.state import OpenCall
from simlab.core.view import View

FLUSH_POINTS = frozenset({SafePoint.ROUND_CLOSED, SafePoint.BEFORE_CALL, SafePoint.TURN_CLOSED, SafePoint.IDLE})
"""Where a strategy asks to consume when it waits for the round to close and flushes everything."""


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


def pending_jobs(view: View) -> set[str]:
    """Return the ids of jobs that were started and have neither reported their end nor been cancelled.

    Read from what the tools said: ``start: started, id JOB`` and ``cancel: cancelled, id JOB, progress=40``; the end of
    a job is an event of that id.
    """
    started: set[str] = set()
    over = set(view.backlog_ids)
    for message in view.trajectory:
        match message:
            case ResultMessage(result=result) | LateResultMessage(result=result):
                text = result.content
                started.add(text.partition(": started, id ")[2])
                over.add(text.partition(": cancelled, id ")[2].rpartition(", progress=")[0])
            case EventMessage(events=events):
                over.update(event.id for event in events)
            case _:
                pass
    return started - over - {""}
