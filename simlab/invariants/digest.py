"""One pass over a trace: what the invariants look at, gathered by call, by event and by message."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from simlab.core import commands as c
from simlab.core import inputs as i
from simlab.core.events import Event, EventType, Handling
from simlab.core.messages import (
    AssistantMessage,
    EventMessage,
    LateResultMessage,
    Message,
    NoticeMessage,
    PlaceholderMessage,
    PlaceholderState,
    ResultMessage,
    SideMessage,
    ToolResult,
)
from simlab.core.record import RunRecord


@dataclass(slots=True)
class Written:
    """One message as it was written: when, where, and which calls were open just before."""

    at_ms: int
    index: int
    message: Message
    place: int
    open_before: tuple[str, ...] = ()


@dataclass(slots=True)
class CallFacts:
    """What happened to one call. Times are milliseconds, ``None``: it did not happen. ``place`` is the record."""

    call_id: str
    tool: str
    message_index: int
    at_ms: int
    times_issued: int = 1
    started: list[int] = field(default_factory=list)
    ended_ms: int | None = None
    result: ToolResult | None = None
    acknowledged: PlaceholderState | None = None
    cancel_ms: int | None = None
    closings: list[Written] = field(default_factory=list)
    later: list[Written] = field(default_factory=list)
    rewound: bool = False
    patched: bool = False
    after_it: int = 0


@dataclass(slots=True)
class EventFacts:
    """What happened to one event. ``number`` is its place in the order of arrival."""

    event_id: str
    source: str
    type: EventType
    urgent: bool
    arrived_ms: int
    number: int
    late: bool
    routed_ms: int | None = None
    handling: Handling | None = None
    consumed: list[tuple[int, int, bool]] = field(default_factory=list)
    dropped: int = 0
    refused: int = 0
    aside: bool = False
    dropped_ms: int | None = None


@dataclass(slots=True)
class ModelFacts:
    """One main model call. ``without_news`` counts the calls up to this one since something other was written."""

    generation: int
    began_ms: int
    length: int
    ended_ms: int | None = None
    stopped: bool = False
    open_at_start: tuple[str, ...] = ()
    without_news: int = 0


class Digest:
    """What a trace says, sorted by subject. Built once for each run and read by every invariant."""

    __slots__ = (
        "calls",
        "changes",
        "drops",
        "events",
        "finished_messages",
        "idle_at_end",
        "idle_since_ms",
        "idles",
        "model_calls",
        "open",
        "overlaps",
        "partials",
        "quiet_calls",
        "record",
        "rewound_events",
        "strange",
        "trajectory",
        "waits_for_user",
        "written",
    )

    def __init__(self, record: RunRecord) -> None:
        self.record = record
        self.calls: dict[str, CallFacts] = {}
        self.events: dict[str, EventFacts] = {}
        self.model_calls: list[ModelFacts] = []
        self.written: list[Written] = []
        self.changes: list[tuple[int, c.Command]] = []
        self.drops: list[tuple[int, c.Drop]] = []
        self.strange: list[Written] = []
        self.overlaps: list[ModelFacts] = []
        self.finished_messages: set[str] = set()
        self.partials: set[str] = set()
        self.rewound_events: set[str] = set()
        self.trajectory: list[Message] = []
        self.open: dict[str, None] = {}
        self.waits_for_user = False
        self.idle_at_end = True
        self.idles: list[tuple[int, int]] = []
        self.idle_since_ms: int | None = 0
        self.quiet_calls = 0
        reads = _READS
        for place, (at_ms, item) in enumerate(record.trace.records):
            read = reads.get(type(item))
            if read is not None:
                read(self, at_ms, item, place)

    # --- inputs -----------------------------------------------------------------------------------------------------

    def _arrived(self, at_ms: int, item: i.EventArrived, _place: int) -> None:
        self._meet(item.event, at_ms)

    def _meet(self, event: Event, at_ms: int) -> EventFacts:
        late = event.id.startswith("late:")
        facts = EventFacts(event.id, event.source, event.type, event.urgent, at_ms, len(self.events), late)
        self.events[event.id] = facts
        return facts

    def _routed(self, at_ms: int, item: i.Routed, _place: int) -> None:
        self.events[item.event_id].routed_ms = at_ms
        self.events[item.event_id].handling = item.verdict.handling

    def _model_finished(self, at_ms: int, item: i.ModelFinished, _place: int) -> None:
        self.finished_messages.add(item.message.id)
        if self.model_calls:
            self.model_calls[-1].ended_ms = at_ms

    def _model_stopped(self, at_ms: int, item: i.ModelStopped, _place: int) -> None:
        if item.partial is not None:
            self.partials.add(item.partial.id)
        if self.model_calls:
            self.model_calls[-1].ended_ms = at_ms
            self.model_calls[-1].stopped = True

    def _tool_ended(self, at_ms: int, item: i.ToolEnded, _place: int) -> None:
        if (call := self.calls.get(item.call_id)) is not None:
            call.ended_ms = at_ms
            call.result = item.result

    def _tool_cancelled(self, at_ms: int, item: i.ToolCancelled, _place: int) -> None:
        if (call := self.calls.get(item.call_id)) is not None:
            call.ended_ms = at_ms
            call.acknowledged = item.state

    # --- commands ---------------------------------------------------------------------------------------------------

    def _route(self, at_ms: int, item: c.Route, _place: int) -> None:
        if item.event.id not in self.events:
            self._meet(item.event, at_ms)

    def _start_side(self, _at_ms: int, item: c.StartSide, _place: int) -> None:
        self.events[item.event.id].aside |= item.kind is c.SideKind.ANSWER

    def _call_model(self, at_ms: int, item: c.CallModel, _place: int) -> None:
        self.quiet_calls += 1
        facts = ModelFacts(
            item.generation, at_ms, item.length, open_at_start=tuple(self.open), without_news=self.quiet_calls
        )
        if self.model_calls and self.model_calls[-1].ended_ms is None:
            self.overlaps.append(facts)
        self.model_calls.append(facts)
        if self.idle_since_ms is not None:
            self.idles.append((self.idle_since_ms, at_ms))
            self.idle_since_ms = None
        self.idle_at_end = self.waits_for_user = False

    def _start_tool(self, at_ms: int, item: c.StartTool, _place: int) -> None:
        if (call := self.calls.get(item.call.id)) is not None:
            call.started.append(at_ms)

    def _cancel_tool(self, at_ms: int, item: c.CancelTool, _place: int) -> None:
        if (call := self.calls.get(item.call_id)) is not None:
            call.cancel_ms = at_ms

    def _append(self, at_ms: int, item: c.Append, place: int) -> None:
        self._write(Written(at_ms, len(self.trajectory), item.message, place))
        self.trajectory.append(item.message)

    def _replace(self, at_ms: int, item: c.Replace, place: int) -> None:
        self.changes.append((at_ms, item))
        self.quiet_calls = 0
        written = Written(at_ms, item.index, item.message, place)
        self.trajectory[item.index] = item.message
        if isinstance(item.message, LateResultMessage):
            self._consume(item.message.event.id, at_ms, place, aside=False)
            self._later(item.message.call_id, written)

    def _insert(self, at_ms: int, item: c.Insert, place: int) -> None:
        self.changes.append((at_ms, item))
        written = Written(at_ms, item.index, item.message, place)
        self.trajectory.insert(item.index, item.message)
        if isinstance(item.message, PlaceholderMessage):
            self._close(item.message.call_id, written)
            self.calls[item.message.call_id].patched = True

    def _rewind(self, at_ms: int, item: c.Rewind, _place: int) -> None:
        self.changes.append((at_ms, item))
        for message in self.trajectory[item.length :]:
            if isinstance(message, AssistantMessage):
                for call in message.calls:
                    self.calls[call.id].rewound = True
                    self.open.pop(call.id, None)
            elif isinstance(message, EventMessage):
                self.rewound_events.update(event.id for event in message.events)
        del self.trajectory[item.length :]

    def _drop(self, at_ms: int, item: c.Drop, _place: int) -> None:
        self.drops.append((at_ms, item))
        for event_id in item.event_ids:
            facts = self.events.get(event_id)
            if facts is not None:
                facts.dropped += 1
                facts.dropped_ms = at_ms

    def _refuse(self, _at_ms: int, item: c.Refuse, _place: int) -> None:
        self.events[item.event_id].refused += 1

    def _sleep(self, at_ms: int, item: c.Sleep, _place: int) -> None:
        self.idle_at_end = True
        self.waits_for_user = item.waits_for_user
        self.idle_since_ms = None if item.waits_for_user else at_ms

    # --- messages ---------------------------------------------------------------------------------------------------

    def _write(self, written: Written) -> None:
        if self.open:
            written.open_before = tuple(self.open)
        self.written.append(written)
        if not isinstance(written.message, AssistantMessage):
            self.quiet_calls = 0
        _WRITES[type(written.message)](self, written.message, written)

    def _write_closing(self, message: ResultMessage | PlaceholderMessage, written: Written) -> None:
        self._close(message.call_id, written)

    def _write_assistant(self, message: AssistantMessage, written: Written) -> None:
        for call in message.calls:
            self._issue(call.id, call.tool, written)

    def _write_events(self, message: EventMessage, written: Written) -> None:
        for event in message.events:
            self._consume(event.id, written.at_ms, written.place, aside=False)

    def _write_side(self, message: SideMessage, written: Written) -> None:
        self._consume(message.event.id, written.at_ms, written.place, aside=True)

    def _write_late(self, message: LateResultMessage, written: Written) -> None:
        self._consume(message.event.id, written.at_ms, written.place, aside=False)
        self._later(message.call_id, written)

    def _write_notice(self, message: NoticeMessage, written: Written) -> None:
        self._later(message.call_id, written)
        self._consume(f"late:{message.call_id}", written.at_ms, written.place, aside=False)

    def _issue(self, call_id: str, tool: str, written: Written) -> None:
        if call_id in self.calls:
            self.calls[call_id].times_issued += 1
        else:
            self.calls[call_id] = CallFacts(call_id, tool, written.index, written.at_ms)
        self.open[call_id] = None

    def _close(self, call_id: str, written: Written) -> None:
        self.open.pop(call_id, None)
        call = self.calls.get(call_id)
        if call is None:
            self.strange.append(written)
        else:
            call.closings.append(written)

    def _later(self, call_id: str, written: Written) -> None:
        call = self.calls.get(call_id)
        if call is None:
            self.strange.append(written)
        else:
            call.later.append(written)

    def _consume(self, event_id: str, at_ms: int, place: int, *, aside: bool) -> None:
        facts = self.events.get(event_id)
        if facts is not None:
            facts.consumed.append((at_ms, place, aside))


_READS: Mapping[type[Any], Callable[[Digest, int, Any, int], None]] = {
    i.EventArrived: Digest._arrived,
    i.Routed: Digest._routed,
    i.ModelFinished: Digest._model_finished,
    i.ModelStopped: Digest._model_stopped,
    i.ToolEnded: Digest._tool_ended,
    i.ToolCancelled: Digest._tool_cancelled,
    c.Route: Digest._route,
    c.CallModel: Digest._call_model,
    c.StartSide: Digest._start_side,
    c.StartTool: Digest._start_tool,
    c.CancelTool: Digest._cancel_tool,
    c.Append: Digest._append,
    c.Replace: Digest._replace,
    c.Insert: Digest._insert,
    c.Rewind: Digest._rewind,
    c.Drop: Digest._drop,
    c.Refuse: Digest._refuse,
    c.Sleep: Digest._sleep,
}

_WRITES: Mapping[type[Any], Callable[[Digest, Any, Written], None]] = {
    ResultMessage: Digest._write_closing,
    PlaceholderMessage: Digest._write_closing,
    AssistantMessage: Digest._write_assistant,
    EventMessage: Digest._write_events,
    SideMessage: Digest._write_side,
    LateResultMessage: Digest._write_late,
    NoticeMessage: Digest._write_notice,
}
