"""The room of the models: main calls, side sessions and holding replies, over a limited capacity."""

from collections.abc import Callable
from dataclasses import dataclass

from simlab.core import commands as c
from simlab.core import inputs as i
from simlab.core.messages import AssistantMessage, SideOutcome
from simlab.core.record import IntentKind
from simlab.sim.books import Books
from simlab.sim.capacity import Slots, Ticket
from simlab.sim.clock import MODEL, Clock, rank
from simlab.sim.laws import Law
from simlab.sim.model import MockedModel, Planned
from simlab.sim.streams import Draws


@dataclass(slots=True)
class _Call:
    """A call in the room: waiting for a place or running. ``since_ms`` is when it got its place.

    ``number`` counts side sessions in the order in which they began, which is the order of those that end together.
    """

    planned: Planned
    side: c.StartSide | None = None
    number: int = 0
    since_ms: int | None = None
    ticket: Ticket | None = None
    gone: bool = False


class ModelRoom:
    """Runs model calls in virtual time and feeds their ends to the agent through ``tell``.

    Thinking is a stream item of its own: its end is told where ``thinking_share`` of the output is (0: not told).
    """

    __slots__ = ("_acknowledge", "_acknowledge_usd", "_books", "_call_count", "_clock", "_draws", "_main",
                 "_message_count", "_side_count", "_sides", "_slots", "_tell", "_thinking_share", "call_index",
                 "finished", "model")  # fmt: skip

    def __init__(
        self,
        *,
        clock: Clock,
        model: MockedModel,
        books: Books,
        draws: Draws,
        tell: Callable[[i.Input], None],
        finished: Callable[[str], None],
        capacity: int | None,
        acknowledge: Law,
        acknowledge_usd: float = 0.0,
        thinking_share: float,
    ) -> None:
        """``thinking_share`` is where a stream item ends within the output (0: nobody asks for stream items)."""
        self._clock = clock
        self.model = model
        self._books = books
        self._draws = draws
        self._tell = tell
        self.finished = finished
        self._slots = Slots(clock.env, capacity) if capacity is not None else None
        self._acknowledge = acknowledge
        self._acknowledge_usd = acknowledge_usd
        self._thinking_share = thinking_share
        self._main: _Call | None = None
        self._sides: dict[str, _Call] = {}
        self._message_count = 0
        self._side_count = 0
        self._call_count = 0
        self.call_index: dict[str, int] = {}

    # --- the main model ---------------------------------------------------------------------------------------------

    def begin(self, command: c.CallModel, *, anything_open: bool) -> None:
        """Begin a main call: as soon as there is a place."""
        planned = self.model.begin(
            command.messages, command.length, command.epoch, command.generation, self._clock.now_ms
        )
        record = planned.record
        self._books.record.model_calls.append(record)
        record.synchronous = not planned.speech.missing and not anything_open
        if planned.speech.missing:
            self._books.decision_points(planned.speech.missing, command.generation)
        call = self._main = _Call(planned)
        self._take_place(call)

    def _take_place(self, call: _Call) -> None:
        if self._slots is None:
            self._run(call)
        else:
            call.ticket = self._slots.acquire(lambda: self._run(call))

    def _run(self, call: _Call) -> None:
        call.since_ms = self._clock.now_ms
        order = rank(MODEL, call.number)
        if self._thinking_share > 0 and call.side is None:
            planned = call.planned
            thinking_ms = planned.silent_ms + self._thinking_share * (planned.total_ms - planned.silent_ms)
            self._clock.after(round(thinking_ms), MODEL, self._item_ends, call)
        self._clock.after(call.planned.total_ms, order, self._ends, call)

    def _item_ends(self, call: _Call) -> None:
        if not call.gone:
            self._tell(i.StreamItem(generation=call.planned.record.generation, index=0))

    def _ends(self, call: _Call) -> None:
        if call.gone:
            return
        self._leave(call, kept=True)
        if call.side is not None:
            self._side_ends(call, call.side)
            return
        self._main = None
        planned = call.planned
        call_ids = self._call_ids(len(planned.speech.calls))
        message = self.model.message(planned, self._message_id(), call_ids)
        for task_id in self._books.said(message, self.model.reading):
            self.finished(task_id)
        if planned.speech.faults is not None:
            self._books.went_wrong(planned.speech, call_ids)
        record = planned.record
        self._tell(i.ModelFinished(record.generation, message, record.output_tokens))

    def _message_id(self) -> str:
        self._message_count += 1
        return f"m{self._message_count}"

    def _call_ids(self, count: int) -> list[str]:
        ids = []
        for _ in range(count):
            self._call_count += 1
            call_id = f"c{self._call_count}"
            self.call_index[call_id] = self._call_count
            ids.append(call_id)
        return ids

    def _leave(self, call: _Call, *, kept: bool, at_ms: int | None = None) -> None:
        """A call is over (now, unless ``at_ms`` says when): free its place, count its tokens, price it."""
        call.gone = True
        if call.ticket is not None and self._slots is not None:
            self._slots.release(call.ticket)
        record = call.planned.record
        now_ms = record.ended_ms = self._clock.now_ms if at_ms is None else at_ms
        record.kept = kept
        record.output_tokens = call.planned.tokens_after(now_ms - call.since_ms) if call.since_ms is not None else 0
        self.model.bill(record)

    def cancel(self, command: c.CancelModel) -> None:
        """Stop the main call; what may be kept of it goes back with the answer."""
        call = self._main
        assert call is not None
        self._main = None
        self._leave(call, kept=False)
        tokens = call.planned.record.output_tokens
        partial = None
        if command.partial is not c.Partial.DISCARD and tokens > 0:
            call.planned.record.kept = True
            partial = AssistantMessage(id=self._message_id(), tokens=tokens, cut=True)
        stopped = i.ModelStopped(generation=command.generation, output_tokens=tokens, partial=partial)
        self._clock.after(0, MODEL, self._tell, stopped)

    # --- side sessions ----------------------------------------------------------------------------------------------

    def begin_side(self, command: c.StartSide) -> None:
        """Begin a side session, or send a holding reply (which needs no place: a small model of its own)."""
        if command.kind is c.SideKind.ACKNOWLEDGE:
            delay_ms = round(self._acknowledge.quantile(self._draws.uniform("acknowledge", command.event.id)))
            self._books.record.acknowledge_cost_usd += self._acknowledge_usd
            delay_ms = delay_ms if command.limit_ms is None else min(delay_ms, command.limit_ms)
            self._clock.after(delay_ms, MODEL, self._acknowledged, command)
            return
        planned = self.model.begin_side(command.messages, command.event.id, self._clock.now_ms)
        self._books.record.model_calls.append(planned.record)
        self._side_count += 1
        call = self._sides[command.session_id] = _Call(planned, side=command, number=self._side_count)
        self._take_place(call)

    def _acknowledged(self, command: c.StartSide) -> None:
        self._books.acknowledged(command.event.id)
        reply = AssistantMessage(id=self._message_id())
        self._tell(i.SideEnded(session_id=command.session_id, answer=reply, outcome=SideOutcome.ANSWERED))

    def _side_ends(self, call: _Call, side: c.StartSide) -> None:
        del self._sides[side.session_id]
        event_id = side.event.id
        light = self._books.intents[event_id].kind in (IntentKind.LIGHT, IntentKind.NOTICE)
        self._books.side_answered(event_id, for_main=not light)
        tokens = call.planned.record.output_tokens
        answer = AssistantMessage(id=self._message_id(), tokens=tokens, says=(f"answer:{event_id}",))
        outcome = SideOutcome.ANSWERED if light else SideOutcome.FOR_MAIN
        self._tell(i.SideEnded(session_id=side.session_id, answer=answer, outcome=outcome, output_tokens=tokens))

    def close(self, at_ms: int) -> None:
        """The run is over: price what was still under way then."""
        for call in (self._main, *self._sides.values()):
            if call is not None:
                self._leave(call, kept=False, at_ms=at_ms)
