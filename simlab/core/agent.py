"""The agent as a state machine: one input in, commands out.

How it breathes. Whatever happens is an input; the agent writes down what is certain at once (a finished message, a
finished result, an arrival) and asks to be told when the instant has settled. Only then, with every input of the
instant handled, does it visit a safe point: it asks the strategy what to consume, closes calls, launches tools or
calls the model. So nothing depends on the order in which things of one instant were fed in.

Three paths lead through a visit. ``ready`` goes on with the loop: message closed -> launch; round closed -> before
call; turn closed -> idle. ``stopping`` waits until the model and every signalled or shielded tool has answered, then
closes the open calls truthfully, appends what has to be appended and goes on. ``idle`` asks whether something in the
backlog is worth a new turn.

The agent has no clock, draws nothing, reads no ledger and never waits: drivers do (``sim`` in virtual time,
``runtime`` under asyncio).
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, assert_never

from simlab.core import commands as c
from simlab.core import inputs as i
from simlab.core.asking import Asker
from simlab.core.closing import close, dangling, patch
from simlab.core.decisions import (
    NOTHING,
    Acknowledge,
    Closing,
    Decision,
    Discard,
    DropReason,
    Interrupt,
    Keep,
    LatePolicy,
    LeaveOpen,
    Moment,
    Queue,
    Refuse,
    SafePoint,
    Side,
    Skip,
    Take,
    Then,
)
from simlab.core.events import PERSON_TYPES, Event, EventType
from simlab.core.messages import (
    AssistantMessage,
    PlaceholderState,
    ResultMessage,
    ToolResult,
    ToolSpec,
)
from simlab.core.moves import consume, select, wakes
from simlab.core.phases import TRANSITIONS, Phase
from simlab.core.plugins import ProtocolError, Strategy
from simlab.core.sides import side_ended, start_side
from simlab.core.state import CallStatus, Item, OpenCall, State
from simlab.core.stopping import finish_stop, grace_over, interrupt, stop_for_take, waited, wake
from simlab.core.view import View

# Looked up once: on Python 3.11 the look-up of a member of an enumeration costs more than a call.
_IDLE, _WAITING_USER, _READY = Phase.IDLE, Phase.WAITING_USER, Phase.READY
_THINKING, _ACTING = Phase.THINKING, Phase.ACTING
_MESSAGE_CLOSED, _TOOL_CLOSED = SafePoint.MESSAGE_CLOSED, SafePoint.TOOL_CLOSED
_ROUND_CLOSED, _TURN_CLOSED, _BEFORE_CALL = SafePoint.ROUND_CLOSED, SafePoint.TURN_CLOSED, SafePoint.BEFORE_CALL
_OPENED, _LAUNCH, _NEXT_CALL = Moment.OPENED, Moment.LAUNCH, Moment.NEXT_CALL
_UNSTARTED, _RUNNING = CallStatus.UNSTARTED, CallStatus.RUNNING
_BACKGROUND, _ENDED = CallStatus.BACKGROUND, CallStatus.ENDED


class Agent:
    """One agent loop. Feed it inputs with their times; carry out the commands in order.

    Raises ``ProtocolError`` for an input that is illegal now (nothing was changed) and ``StrategyError`` when the
    strategy raises or returns nonsense.
    """

    __slots__ = ("ask", "state", "view")

    def __init__(self, strategy: Strategy, tools: Iterable[ToolSpec]) -> None:
        self.state = State({tool.name: tool for tool in tools})
        self.ask = Asker(strategy, self.state)
        self.view = View(self.state)

    def receive(self, item: i.Input, at_ms: int) -> list[c.Command]:
        """Advance by one input and return the commands to carry out, in order."""
        state = self.state
        kind = type(item)
        allowed = TRANSITIONS[state.phase].get(kind)
        if allowed is None:
            raise ProtocolError(f"{kind.__name__} is illegal while {state.phase}")
        if at_ms < state.now_ms:
            raise ProtocolError(f"time runs backwards: {at_ms} ms after {state.now_ms} ms")
        before_ms, state.now_ms = state.now_ms, at_ms
        out: list[c.Command] = []
        state.out = out
        try:
            _HANDLERS[kind](self, item)
        except ProtocolError:
            state.now_ms = before_ms
            raise
        if state.phase not in allowed:
            raise AssertionError(f"{type(item).__name__} led to {state.phase}, which the table of phases forbids")
        return out

    @property
    def is_quiet(self) -> bool:
        """Whether nothing more will happen without an input from outside."""
        state = self.state
        return (
            (state.phase is _IDLE or state.phase is _WAITING_USER)
            and not (state.settling or state.routing or state.sides or state.holds)
            and not any(call.runs for call in state.open.values())
        )

    # --- the inbox --------------------------------------------------------------------------------------------

    def _event_arrived(self, item: i.EventArrived) -> None:
        if item.event.id in self.state.seen:
            raise ProtocolError(f"event {item.event.id!r} arrived twice")
        self._announce(item.event)

    def _announce(self, event: Event) -> None:
        state = self.state
        state.seen.add(event.id)
        state.routing[event.id] = (event, state.now_ms)
        state.emit(c.Route(event))

    def _routed(self, item: i.Routed) -> None:
        state = self.state
        if item.event_id not in state.routing:
            raise ProtocolError(f"no verdict is awaited for event {item.event_id!r}")
        event, arrived_ms = state.routing.pop(item.event_id)
        entry = Item(event=event, verdict=item.verdict, arrived_ms=arrived_ms, call_id=state.late.get(event.id))
        for decision in self.ask.event(event, item.verdict):
            self._carry_out(decision, entry)

    def _carry_out(self, decision: Decision, entry: Item) -> None:
        match decision:
            case Queue():
                self._queue(entry, decision)
            case Interrupt(after_ms=after_ms) if after_ms > 0:
                self.state.delayed[entry.event.id] = decision
                self.state.time("interrupt", entry, after_ms)
                self._queue(entry, Queue())
            case Interrupt():
                interrupt(self.state, self.ask, entry, decision)
            case Side():
                self._side(entry, decision)
            case Acknowledge(limit_ms=limit_ms):
                start_side(self.state, entry, c.SideKind.ACKNOWLEDGE, append=False, limit_ms=limit_ms)
            case Refuse(reason=reason):
                self.state.seen.discard(entry.event.id)
                self.state.emit(c.Refuse(event_id=entry.event.id, reason=reason))
            case Discard(event_ids=event_ids, reason=reason):
                self._discard(event_ids, reason)
            case _:
                assert_never(decision)

    def _queue(self, entry: Item, how: Queue) -> None:
        state = self.state
        if how.hold_ms > 0:
            state.hold(entry, how.hold_ms)
        if how.expires_ms is not None:
            state.time("expire", entry, how.expires_ms)
        if how.front:
            state.backlog.insert(0, entry)
        else:
            state.backlog.append(entry)
        self._stir(entry)

    def _stir(self, news: Item | None = None) -> None:
        """Ask for an idle visit where one may be due: only a new word from a person ends the wait for one."""
        state = self.state
        by_person = news is not None and news.event.type in PERSON_TYPES
        if state.phase is _IDLE or (state.phase is _WAITING_USER and by_person):
            state.settle()

    def _a_person_waits(self) -> bool:
        return any(item.event.type in PERSON_TYPES for item in self.state.backlog)

    def _discard(self, event_ids: tuple[str, ...], reason: DropReason) -> None:
        state = self.state
        state.backlog = [item for item in state.backlog if item.event.id not in event_ids]
        state.emit(c.Drop(event_ids=event_ids, reason=reason))

    # --- side sessions ----------------------------------------------------------------------------------------

    def _side(self, entry: Item, how: Side) -> None:
        if self.state.phase is _IDLE or self.state.phase is _WAITING_USER:
            wake(self.state, entry)
        else:
            start_side(self.state, entry, c.SideKind.ANSWER, append=how.append, marked=how.marked)

    def _side_ended(self, item: i.SideEnded) -> None:
        entry = side_ended(self.state, item)
        if entry is not None:
            self.state.backlog.append(entry)
            self._stir(entry)

    # --- the model --------------------------------------------------------------------------------------------

    def _model_finished(self, item: i.ModelFinished) -> None:
        state = self.state
        if item.generation != state.generation:
            raise ProtocolError(f"model call {item.generation} is not the current one ({state.generation})")
        calls = item.message.calls
        self._check_calls(item.message)
        index = state.append(item.message)
        for call in calls:
            state.calls[call.id] = state.open[call.id] = OpenCall(call, state.tools[call.tool], index)
        if calls:
            state.points = _MESSAGE_CLOSED
            if _OPENED in self.ask.moments:
                for call_id, closing in self.ask.closings(state.foreground, _OPENED).items():
                    state.calls[call_id].closing = closing
        else:
            state.points = _TURN_CLOSED
        state.phase = _READY
        state.settle()

    def _check_calls(self, message: AssistantMessage) -> None:
        state = self.state
        fresh: set[str] = set()
        for call in message.calls:
            if call.tool not in state.tools:
                raise ProtocolError(f"message {message.id!r}: no tool {call.tool!r} is declared")
            if call.id in state.calls or call.id in state.discarded or call.id in fresh:
                raise ProtocolError(f"message {message.id!r}: call id {call.id!r} was used before")
            fresh.add(call.id)

    def _model_stopped(self, item: i.ModelStopped) -> None:
        state = self.state
        stop = state.stop
        if stop is None or "model" not in stop.waiting or item.generation != state.generation:
            raise ProtocolError(f"model call {item.generation} was not asked to stop")
        stop.waiting.discard("model")
        stop.partial = item.partial
        state.settle()

    def _stream_item(self, item: i.StreamItem) -> None:
        if item.generation != self.state.generation:
            raise ProtocolError(f"model call {item.generation} is not the current one ({self.state.generation})")
        take = self.ask.take(SafePoint.STREAM_ITEM)
        if take.append:
            stop_for_take(self.state, self.ask, take)
            self.state.settle()

    # --- tools ------------------------------------------------------------------------------------------------

    def _call(self, call_id: str) -> OpenCall | None:
        """Return a call that is under way; None for one whose message was rewound."""
        state = self.state
        if call_id in state.discarded:
            return None
        call = state.calls.get(call_id)
        if call is None:
            raise ProtocolError(f"no call {call_id!r} is known")
        return call

    def _tool_prepared(self, item: i.ToolPrepared) -> None:
        call = self._call(item.call_id)
        if call is None or call.closed or self.state.stop is not None:
            return
        if call.status is not CallStatus.PREPARING:
            raise ProtocolError(f"call {item.call_id!r} is not being prepared")
        self._launch_now(call)
        self._after_call_closed(call)

    def _tool_ended(self, item: i.ToolEnded) -> None:
        state = self.state
        call_id, result = item.call_id, item.result
        call = self._call(call_id)
        if call is None:
            return
        if not call.runs:
            raise ProtocolError(f"call {call_id!r} does not run")
        behind = call.status is _BACKGROUND
        call.status = _ENDED
        call.result = result
        del state.open[call_id]
        if behind:
            self._late(call, result)
        else:
            state.append(ResultMessage(call_id, result))
            call.closed = True
            call.closing = None  # a stop under way has nothing left to close here
        self._answered(call, behind)

    def _tool_cancelled(self, item: i.ToolCancelled) -> None:
        state = self.state
        call = self._call(item.call_id)
        if call is None:
            return
        if not call.runs or not call.signalled:
            raise ProtocolError(f"call {item.call_id!r} was not signalled, or does not run")
        behind = call.status is _BACKGROUND
        was_known = call.ack is None
        call.status = _ENDED
        call.ack = item.state
        if isinstance(call.closing, LeaveOpen):
            del state.open[call.call.id]
        elif not was_known:  # the grace had run out and the placeholder says so: now the end is known
            del state.open[call.call.id]
            self._late(call, None)
        self._answered(call, behind)

    def _answered(self, call: OpenCall, behind: bool) -> None:
        """Note that a tool is over: go on stopping, or look at the round."""
        stop = self.state.stop
        if stop is not None:
            stop.waiting.discard(call.call.id)
            self.state.settle()
        elif not behind:
            self._after_call_closed(call)

    def _after_call_closed(self, call: OpenCall) -> None:
        state = self.state
        if not state.is_open:
            state.points = _ROUND_CLOSED
            state.phase = _READY
            state.settle()
        elif call.closed and self.ask.stops_between_tools:
            state.points = _TOOL_CLOSED
            state.settle()

    def _late(self, call: OpenCall, result: ToolResult | None) -> None:
        """Make an event of what became of a call behind a placeholder."""
        event_id = f"late:{call.call.id}"
        if call.late is LatePolicy.DROP:
            self.state.emit(c.Drop(event_ids=(event_id,), reason=DropReason.LATE))
            return
        self.state.late[event_id] = call.call.id
        self._announce(
            Event(
                id=event_id,
                type=EventType.TOOL_RESULT,
                source=call.call.tool,
                channel="tool",
                content=result.content if result is not None else str(call.ack),
                context=call.call.id,
            )
        )

    def _timer_fired(self, item: i.TimerFired) -> None:
        kind, _, name = item.timer_id.partition(":")
        self.state.holds.discard(item.timer_id)
        match kind:
            case "hold":
                self._stir()
            case "interrupt" | "expire":
                waited(self.state, self.ask, name)
            case _:
                grace_over(self.state, name)

    # --- the visit of a safe point ----------------------------------------------------------------------------

    def _settled(self, _item: i.Settled) -> None:
        state = self.state
        state.settling = False
        _WHEN_SETTLED[state.phase](self)

    def _hear(self) -> None:
        if self._a_person_waits():
            self.state.phase = _IDLE
            self._idle()

    def _visit(self) -> None:
        state = self.state
        point, state.points = state.points, None
        if point is _MESSAGE_CLOSED or point is _TOOL_CLOSED:
            self._at_open_calls(point)
        elif point is _ROUND_CLOSED:
            take = self.ask.take(point)
            self._consume(take)
            self._go_on(take.call is not False)
        else:
            assert point is _TURN_CLOSED
            take = self.ask.take(point)
            needed = self._consume(take)
            self._go_on(needed if take.call is None else take.call)

    def _at_open_calls(self, point: SafePoint) -> None:
        """Visit a safe point at which calls are open: what is appended here must close them first."""
        state = self.state
        take = self.ask.take(point)
        if take.append:
            stop_for_take(state, self.ask, take)
            self._finish_if_answered()
            return
        if take is not NOTHING:
            self._consume(take)
        if point is _MESSAGE_CLOSED or self.ask.sequential:
            self._launch()

    def _finish_if_answered(self) -> None:
        state = self.state
        if state.stop is None or state.stop.waiting:
            return
        then = finish_stop(state)
        match then:
            case Then.CALL:
                self._before_call()
            case Then.IDLE:
                self._end_turn()
            case Then.WAIT_USER:
                self._sleep(_WAITING_USER)
            case _:
                assert_never(then)

    def _consume(self, take: Take) -> bool:
        """Take what the strategy took; return whether any of it needs the model."""
        if take is NOTHING:
            return False
        state = self.state
        if take.drop:
            self._discard(take.drop, take.reason)
        items = select(state, take.append)
        consume(state, items, take)
        return any(wakes(item) for item in items)

    def _go_on(self, call: bool) -> None:
        if call:
            self._before_call()
        else:
            self._end_turn()

    def _before_call(self) -> None:
        state = self.state
        take = self.ask.take(_BEFORE_CALL)
        if take is not NOTHING:
            self._consume(take)
        if take.call is False:
            self._sleep(_IDLE)
            self._stir()
            return
        if _NEXT_CALL in self.ask.moments:
            for call_id, closing in self.ask.closings(dangling(state), _NEXT_CALL).items():
                patch(state, state.calls[call_id], closing)
        state.generation += 1
        state.call_in_turn += 1
        state.phase = _THINKING
        seen = state.trajectory
        state.emit(c.CallModel(state.generation, seen, len(seen), state.epoch, state.turn, state.call_in_turn))

    def _end_turn(self) -> None:
        self._sleep(_IDLE)
        self._idle()

    def _sleep(self, phase: Phase) -> None:
        state = self.state
        state.phase = phase
        state.turn_start_index = len(state.trajectory)
        state.emit(c.Sleep(waits_for_user=phase is _WAITING_USER))

    def _idle(self) -> None:
        state = self.state
        if not state.backlog:
            return
        take = self.ask.take(SafePoint.IDLE)
        chosen = set(take.append)
        needed = any(wakes(item) for item in state.backlog if item.event.id in chosen)
        if take.call is True or (needed and take.call is None):
            state.start_turn()
            self._consume(take)
            self._before_call()
        else:
            self._consume(take)
            state.turn_start_index = len(state.trajectory)

    # --- launching --------------------------------------------------------------------------------------------

    def _launch(self) -> None:
        state = self.state
        state.phase = _ACTING
        for call in state.foreground:
            if call.status is _UNSTARTED and self._start(call) and self.ask.sequential:
                return
        if not state.is_open:
            state.points = _ROUND_CLOSED
            state.phase = _READY
            state.settle()

    def _start(self, call: OpenCall) -> bool:
        """Prepare or launch a call; return whether it is in the foreground's way now."""
        if isinstance(call.closing, Skip):
            close(self.state, call, PlaceholderState.NOT_STARTED, call.closing)
            return False
        if not call.spec.prepares:
            return self._launch_now(call)
        call.status = CallStatus.PREPARING
        self.state.emit(c.PrepareTool(call=call.call))
        return True

    def _launch_now(self, call: OpenCall) -> bool:
        closing: Closing | None = None
        if _LAUNCH in self.ask.moments:
            closing = self.ask.closings((call,), _LAUNCH).get(call.call.id)
        if isinstance(closing, Skip):
            close(self.state, call, PlaceholderState.NOT_STARTED, closing)
            return False
        call.status = _RUNNING
        call.started_ms = self.state.now_ms
        self.state.emit(c.StartTool(call.call))
        if isinstance(closing, Keep):
            close(self.state, call, PlaceholderState.STILL_RUNNING, closing)
            return False
        return True


_HANDLERS: Mapping[type[i.Input], Callable[[Agent, Any], None]] = {
    i.EventArrived: Agent._event_arrived,
    i.Routed: Agent._routed,
    i.ModelFinished: Agent._model_finished,
    i.ModelStopped: Agent._model_stopped,
    i.StreamItem: Agent._stream_item,
    i.ToolPrepared: Agent._tool_prepared,
    i.ToolEnded: Agent._tool_ended,
    i.ToolCancelled: Agent._tool_cancelled,
    i.SideEnded: Agent._side_ended,
    i.TimerFired: Agent._timer_fired,
    i.Settled: Agent._settled,
}

_WHEN_SETTLED: Mapping[Phase, Callable[[Agent], None]] = {
    Phase.READY: Agent._visit,
    Phase.ACTING: Agent._visit,
    Phase.STOPPING: Agent._finish_if_answered,
    Phase.IDLE: Agent._idle,
    Phase.WAITING_USER: Agent._hear,
}
