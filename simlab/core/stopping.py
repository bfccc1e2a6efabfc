"""Stopping an operation: cancel the model, signal tools, wait for every answer, close calls truthfully, go on."""

from collections.abc import Sequence

from simlab.core.asking import Asker
from simlab.core.closing import finish_call, tell_background
from simlab.core.commands import CancelModel, CancelTool, Drop, Partial, Refuse, SetTimer, UndoTool
from simlab.core.decisions import (
    NOTHING,
    Cancel,
    Closing,
    DropReason,
    Interrupt,
    LeaveOpen,
    Moment,
    Pending,
    Shield,
    Skip,
    Take,
    Then,
)
from simlab.core.messages import Mark, PlaceholderState
from simlab.core.moves import consume, select
from simlab.core.phases import Phase
from simlab.core.state import CallStatus, Item, OpenCall, State, Stop


def interrupt(state: State, ask: Asker, item: Item | None, decision: Interrupt) -> None:
    """Begin to stop for an urgent event; while an operation is being stopped already, the event joins it.

    No item: the event stands in the backlog already and keeps its place there.
    """
    stop = _stopping(state, decision.partial)
    stop.then = decision.then
    stop.backlog = decision.backlog
    stop.undo = (*stop.undo, *decision.undo)
    if decision.mark is not Mark.PLAIN or decision.reminds:
        stop.wrap = Take(mark=decision.mark, reminds=decision.reminds)
    if decision.rewind_to is not None:
        stop.rewind_to = min(decision.rewind_to, len(state.trajectory) if stop.rewind_to is None else stop.rewind_to)
    if item is not None:
        (stop.queued if decision.queue else stop.urgent).append(item)
        if decision.hold_ms > 0:
            state.hold(item, decision.hold_ms)
    _close_calls(state, ask, stop)
    state.settle()


def wake(state: State, item: Item) -> None:
    """Wake an idle agent for an event that is not urgent: nothing is stopped, and it keeps its place in the order."""
    stop = _stopping(state, Partial.DISCARD)
    stop.backlog = Pending.FLUSH
    state.backlog.append(item)
    state.settle()


def stop_for_take(state: State, ask: Asker, take: Take) -> None:
    """Begin to close what is open because a safe point took something that must be appended."""
    stop = _stopping(state, take.partial)
    stop.take = take
    stop.first.extend(select(state, take.append))
    if take.drop:
        state.backlog = [item for item in state.backlog if item.event.id not in take.drop]
        state.emit(Drop(event_ids=take.drop, reason=take.reason))
    if take.call is False:
        stop.then = Then.IDLE
    _close_calls(state, ask, stop)


def _stopping(state: State, partial: Partial) -> Stop:
    stop = state.stop
    if stop is None:
        idle = state.phase is Phase.IDLE or state.phase is Phase.WAITING_USER
        stop = state.stop = Stop(from_idle=idle)
        if state.phase is Phase.THINKING:
            stop.waiting.add("model")
            state.emit(CancelModel(generation=state.generation, partial=partial))
        state.phase = Phase.STOPPING
        state.points = None
    return stop


def _close_calls(state: State, ask: Asker, stop: Stop) -> None:
    calls = [call for call in state.open.values() if not call.signalled and not isinstance(call.closing, LeaveOpen)]
    for call_id, closing in ask.closings(calls, Moment.APPEND).items():
        _begin_closing(state, stop, state.calls[call_id], closing)


def _begin_closing(state: State, stop: Stop, call: OpenCall, closing: Closing) -> None:
    """Carry out the part of a closing that cannot wait: signals go out now, placeholders are written at the end."""
    if not call.runs:
        call.closing = closing  # unless it is left open, its placeholder will say that it was not started
        return
    if call.status is CallStatus.BACKGROUND and not isinstance(closing, Cancel):
        return
    if call.status is CallStatus.BACKGROUND:
        stop.background.append(call.call.id)
    call.closing = closing
    match closing:
        case Cancel(grace_ms=grace_ms):
            _signal(state, call)
            stop.waiting.add(call.call.id)
            if grace_ms is not None:
                state.emit(SetTimer(timer_id=f"grace:{call.call.id}", delay_ms=grace_ms))
        case Shield() | Skip():
            stop.waiting.add(call.call.id)
        case LeaveOpen(cancel=True):
            _signal(state, call)
        case _:
            stop.waiting.discard(call.call.id)


def _signal(state: State, call: OpenCall) -> None:
    call.signalled = True
    state.emit(CancelTool(call_id=call.call.id))


def finish_stop(state: State) -> Then:
    """Write down what became of everything, then the backlog, then the urgent events; return what follows."""
    stop = state.stop
    assert stop is not None
    state.stop = None
    if stop.from_idle and stop.then is Then.CALL:
        state.start_turn()
    if stop.partial is not None:
        state.append(stop.partial)
    if stop.rewind_to is not None:
        state.rewind(stop.rewind_to)
    for call in state.foreground:
        finish_call(state, call)
    for call_id in stop.background:
        if (told := state.open.get(call_id)) is not None and told.ack is not None:
            tell_background(state, told)
    for call_id in stop.undo:
        state.emit(UndoTool(call_id=call_id))
    consume(state, stop.first, stop.take)
    _append_events(state, stop)
    state.backlog.extend(stop.queued)
    return stop.then


def _append_events(state: State, stop: Stop) -> None:
    """Append the backlog, then the urgent events; marked ones are one batch."""
    flushed = _flushed(state, stop)
    if stop.wrap is NOTHING:
        consume(state, flushed, NOTHING)
        consume(state, stop.urgent, NOTHING)
    else:
        consume(state, [*flushed, *stop.urgent], stop.wrap)


def _flushed(state: State, stop: Stop) -> Sequence[Item]:
    if stop.backlog is Pending.KEEP:
        return ()
    if stop.backlog is not Pending.FLUSH:
        _clear(state, stop)
    return select(state, [item.event.id for item in state.backlog])


def _clear(state: State, stop: Stop) -> None:
    """Drop what waits, except for what tools report; with ``NEWEST`` the older interrupting events too."""
    gone = select(state, [item.event.id for item in state.backlog if not item.is_report])
    if stop.backlog is Pending.NEWEST:
        gone += stop.urgent[:-1]
        stop.urgent = stop.urgent[-1:]
    if gone:
        reason = DropReason.SUPERSEDED if stop.backlog is Pending.NEWEST else DropReason.CLEARED
        state.emit(Drop(event_ids=tuple(item.event.id for item in gone), reason=reason))


def waited(state: State, ask: Asker, event_id: str) -> None:
    """Interrupt for an event (or else give it back) if it still waits when its time is over."""
    decision = state.delayed.pop(event_id, None)
    if all(item.event.id != event_id for item in state.backlog):
        return
    if decision is None:
        select(state, (event_id,))
        state.seen.discard(event_id)
        state.emit(Refuse(event_id=event_id, reason="not in time"))
        return
    (item,) = (item for item in state.backlog if item.event.id == event_id)
    if decision.hold_ms > 0:
        state.hold(item, decision.hold_ms)
    interrupt(state, ask, None, decision)


def grace_over(state: State, call_id: str) -> None:
    """Wait no longer for a signalled tool: what became of it is unknown."""
    call = state.open.get(call_id)
    if call is not None and call.runs and call.ack is None:
        call.ack = PlaceholderState.CANCELLED_UNKNOWN
        assert state.stop is not None  # it waits for this very call
        state.stop.waiting.discard(call_id)
        state.settle()
