"""Strategies that are wrong in one way each. None declares what it does."""

from collections.abc import Mapping, Sequence
from itertools import count
from typing import Any

from simlab.core.commands import Partial
from simlab.core.decisions import (
    NOTHING,
    Closing,
    Decision,
    Discard,
    DropReason,
    Interrupt,
    Keep,
    LatePolicy,
    LeaveOpen,
    Moment,
    Pending,
    Queue,
    SafePoint,
    Take,
    Then,
)
from simlab.core.decisions import Cancel as CancelCall
from simlab.core.events import Event, Verdict
from simlab.core.plugins import Traits
from simlab.core.state import OpenCall
from simlab.core.view import View
from simlab.strategies.cancel import Cancel, CancelBackground
from simlab.strategies.habits import FLUSH_POINTS, cancel_all, is_late
from simlab.strategies.queue import QueueAll

Closings = Mapping[str, Closing]


class LeavesCallsOpen(Cancel):
    """Severs the operation and closes nothing."""

    name = "leaves-calls-open"

    def on_open_calls(self, _view: View, calls: Sequence[OpenCall], _moment: Moment) -> Closings:
        return {call.call.id: LeaveOpen() for call in calls}


class LeavesUnstartedOpen(Cancel):
    """Thinks of what runs, and forgets what was asked for and not started yet."""

    name = "leaves-unstarted-open"

    def on_open_calls(self, _view: View, calls: Sequence[OpenCall], _moment: Moment) -> Closings:
        return {call.call.id: CancelCall() if call.runs else LeaveOpen() for call in calls}


class ClosesOnlyTheFirst(Cancel):
    """Closes one of several parallel calls."""

    name = "closes-only-the-first"

    def on_open_calls(self, view: View, calls: Sequence[OpenCall], moment: Moment) -> Closings:
        left = {call.call.id: LeaveOpen() for call in calls[1:]}
        return {**super().on_open_calls(view, calls[:1], moment), **left}


class LeavesCallsOpenAndSleeps(LeavesCallsOpen):
    """Closes nothing and waits for a person, so that nobody notices until the next request."""

    name = "leaves-calls-open-and-sleeps"

    def on_event(self, view: View, event: Event, _verdict: Verdict) -> Decision:
        return Queue() if view.is_idle or is_late(event) else Interrupt(then=Then.WAIT_USER, queue=True)


class DropsSilently(QueueAll):
    """Takes the first of the backlog and throws the rest away."""

    name = "drops-silently"

    def at_safe_point(self, view: View, _point: SafePoint) -> Take:
        return Take(append=view.backlog_ids[:1], drop=view.backlog_ids[1:])


class AnswersOnlyTheLast(QueueAll):
    """Takes the newest of the backlog; the older ones wait for ever."""

    name = "answers-only-the-last"

    def at_safe_point(self, view: View, point: SafePoint) -> Take:
        return Take(append=view.backlog_ids[-1:]) if point is SafePoint.IDLE and not view.turn else NOTHING


class ClearsOnInterrupt(Cancel):
    """Clears the backlog when it interrupts."""

    name = "clears-on-interrupt"

    def on_event(self, _view: View, event: Event, _verdict: Verdict) -> Decision:
        return Interrupt(backlog=Pending.CLEAR) if event.urgent else Queue()


class ForgetsTheIdleMoment(QueueAll):
    """Flushes when a round or a turn closes, and not when the agent is idle."""

    name = "forgets-the-idle-moment"
    traits = Traits(points=FLUSH_POINTS - {SafePoint.IDLE})

    def on_event(self, view: View, _event: Event, _verdict: Verdict) -> Decision:
        return Interrupt() if view.is_idle and not view.turn else Queue()


class PutsInFront(QueueAll):
    """Queues what comes at the front."""

    name = "puts-in-front"

    def on_event(self, _view: View, _event: Event, _verdict: Verdict) -> Decision:
        return Queue(front=True)


class TakesBackwards(QueueAll):
    """Flushes the backlog from its end."""

    name = "takes-backwards"

    def at_safe_point(self, view: View, _point: SafePoint) -> Take:
        return Take(append=view.backlog_ids[::-1])


class RecordsPartials(Cancel):
    """Keeps what the model had said when it was stopped."""

    name = "records-partials"

    def on_event(self, _view: View, event: Event, _verdict: Verdict) -> Decision:
        return Queue() if is_late(event) else Interrupt(partial=Partial.KEEP)


class RewindsHistory(Cancel):
    """Cuts history back to where the turn began."""

    name = "rewinds-history"

    def on_event(self, view: View, event: Event, _verdict: Verdict) -> Decision:
        return Queue() if is_late(event) else Interrupt(rewind_to=view.turn_start_index)


class EditsPlaceholders(CancelBackground):
    """Writes late results where their placeholders stand."""

    name = "edits-placeholders"

    def on_open_calls(self, _view: View, calls: Sequence[OpenCall], _moment: Moment) -> Closings:
        return {call.call.id: Keep(late=LatePolicy.REPLACE) for call in calls}


class DropsLateResults(CancelBackground):
    """Throws late results away."""

    name = "drops-late-results"

    def on_open_calls(self, _view: View, calls: Sequence[OpenCall], _moment: Moment) -> Closings:
        return {call.call.id: Keep(late=LatePolicy.DROP) for call in calls}


class DiscardsOlder(QueueAll):
    """Throws away what waits when something new comes."""

    name = "discards-older"

    def on_event(self, view: View, _event: Event, _verdict: Verdict) -> Any:
        old = view.backlog_ids
        return (Discard(event_ids=old, reason=DropReason.SUPERSEDED), Queue()) if old else Queue()


class StopsAfterTools(QueueAll):
    """Ends the turn when the tools are done, without calling the model on their results."""

    name = "stops-after-tools"

    def at_safe_point(self, view: View, point: SafePoint) -> Take:
        return Take(append=view.backlog_ids, call=False if point is SafePoint.ROUND_CLOSED else None)


class CallsForEver(QueueAll):
    """Calls the model again whenever it has finished."""

    name = "calls-for-ever"

    def at_safe_point(self, view: View, point: SafePoint) -> Take:
        return Take(append=view.backlog_ids, call=True if point is SafePoint.TURN_CLOSED else None)


class NeverLetsGo(QueueAll):
    """Ends a turn that it has just begun, and begins it again, within one instant."""

    name = "never-lets-go"

    def at_safe_point(self, _view: View, point: SafePoint) -> Take:
        return Take(call=point is SafePoint.IDLE)


class PostponesForEver(QueueAll):
    """Holds an event back again each time its window runs out."""

    name = "postpones-for-ever"

    def on_event(self, _view: View, _event: Event, _verdict: Verdict) -> Decision:
        return Queue(hold_ms=500)

    def at_safe_point(self, _view: View, _point: SafePoint) -> Take:
        return NOTHING


class HoldsForAMinute(QueueAll):
    """Lets an idle agent wait for a minute before it looks at what came."""

    name = "holds-for-a-minute"

    def on_event(self, _view: View, _event: Event, _verdict: Verdict) -> Decision:
        return Queue(hold_ms=60_000)

    def at_safe_point(self, view: View, _point: SafePoint) -> Take:
        return NOTHING if view.held else Take(append=view.backlog_ids)


class Raises(QueueAll):
    """Raises when asked what to take."""

    name = "raises"

    def at_safe_point(self, view: View, _point: SafePoint) -> Take:
        raise LookupError("no idea")


class TalksNonsense(QueueAll):
    """Returns something that is no decision."""

    name = "talks-nonsense"

    def on_event(self, _view: View, event: Event, _verdict: Verdict) -> Any:
        return f"later, {event.id}"


class PlacesTwice(QueueAll):
    """Queues an event twice."""

    name = "places-twice"

    def on_event(self, _view: View, _event: Event, _verdict: Verdict) -> Any:
        return (Queue(), Queue())


class TakesWhatIsGone(QueueAll):
    """Remembers the first event and takes it again and again."""

    name = "takes-what-is-gone"

    def at_safe_point(self, view: View, _point: SafePoint) -> Take:
        return Take(append=("U1",)) if view.turn else Take(append=view.backlog_ids)


class ClosesStrangers(Cancel):
    """Closes calls that nobody asked about."""

    name = "closes-strangers"

    def on_open_calls(self, _view: View, calls: Sequence[OpenCall], _moment: Moment) -> Closings:
        return {**cancel_all(calls), "c99": CancelCall()}


class HasMoods(QueueAll):
    """Interrupts in every other run: it depends on something else than what it is shown."""

    name = "has-moods"
    moods = count()

    def __init__(self) -> None:
        self.interrupts = next(HasMoods.moods) % 2

    def on_event(self, _view: View, event: Event, _verdict: Verdict) -> Decision:
        return Interrupt() if self.interrupts and not is_late(event) else Queue()


class InterruptsWhenUrgent(Cancel):
    """Nothing is wrong with it: what is urgent interrupts, the rest waits (for cores that are wrong)."""

    name = "interrupts-when-urgent"

    def on_event(self, _view: View, event: Event, _verdict: Verdict) -> Decision:
        return Interrupt() if event.urgent else Queue()
