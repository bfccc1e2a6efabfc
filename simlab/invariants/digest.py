"""One pass over a trace: what the invariants look at, gathered by call, by event and by message.

What can only be told from the order of two records (a start after a signal, a call before the turn before it has
ended) is noted while the pass is made, as a ``Slip``; everything else is gathered and judged afterwards.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
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
from simlab.core.trace import Record


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
    later: Sequence[Written] = ()
    rewound: bool = False
    patched: bool = False

    @property
    def is_plain(self) -> bool:
        """Whether it was issued once, started at most once, and closed once, by the result with which it had ended.

        Nothing can be amiss with such a call; nearly all are plain.
        """
        if len(self.closings) != 1 or self.later or self.rewound or self.ended_ms is None:
            return False
        (closing,) = self.closings
        message = closing.message
        return (
            type(message) is ResultMessage
            and message.result is self.result
            and self.ended_ms <= closing.at_ms
            and self.times_issued == 1
            and len(self.started) <= 1
        )


@dataclass(slots=True)
class EventFacts:
    """What happened to one event.

    ``number`` is its place in the order of arrival; ``aside``: a side session took it.
    """

    event_id: str
    source: str
    type: EventType
    urgent: bool
    arrived_ms: int
    number: int
    late: bool
    routed_ms: int | None = None
    handling: Handling | None = None
    aside: bool = False
    consumed: list[tuple[int, int, bool]] = field(default_factory=list)
    dropped: int = 0
    refused: int = 0
    dropped_ms: int | None = None

    @property
    def count(self) -> int:
        """How many times it was handled: appended, dropped or refused."""
        return len(self.consumed) + self.dropped + self.refused


@dataclass(slots=True)
class ModelFacts:
    """One main model call. ``output_tokens`` are those with which it ended, ``message_id`` what it ended with.

    ``kept``: it was not stopped, or what it had said by then may be kept. ``without_news`` counts the calls up to this
    one since something other than an assistant message was written.
    """

    generation: int
    began_ms: int
    length: int
    ended_ms: int | None = None
    kept: bool = False
    open_at_start: tuple[str, ...] = ()
    output_tokens: int = 0
    message_id: str | None = None
    without_news: int = 0


class SlipKind(StrEnum):
    """What only the order of two records can show."""

    TIME = "time ran backwards"
    TURN = "a turn began before the one before it was over"
    PREFIX = "the model was not called on the trajectory as it stood"
    PLACE = "a message was not appended at the end"
    STRANGER = "an event was consumed that never arrived"
    DISCARDED_START = "a tool of a discarded message was started"
    CLOSED_START = "a tool was started although its call is closed"
    EAGER_START = "a tool was started between an interrupt and the next model call"


@dataclass(slots=True)
class Slip:
    """One record that does not fit what stands before it. ``subject`` is the id of its call or event, if any."""

    kind: SlipKind
    at_ms: int
    subject: str | None = None
    message_index: int | None = None


class Digest:
    """What a trace says, sorted by subject. Built once for each run and read by every invariant.

    ``records`` are those to read (None: the whole trace); more can be read later, one at a time.
    """

    __slots__ = (
        "_asleep",
        "_interrupted",
        "_odd_calls",
        "_place",
        "_turn",
        "calls",
        "changes",
        "drops",
        "events",
        "finished_messages",
        "idle_at_end",
        "idle_since_ms",
        "idles",
        "model_calls",
        "now_ms",
        "open",
        "overlaps",
        "partials",
        "quiet_calls",
        "record",
        "rewound_events",
        "routed",
        "said",
        "slips",
        "strange",
        "trajectory",
        "waits_for_user",
        "written",
    )

    def __init__(self, record: RunRecord, records: Iterable[Record] | None = None) -> None:
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
        self.routed: list[EventFacts] = []
        self.trajectory: list[Message] = []
        self.open: dict[str, None] = {}
        self.waits_for_user = False
        self.idle_at_end = True
        self.idles: list[tuple[int, int]] = []
        self.idle_since_ms: int | None = 0
        self.quiet_calls = 0
        self.said: list[str] = []
        self.slips: list[Slip] = []
        self.now_ms = 0
        self._asleep = True
        self._interrupted = False
        self._turn = 0
        self._place = -1
        self._odd_calls: Sequence[CallFacts] | None = None
        self.read(record.trace.records if records is None else records)

    def read(self, records: Iterable[Record]) -> None:
        """Read on."""
        self._odd_calls = None
        reads, now_ms, place = _READS, self.now_ms, self._place
        for at_ms, item in records:
            place += 1
            if at_ms != now_ms:
                if at_ms < now_ms:
                    self.slips.append(Slip(SlipKind.TIME, at_ms))
                now_ms = at_ms
            read = reads.get(type(item))
            if read is not None:
                read(self, at_ms, item, place)
        self.now_ms, self._place = now_ms, place

    @property
    def odd_calls(self) -> Sequence[CallFacts]:
        """The calls that did not take the plain course, in order."""
        if self._odd_calls is None:
            self._odd_calls = [call for call in self.calls.values() if not call.is_plain]
        return self._odd_calls

    def slipped(self, kind: SlipKind) -> Iterator[Slip]:
        """Return the slips of a kind, in order."""
        return (slip for slip in self.slips if slip.kind is kind) if self.slips else iter(())

    # --- inputs -----------------------------------------------------------------------------------------------------

    def _arrived(self, at_ms: int, item: i.EventArrived, _place: int) -> None:
        self._meet(item.event, at_ms)

    def _meet(self, event: Event, at_ms: int) -> EventFacts:
        before = self.events.get(event.id)
        if before is not None and before.count != before.refused:
            return before  # sent again although it had been accepted: what became of it stays on the record
        late = event.id.startswith("late:")
        facts = EventFacts(event.id, event.source, event.type, event.urgent, at_ms, len(self.events), late)
        self.events[event.id] = facts
        return facts

    def _routed(self, at_ms: int, item: i.Routed, _place: int) -> None:
        event = self.events.get(item.event_id)
        if event is None:
            self.slips.append(Slip(SlipKind.STRANGER, at_ms, item.event_id))
            return
        event.routed_ms = at_ms
        event.handling = item.verdict.handling
        self.routed.append(event)

    def _model_finished(self, at_ms: int, item: i.ModelFinished, _place: int) -> None:
        self.finished_messages.add(item.message.id)
        if self.model_calls:
            call = self.model_calls[-1]
            call.ended_ms = at_ms
            call.kept = True
            call.output_tokens = item.output_tokens
            call.message_id = item.message.id

    def _model_stopped(self, at_ms: int, item: i.ModelStopped, _place: int) -> None:
        if item.partial is not None:
            self.partials.add(item.partial.id)
        if self.model_calls:
            call = self.model_calls[-1]
            call.ended_ms = at_ms
            call.kept = item.partial is not None
            call.output_tokens = item.output_tokens

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

    def _call_model(self, at_ms: int, item: c.CallModel, _place: int) -> None:
        self.quiet_calls += 1
        facts = ModelFacts(
            item.generation, at_ms, item.length, open_at_start=tuple(self.open), without_news=self.quiet_calls
        )
        if self.model_calls and self.model_calls[-1].ended_ms is None:
            self.overlaps.append(facts)
        self.model_calls.append(facts)
        if item.turn != self._turn and not self._asleep:
            self.slips.append(Slip(SlipKind.TURN, at_ms))
        if item.length != len(self.trajectory):
            self.slips.append(Slip(SlipKind.PREFIX, at_ms, message_index=item.length))
        if self.idle_since_ms is not None:
            self.idles.append((self.idle_since_ms, at_ms))
            self.idle_since_ms = None
        self._turn = item.turn
        self._asleep = self._interrupted = self.idle_at_end = self.waits_for_user = False

    def _start_side(self, _at_ms: int, item: c.StartSide, _place: int) -> None:
        if item.kind is c.SideKind.ANSWER and (event := self.events.get(item.event.id)) is not None:
            event.aside = True

    def _cancel_model(self, _at_ms: int, _item: c.CancelModel, _place: int) -> None:
        self._interrupted = True

    def _start_tool(self, at_ms: int, item: c.StartTool, _place: int) -> None:
        call_id = item.call.id
        call = self.calls.get(call_id)
        if call is None or call.rewound:
            self.slips.append(Slip(SlipKind.DISCARDED_START, at_ms, call_id))
        else:
            call.started.append(at_ms)
            if call.closings:
                self.slips.append(Slip(SlipKind.CLOSED_START, at_ms, call_id, call.message_index))
        if self._interrupted:
            self.slips.append(Slip(SlipKind.EAGER_START, at_ms, call_id))

    def _cancel_tool(self, at_ms: int, item: c.CancelTool, _place: int) -> None:
        self._interrupted = True
        if (call := self.calls.get(item.call_id)) is not None:
            call.cancel_ms = at_ms

    def _append(self, at_ms: int, item: c.Append, place: int) -> None:
        index = len(self.trajectory)
        if item.index != index:
            self.slips.append(Slip(SlipKind.PLACE, at_ms, message_index=item.index))
        message = item.message
        written = Written(at_ms, index, message, place)
        if self.open:
            written.open_before = tuple(self.open)
        self.written.append(written)
        if type(message) is not AssistantMessage:
            self.quiet_calls = 0
        _WRITES[type(message)](self, message, written)
        self.trajectory.append(message)

    def _replace(self, at_ms: int, item: c.Replace, place: int) -> None:
        self.changes.append((at_ms, item))
        self.quiet_calls = 0
        written = Written(at_ms, item.index, item.message, place)
        if item.index >= len(self.trajectory):
            self.slips.append(Slip(SlipKind.PLACE, at_ms, message_index=item.index))
            return
        self.trajectory[item.index] = item.message
        match item.message:
            case LateResultMessage():
                self._write_late(item.message, written)
            case NoticeMessage():
                self._write_notice(item.message, written)
            case PlaceholderMessage(call_id=call_id):
                self._later(call_id, written)
            case _:
                pass

    def _insert(self, at_ms: int, item: c.Insert, place: int) -> None:
        self.changes.append((at_ms, item))
        written = Written(at_ms, item.index, item.message, place)
        self.trajectory.insert(item.index, item.message)
        if isinstance(item.message, PlaceholderMessage):
            self._close(item.message.call_id, written)
            if (call := self.calls.get(item.message.call_id)) is not None:
                call.patched = True

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

    def _refuse(self, at_ms: int, item: c.Refuse, _place: int) -> None:
        facts = self.events.get(item.event_id)
        if facts is None:
            self.slips.append(Slip(SlipKind.STRANGER, at_ms, item.event_id))
        else:
            facts.refused += 1

    def _sleep(self, at_ms: int, item: c.Sleep, _place: int) -> None:
        self.idle_at_end = self._asleep = True
        self.waits_for_user = item.waits_for_user
        self.idle_since_ms = None if item.waits_for_user else at_ms

    # --- messages ---------------------------------------------------------------------------------------------------

    def _write_closing(self, message: ResultMessage | PlaceholderMessage, written: Written) -> None:
        self._close(message.call_id, written)

    def _write_assistant(self, message: AssistantMessage, written: Written) -> None:
        self.said.append(message.id)
        for call in message.calls:
            self._issue(call.id, call.tool, written)

    def _write_events(self, message: EventMessage, written: Written) -> None:
        for event in message.events:
            self._consume(event.id, written.at_ms, written.place, aside=False)
            self._interrupted = self._interrupted or event.urgent

    def _write_side(self, message: SideMessage, written: Written) -> None:
        self._consume(message.event.id, written.at_ms, written.place, aside=True)

    def _write_late(self, message: LateResultMessage, written: Written) -> None:
        self._consume(message.event.id, written.at_ms, written.place, aside=False)
        self._later(message.call_id, written)

    def _write_notice(self, message: NoticeMessage, written: Written) -> None:
        self._later(message.call_id, written)
        if (facts := self.events.get(f"late:{message.call_id}")) is not None:
            facts.consumed.append((written.at_ms, written.place, False))

    def _issue(self, call_id: str, tool: str, written: Written) -> None:
        call = self.calls.get(call_id)
        if call is None:
            self.calls[call_id] = CallFacts(call_id, tool, written.index, written.at_ms)
        else:
            call.times_issued += 1
        self.open[call_id] = None

    def _close(self, call_id: str, written: Written) -> None:
        self.open.pop(call_id, None)
        call = self.calls.get(call_id)
        if call is None or call.rewound:
            self.strange.append(written)
        else:
            call.closings.append(written)

    def _later(self, call_id: str, written: Written) -> None:
        call = self.calls.get(call_id)
        if call is None or call.rewound:
            self.strange.append(written)
        else:
            call.later = (*call.later, written)

    def _consume(self, event_id: str, at_ms: int, place: int, *, aside: bool) -> None:
        facts = self.events.get(event_id)
        if facts is None:
            self.slips.append(Slip(SlipKind.STRANGER, at_ms, event_id))
        else:
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
    c.CancelModel: Digest._cancel_model,
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
