"""Reads the lanes of a run off its record: one walk over the trace, and the books for what tools really did."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from simlab.analysis.lanes import Counter, Flow, LaneKind, Lanes, Mark, MarkKind, Slice
from simlab.core import commands as c
from simlab.core import inputs as i
from simlab.core.messages import (
    AssistantMessage,
    EventMessage,
    LateResultMessage,
    Message,
    NoticeMessage,
    PlaceholderMessage,
    ResultMessage,
    SideMessage,
    SideOutcome,
)
from simlab.core.record import Effect, ModelCall, RunOutcome, RunRecord, ToolRun


def lanes_of(record: RunRecord) -> Lanes:
    """Read the lanes of a run off its record."""
    scan = _Scan(tools={run.call_id: run.tool for run in record.tool_runs}, calls=_main_calls(record))
    for at_ms, happened in record.trace.records:
        scan.take(at_ms, happened)
    scan.close(record.ended_ms)
    slices = [*scan.slices, *(_tool_slice(run, record.ended_ms) for run in record.tool_runs)]
    marks = [*scan.marks, *map(_effect_mark, record.effects)]
    return Lanes(
        scenario=record.scenario,
        strategy=record.strategy,
        router=record.router,
        seed=record.seed,
        replication=record.replication,
        ended_ms=record.ended_ms,
        slices=tuple(sorted(slices, key=lambda each: (each.start_ms, each.end_ms, each.ident))),
        marks=tuple(sorted(marks, key=lambda each: each.at_ms)),
        flows=tuple(scan.flows),
        counters=(
            Counter(name="backlog", unit="events", values=_steps(scan.waiting)),
            Counter(name="open calls", unit="calls", values=_steps(scan.open_calls)),
            Counter(name="trajectory", unit="messages", values=_steps(scan.messages)),
            Counter(name="input of the model", unit="tokens", values=_steps(scan.tokens)),
        ),
    )


@dataclass(slots=True, kw_only=True)
class _Open:
    """Something that has begun: an event that waits, a verdict, a call or a session."""

    start_ms: int
    label: str


@dataclass(slots=True, kw_only=True)
class _Scan:
    """Walks over the trace once."""

    tools: Mapping[str, str]
    calls: Mapping[int, ModelCall]
    slices: list[Slice] = field(default_factory=list)
    marks: list[Mark] = field(default_factory=list)
    flows: list[Flow] = field(default_factory=list)
    waiting: list[tuple[int, int]] = field(default_factory=lambda: [(0, 0)])
    open_calls: list[tuple[int, int]] = field(default_factory=lambda: [(0, 0)])
    messages: list[tuple[int, int]] = field(default_factory=lambda: [(0, 0)])
    tokens: list[tuple[int, int]] = field(default_factory=lambda: [(0, 0)])
    _inbox: dict[str, _Open] = field(default_factory=dict)
    _routing: dict[str, _Open] = field(default_factory=dict)
    _model: dict[int, _Open] = field(default_factory=dict)
    _side: dict[str, _Open] = field(default_factory=dict)
    _read: list[tuple[str, int, int]] = field(default_factory=list)
    _length: int = 0
    _open_ids: set[str] = field(default_factory=set)

    def take(self, at_ms: int, happened: i.Input | c.Command) -> None:
        """Take one record of the trace."""
        tell = _HANDLERS.get(type(happened))
        if tell is not None:
            tell(self, at_ms, happened)

    def close(self, ended_ms: int) -> None:
        """End what the end of the run cut."""
        for event_id in list(self._inbox):
            self._leave(ended_ms, event_id, "never read")
        for event_id in list(self._routing):
            self.end_routing(ended_ms, event_id, "none")
        for generation in list(self._model):
            self.end_call(ended_ms, generation, "cut by the end of the run")
        for session_id in list(self._side):
            self.end_side(ended_ms, session_id, None)
        self._read_by(ended_ms, None)

    # --- inbox and router

    def arrive(self, at_ms: int, event_id: str, label: str) -> None:
        if event_id not in self._inbox:
            self._inbox[event_id] = _Open(start_ms=at_ms, label=label)
            self.waiting.append((at_ms, len(self._inbox)))
            self._mark(MarkKind.ARRIVAL, LaneKind.INBOX, event_id, at_ms, event_id)

    def _leave(self, at_ms: int, event_id: str, state: str) -> _Open | None:
        opened = self._inbox.pop(event_id, None)
        if opened is not None:
            self.waiting.append((at_ms, len(self._inbox)))
            self.slices.append(
                Slice(
                    kind=LaneKind.INBOX,
                    ident=event_id,
                    label=event_id,
                    start_ms=opened.start_ms,
                    end_ms=at_ms,
                    state=state,
                    facts={"type": opened.label},
                )
            )
        return opened

    def turn_away(self, at_ms: int, event_id: str, kind: MarkKind, reason: str) -> None:
        self._leave(at_ms, event_id, kind.value)
        self._mark(kind, LaneKind.INBOX, event_id, at_ms, f"{kind}: {reason}")

    def start_routing(self, at_ms: int, event_id: str) -> None:
        self._routing[event_id] = _Open(start_ms=at_ms, label=event_id)

    def end_routing(self, at_ms: int, event_id: str, handling: str) -> None:
        opened = self._routing.pop(event_id, None)
        if opened is not None:
            self.slices.append(
                Slice(
                    kind=LaneKind.ROUTER,
                    ident=event_id,
                    label=f"{event_id}: {handling}",
                    start_ms=opened.start_ms,
                    end_ms=at_ms,
                    state=handling,
                )
            )

    # --- model and side sessions

    def call(self, at_ms: int, generation: int) -> None:
        self._model[generation] = _Open(start_ms=at_ms, label=f"call {generation}")
        self.safe_point(at_ms, "before_call")
        if generation in self.calls:
            self.tokens.append((at_ms, self.calls[generation].input_tokens))
        self._read_by(at_ms, generation)

    def told_to_stop(self, at_ms: int, lane: LaneKind, ident: str) -> None:
        self._mark(MarkKind.CANCEL, lane, ident, at_ms, ident)

    def _read_by(self, at_ms: int, generation: int | None) -> None:
        """Everything that was appended since the last call is read by this one."""
        for event_id, arrived_ms, consumed_ms in self._read:
            if generation is not None:
                self.flows.append(
                    Flow(
                        event_id=event_id,
                        arrived_ms=arrived_ms,
                        consumed_ms=consumed_ms,
                        consumer=LaneKind.MODEL,
                        to=str(generation),
                        read_ms=at_ms,
                    )
                )
        self._read.clear()

    def end_call(self, at_ms: int, generation: int, state: str) -> None:
        opened = self._model.pop(generation, None)
        if opened is None:
            return
        call = self.calls.get(generation)
        facts: dict[str, str | int | float] = {}
        if call is not None:
            facts = {
                "input_tokens": call.input_tokens,
                "cached_tokens": call.cached_tokens,
                "output_tokens": call.output_tokens,
                "cost_usd": call.cost_usd,
            }
        self.slices.append(
            Slice(
                kind=LaneKind.MODEL,
                ident=str(generation),
                label=opened.label,
                start_ms=opened.start_ms,
                end_ms=at_ms,
                state=state,
                wasted=state == "discarded",
                facts=facts,
            )
        )

    def start_side(self, at_ms: int, session_id: str, event_id: str, *, answers: bool) -> None:
        self._side[session_id] = _Open(start_ms=at_ms, label=f"{'answer' if answers else 'holding reply'} {event_id}")
        opened = self._inbox.get(event_id)
        if answers and opened is not None:
            self._leave(at_ms, event_id, "to the side")
            self.flows.append(
                Flow(
                    event_id=event_id,
                    arrived_ms=opened.start_ms,
                    consumed_ms=at_ms,
                    consumer=LaneKind.SIDE,
                    to=session_id,
                    read_ms=at_ms,
                )
            )

    def end_side(self, at_ms: int, session_id: str, outcome: SideOutcome | None) -> None:
        opened = self._side.pop(session_id, None)
        if opened is not None:
            self.slices.append(
                Slice(
                    kind=LaneKind.SIDE,
                    ident=session_id,
                    label=opened.label,
                    start_ms=opened.start_ms,
                    end_ms=at_ms,
                    state=outcome.value.replace("_", " ") if outcome else "cut by the end of the run",
                )
            )

    # --- trajectory

    def cut(self, at_ms: int, length: int) -> None:
        self._length = length
        self.messages.append((at_ms, length))
        self._mark(MarkKind.REWIND, LaneKind.AGENT, "", at_ms, f"cut to {length} messages")

    def insert(self, at_ms: int, message: Message) -> None:
        self._length += 1
        self.messages.append((at_ms, self._length))
        self.write(at_ms, message)

    def append(self, at_ms: int, message: Message) -> None:
        self._length += 1
        self.messages.append((at_ms, self._length))
        self.write(at_ms, message)
        match message:
            case AssistantMessage(calls=calls):
                self._open_ids = {call.id for call in calls}
                self.open_calls.append((at_ms, len(self._open_ids)))
                self.safe_point(at_ms, "message_closed" if calls else "turn_closed")
            case ResultMessage(call_id=call_id):
                self._close(at_ms, call_id)
                self.safe_point(at_ms, "tool_closed" if self._open_ids else "round_closed")
            case PlaceholderMessage(call_id=call_id):
                self._close(at_ms, call_id)
            case _:
                pass

    def _close(self, at_ms: int, call_id: str) -> None:
        self._open_ids.discard(call_id)
        self.open_calls.append((at_ms, len(self._open_ids)))

    def write(self, at_ms: int, message: Message) -> None:
        match message:
            case EventMessage(events=events):
                for event in events:
                    self._consume(at_ms, event.id)
            case SideMessage(event=event):
                self._consume(at_ms, event.id)
            case LateResultMessage(event=event, call_id=call_id):
                self._consume(at_ms, event.id)
                self._mark(MarkKind.LATE_RESULT, LaneKind.TOOL, call_id, at_ms, f"late result of {call_id}")
            case PlaceholderMessage(call_id=call_id, state=state):
                self._mark(MarkKind.PLACEHOLDER, LaneKind.TOOL, call_id, at_ms, f"placeholder of {call_id}: {state}")
            case NoticeMessage(call_id=call_id, state=state):
                self._mark(MarkKind.NOTICE, LaneKind.TOOL, call_id, at_ms, f"notice of {call_id}: {state}")
            case _:
                pass

    def _consume(self, at_ms: int, event_id: str) -> None:
        opened = self._leave(at_ms, event_id, "read")
        if opened is not None:
            self._read.append((event_id, opened.start_ms, at_ms))

    def safe_point(self, at_ms: int, name: str) -> None:
        self._mark(MarkKind.SAFE_POINT, LaneKind.AGENT, name, at_ms, name)

    def _mark(self, kind: MarkKind, lane: LaneKind, ident: str, at_ms: int, label: str) -> None:
        lane_name = self.tools.get(ident, "not started") if lane is LaneKind.TOOL else ""
        self.marks.append(Mark(kind=kind, lane=lane, lane_name=lane_name, ident=ident, at_ms=at_ms, label=label))


def _route(scan: _Scan, at_ms: int, command: c.Route) -> None:
    scan.arrive(at_ms, command.event.id, command.event.type.value)
    scan.start_routing(at_ms, command.event.id)


def _rewind(scan: _Scan, at_ms: int, command: c.Rewind) -> None:
    scan.cut(at_ms, command.length)


def _drop(scan: _Scan, at_ms: int, command: c.Drop) -> None:
    for event_id in command.event_ids:
        scan.turn_away(at_ms, event_id, MarkKind.DROPPED, command.reason)


_HANDLERS: Final[Mapping[type[Any], Callable[[_Scan, int, Any], None]]] = {
    i.EventArrived: lambda scan, at_ms, item: scan.arrive(at_ms, item.event.id, item.event.type.value),
    i.Routed: lambda scan, at_ms, item: scan.end_routing(at_ms, item.event_id, item.verdict.handling.value),
    i.ModelFinished: lambda scan, at_ms, item: scan.end_call(at_ms, item.generation, "recorded"),
    i.ModelStopped: lambda scan, at_ms, item: scan.end_call(
        at_ms, item.generation, "discarded" if item.partial is None else "cut short"
    ),
    i.SideEnded: lambda scan, at_ms, item: scan.end_side(at_ms, item.session_id, item.outcome),
    c.Route: _route,
    c.CallModel: lambda scan, at_ms, command: scan.call(at_ms, command.generation),
    c.CancelModel: lambda scan, at_ms, command: scan.told_to_stop(at_ms, LaneKind.MODEL, str(command.generation)),
    c.CancelTool: lambda scan, at_ms, command: scan.told_to_stop(at_ms, LaneKind.TOOL, command.call_id),
    c.StartSide: lambda scan, at_ms, command: scan.start_side(
        at_ms, command.session_id, command.event.id, answers=command.kind is c.SideKind.ANSWER
    ),
    c.Append: lambda scan, at_ms, command: scan.append(at_ms, command.message),
    c.Replace: lambda scan, at_ms, command: scan.write(at_ms, command.message),
    c.Insert: lambda scan, at_ms, command: scan.insert(at_ms, command.message),
    c.Rewind: _rewind,
    c.Refuse: lambda scan, at_ms, command: scan.turn_away(at_ms, command.event_id, MarkKind.REFUSED, command.reason),
    c.Drop: _drop,
    c.Sleep: lambda scan, at_ms, _: scan.safe_point(at_ms, "idle"),
}


# --- reading the books ------------------------------------------------------------------------------------------------


def _main_calls(record: RunRecord) -> dict[int, ModelCall]:
    return {call.generation: call for call in record.model_calls if not call.side}


def _tool_slice(run: ToolRun, ended_ms: int) -> Slice:
    facts: dict[str, str | int | float] = {"task": run.task_id, "step": run.step}
    if run.committed_ms is not None:
        facts["committed_ms"] = run.committed_ms
    return Slice(
        kind=LaneKind.TOOL,
        lane_name=run.tool,
        ident=run.call_id,
        label=run.call_id,
        start_ms=run.started_ms,
        end_ms=ended_ms if run.stopped_ms is None else run.stopped_ms,
        state=run.outcome.value,
        wasted=run.outcome in {RunOutcome.CANCELLED, RunOutcome.FAILED, RunOutcome.TIMED_OUT},
        facts=facts,
    )


def _effect_mark(effect: Effect) -> Mark:
    notes = {
        "mistaken": effect.mistaken,
        "after its correction": effect.after_correction,
        "again": effect.duplicate,
        "invented": effect.invented,
    }
    said = ", ".join(note for note, holds in notes.items() if holds)
    return Mark(
        kind=MarkKind.BAD_EFFECT if said else MarkKind.EFFECT,
        lane=LaneKind.WORLD,
        ident=effect.call_id,
        at_ms=effect.at_ms,
        label=f"{effect.call_id} {effect.step}" + (f" ({said})" if said else ""),
    )


def _steps(changes: list[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    """Keep the last value of each instant, and an instant only if it changes anything."""
    last = dict(changes)
    kept: list[tuple[int, int]] = []
    for at_ms, value in sorted(last.items()):
        if not kept or kept[-1][1] != value:
            kept.append((at_ms, value))
    return tuple(kept)
