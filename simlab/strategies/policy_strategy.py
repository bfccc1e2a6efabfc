"""The interpreter of the policy space: one strategy for every point."""

from collections.abc import Mapping, Sequence
from typing import assert_never

from simlab.core.decisions import (
    NOTHING,
    Acknowledge,
    Cancel,
    Closing,
    Departure,
    Discard,
    DropReason,
    Interrupt,
    Keep,
    LatePolicy,
    LeaveOpen,
    Moment,
    Pending,
    Queue,
    Refuse,
    SafePoint,
    Shield,
    Side,
    Skip,
    Take,
    Then,
)
from simlab.core.events import PERSON_TYPES, Event, Handling, Verdict
from simlab.core.messages import Mark
from simlab.core.phases import Phase
from simlab.core.plugins import Traits
from simlab.core.state import OpenCall
from simlab.core.view import View
from simlab.strategies.habits import is_late
from simlab.strategies.pieces import Answer, inputs_end, routine_ids, urgent_ids
from simlab.strategies.reversal import earliest_cut, undoable
from simlab.strategies.space import (
    PARTIALS,
    Admits,
    Aside,
    AtEnd,
    FillWhen,
    History,
    How,
    OnModel,
    OnTool,
    OnUnstarted,
    Order,
    Overflow,
    Policy,
    Trigger,
)


class PolicyStrategy:
    """Does what a point of the space says; declares the departures that follow from it."""

    def __init__(self, policy: Policy, name: str = "policy") -> None:
        self.policy = policy
        self.name = name
        self.traits = traits_of(policy)

    # --- arrivals ---------------------------------------------------------------------------------------------------

    def on_event(self, view: View, event: Event, verdict: Verdict) -> Answer:
        """Stop, answer aside, refuse, or let it wait."""
        policy = self.policy
        if is_late(event):
            return Queue()
        if policy.aside is not Aside.NEVER:
            return Side(append=policy.aside is Aside.APPENDED)
        if self._stops(view, event, verdict):
            return self._stop(view)
        return self._wait(view, event)

    def _stops(self, view: View, event: Event, verdict: Verdict) -> bool:
        policy = self.policy
        if not _matches(policy.stops_on, view, event, verdict):
            return False
        if view.is_idle:
            return policy.stops_idle
        if view.phase is Phase.THINKING:
            return policy.on_model not in (OnModel.CONTINUE, OnModel.AT_ITEM)
        return view.is_stopping or policy.on_tool is not OnTool.CONTINUE

    def _stop(self, view: View) -> Interrupt:
        policy = self.policy
        cut = self._cut(view)
        return Interrupt(
            then=policy.after_stop,
            partial=PARTIALS[policy.on_model],
            backlog=policy.pending,
            rewind_to=cut,
            undo=undoable(view, cut) if policy.history is History.CONFLICT else (),
            queue=policy.after_stop is Then.IDLE,
        )

    def _cut(self, view: View) -> int | None:
        match self.policy.history:
            case History.APPEND_ONLY:
                return None
            case History.TURN_START:
                return view.turn_start_index
            case History.TURN_INPUT:
                return inputs_end(view)
            case History.CONFLICT:
                return earliest_cut(view)
            case _:
                assert_never(self.policy.history)

    def _wait(self, view: View, event: Event) -> Answer:
        policy = self.policy
        waiting = [item for item in view.backlog if not item.is_report]
        if view.is_idle and not view.has_backlog:
            return Queue()
        drops: list[Discard] = []
        if policy.cap is not None and len(waiting) >= policy.cap:
            if policy.overflow is Overflow.SUMMARISE:
                over = tuple(item.id for item in waiting[: len(waiting) - policy.cap + 1])
                drops.append(Discard(event_ids=over, reason=DropReason.SUMMARISED))
            elif not view.is_idle or policy.cap == 0:
                return Refuse()
        same = tuple(item.id for item in view.backlog if event.content and item.event.content == event.content)
        if policy.merges_same_text and same:
            drops.append(Discard(event_ids=same, reason=DropReason.SUPERSEDED))
        queue = Queue(
            hold_ms=policy.debounce_ms,
            front=policy.order is Order.LIFO,
            expires_ms=None if view.is_idle else policy.expires_ms,
        )
        acknowledge = [Acknowledge(limit_ms=policy.acknowledge_ms)] if policy.acknowledges and not view.is_idle else []
        return (*drops, *acknowledge, queue)

    # --- safe points ------------------------------------------------------------------------------------------------

    def at_safe_point(self, view: View, point: SafePoint) -> Take:
        """Take as much as the point allows."""
        policy = self.policy
        if point is SafePoint.IDLE:
            return NOTHING if view.held else _take(self._waiting(view), policy.starts_with, Mark.PLAIN)
        if point is SafePoint.BEFORE_CALL and policy.spares_first_call and view.call_in_turn == 0:
            return NOTHING
        ids = self._waiting(view) if policy.admits is Admits.ALL else urgent_ids(view)
        take = _take(ids, policy.drain_how, policy.wrap)
        if point is SafePoint.STREAM_ITEM:
            return Take(append=take.append, joined=take.joined, mark=take.mark, partial=PARTIALS[policy.on_model])
        return take

    def _waiting(self, view: View) -> tuple[str, ...]:
        if self.policy.order is Order.URGENT_FIRST:
            return (*urgent_ids(view), *routine_ids(view))
        return view.backlog_ids

    # --- open calls -------------------------------------------------------------------------------------------------

    def on_open_calls(self, _view: View, calls: Sequence[OpenCall], moment: Moment) -> Mapping[str, Closing]:
        """Close each call as the point says."""
        if moment is Moment.NEXT_CALL:
            return {call.call.id: Cancel(wording=self.policy.fill_text) for call in calls}
        return {call.call.id: self._close(call) for call in calls}

    def _close(self, call: OpenCall) -> Closing:
        policy = self.policy
        if policy.fill_when is not FillWhen.AT_CANCEL:
            return LeaveOpen(cancel=policy.on_tool is OnTool.CANCEL, late=policy.late_result)
        if policy.on_unstarted is OnUnstarted.SKIP and not call.runs:
            return Skip(wording=policy.fill_text)
        if policy.on_tool is OnTool.SHIELD:
            return Shield()
        if policy.on_tool is OnTool.CANCEL and (call.spec.can_be_cancelled or policy.grace_ms is not None):
            return Cancel(grace_ms=policy.grace_ms, wording=policy.fill_text)
        return Keep(wording=policy.fill_text, late=policy.late_result)


def _matches(trigger: Trigger, view: View, event: Event, verdict: Verdict) -> bool:
    by_person = event.type in PERSON_TYPES
    match trigger:
        case Trigger.NEVER:
            return False
        case Trigger.ANY:
            return True
        case Trigger.VERDICT:
            return verdict.handling is Handling.CANCEL
        case Trigger.URGENT:
            return event.urgent
        case Trigger.OPERATOR:
            return event.urgent and by_person
        case Trigger.PERSON:
            return by_person
        case Trigger.REVISION:
            return by_person and (bool(event.context) or view.is_stopping)
        case _:
            assert_never(trigger)


def _take(ids: Sequence[str], how: How, mark: Mark) -> Take:
    match how:
        case How.ONE:
            return Take(append=tuple(ids[:1]), mark=mark)
        case How.ALL | How.JOINED:
            return Take(append=tuple(ids), mark=mark, joined=how is How.JOINED)
        case How.NEWEST:
            return Take(append=tuple(ids[-1:]), drop=tuple(ids[:-1]), mark=mark, reason=DropReason.SUPERSEDED)
        case _:
            assert_never(how)


def traits_of(policy: Policy) -> Traits:
    """Return what a point declares: where it is asked, and from which rules it departs."""
    points = {SafePoint.IDLE, *policy.drain_at}
    if policy.at_end is AtEnd.SAME_TURN:
        points.add(SafePoint.TURN_CLOSED)
    if policy.on_model is OnModel.AT_ITEM:
        points.add(SafePoint.STREAM_ITEM)
    moments = {Moment.APPEND}
    if policy.fill_when is FillWhen.NEXT_CALL:
        moments.add(Moment.NEXT_CALL)
    return Traits(
        points=frozenset(points),
        moments=frozenset(moments),
        departures=frozenset(departure for departure, departs in _departures(policy).items() if departs),
        sequential_tools=policy.sequential_tools,
    )


def _departures(policy: Policy) -> Mapping[Departure, bool]:
    keeps = policy.on_model in (OnModel.KEEP, OnModel.TRUNCATE, OnModel.AT_ITEM)
    newest = policy.pending is Pending.NEWEST or How.NEWEST in (policy.drain_how, policy.starts_with)
    summarises = policy.cap is not None and policy.overflow is Overflow.SUMMARISE
    return {
        Departure.REWINDS: policy.history is not History.APPEND_ONLY,
        Departure.KEEPS_PARTIAL: keeps,
        Departure.EDITS: policy.fill_when is FillWhen.NEXT_CALL or policy.late_result is LatePolicy.REPLACE,
        Departure.CLEARS_BACKLOG: policy.pending is Pending.CLEAR,
        Departure.REORDERS: policy.order is Order.LIFO,
        Departure.DROPS_LATE: policy.late_result is LatePolicy.DROP,
        Departure.DROPS_EVENTS: newest or summarises or policy.merges_same_text,
    }
