"""A saved conversation with its ground truth, told again as the trace of a run, so that the invariants can judge it.

Messages bear no times, the log does. Both are walked in their own order: what the log says of a call comes behind the
message that makes the call and before the message that closes it. Where the log is silent the record is believed.
Times are places in the trace.
"""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from simlab.check.neutral import Entry, text_of
from simlab.check.readings import claimed_state, is_denied, same_text
from simlab.check.record import EXECUTIONS, Event, Record, is_placeholder
from simlab.core.commands import Append, CallModel, CancelModel, Command, Drop, Partial, Sleep, StartTool
from simlab.core.events import Event as Arrival
from simlab.core.events import EventType, Handling, Verdict
from simlab.core.inputs import EventArrived, Input, ModelFinished, Routed, ToolCancelled, ToolEnded
from simlab.core.messages import (
    AssistantMessage,
    Call,
    EventMessage,
    Message,
    PlaceholderMessage,
    PlaceholderState,
    ResultMessage,
    ToolResult,
)
from simlab.core.record import RunRecord, TaskTruth
from simlab.core.trace import Trace
from simlab.invariants import Breach, check

ENTRIES: Final = ("inbox", "deliver")
DROPS: Final = ("drop", "dropped", "discard", "refuse", "refused")
_QUEUED: Final = Verdict(handling=Handling.QUEUE)


@dataclass(kw_only=True)
class Retold:
    """The trace of a record, and what leads from a breach back to the messages.

    ``where`` maps the time of a closing to the entry that it tells, ``late`` holds the times of starts that came after
    the call's own cancel, ``implied`` those of starts that the log does not time, ``places`` the messages that hold
    each inbox id.
    """

    record: RunRecord
    where: dict[int, Entry] = field(default_factory=dict)
    late: set[int] = field(default_factory=set)
    implied: set[int] = field(default_factory=set)
    places: dict[str, list[int]] = field(default_factory=dict)

    def breaches(self) -> dict[str, list[Breach]]:
        """Return the breaches of the whole catalogue, by invariant."""
        found: dict[str, list[Breach]] = defaultdict(list)
        for breach in check(self.record):
            found[breach.invariant].append(breach)
        return found


def retell(record: Record) -> Retold:
    """Tell a record as a run of one agent."""
    return _Teller(record).tell()


def empty_run(name: str) -> RunRecord:
    """Return a run in which nothing has happened yet."""
    return RunRecord(
        scenario=name, strategy="", router="", seed=0, replication=0, trace=Trace(strategy="", complete=True)
    )


def call_model(turn: int, length: int = 0) -> CallModel:
    """Return a model call of a turn on a trajectory of some length."""
    return CallModel(generation=turn, messages=(), length=length, epoch=0, turn=turn, call_in_turn=1)


class _Teller:
    """``reached`` counts the messages told so far, ``done`` holds the places of the log lines told.

    While the run is ``stopped`` a message behind ``new_from`` (which came in since) is a new run.
    """

    def __init__(self, record: Record) -> None:
        self.told = Retold(record=empty_run("case"))
        self.source = record
        self.size = len(record.messages)
        self.entries: dict[int, list[Entry]] = defaultdict(list)
        for entry in record.entries:
            self.entries[entry.index].append(entry)
        self.done: set[int] = set()
        self.outputs = {
            event.call: text_of(event.fields["output"]).strip()
            for event in record.of("exec_end")
            if "output" in event.fields
        }
        self.logged = {record.calls[event.call].turn for event in record.of("exec_end") if event.call in record.calls}
        self.started: set[str] = set()
        self.ended: set[str] = set()
        self.reached = 0
        self.written = 0
        self.stopped = False
        self.new_from = -1
        self.cancelled: set[str] = set()
        self.arriving: dict[int, list[Arrival]] = defaultdict(list)

    def tell(self) -> Retold:
        self.inbox()
        for event in self.source.events:
            self.event(event)
        self.reach(self.size - 1)
        for index in sorted(self.arriving):
            if index >= self.size:
                self.message(index)
        self.emit(Sleep(waits_for_user=False))
        self.answers()
        return self.told

    def append(self, message: Message) -> int:
        self.written += 1
        return self.emit(Append(index=self.written - 1, message=message))

    def emit(self, item: Input | Command) -> int:
        records = self.told.record.trace.records
        records.append((len(records), item))
        return len(records) - 1

    # --- the inbox --------------------------------------------------------------------------------------------------

    def inbox(self) -> None:
        """Let every message arrive, in the order of the inbox, and note where it enters the record."""
        said = [(index, " ".join(text.split())) for index, text in self.source.said("user").items()]
        dropped = {event.text("id") for event in self.source.of(*DROPS)}
        places = self.told.places
        for event in self.source.of(*ENTRIES):
            listed = places.setdefault(event.text("id"), [])
            if event.message is not None and event.message not in listed:
                listed.append(event.message)
        seen: set[str] = set()
        for event in self.source.of(*ENTRIES):
            name = event.text("id")
            if name in seen:
                continue
            seen.add(name)
            found = _found(event, said) if not places[name] else None
            self.arrive(name, event, found)
            if name in dropped and found is None and min(places[name], default=self.size) >= self.size:
                self.emit(Drop(event_ids=(name,), reason="dropped"))

    def arrive(self, name: str, event: Event, found: int | None) -> None:
        """One source, one order; what was found by its text alone has no place to be judged by."""
        source = event.kind if found is None else "found by its text"
        arrival = Arrival(id=name, type=EventType.USER_INPUT, source=source, content=event.text("text"))
        self.emit(EventArrived(event=arrival))
        self.emit(Routed(event_id=name, verdict=_QUEUED))
        places = self.told.places[name] if found is None else [found]
        if min(places, default=self.size) < self.size:
            for index in places:
                self.arriving[index].append(arrival)

    def answers(self) -> None:
        """Each message is a task, finished when it is answered; only where the log tells of answers at all."""
        if "answer" not in self.source.kinds:
            return
        settled = {name for event in self.source.of("answer") for name in names(event)}
        settled |= {event.text("id") for event in self.source.of(*DROPS)}
        last_reply = max(self.source.said("assistant"), default=-1)
        for name, listed in self.told.places.items():
            if any(index <= last_reply for index in listed):
                finished_ms = 0 if name in settled else None
                self.told.record.tasks[name] = TaskTruth(task_id=name, asked_ms=0, finished_ms=finished_ms)

    # --- the log ----------------------------------------------------------------------------------------------------

    def event(self, event: Event) -> None:
        if event.place in self.done:
            return
        self.done.add(event.place)
        if event.kind in EXECUTIONS:
            if (call := self.source.calls.get(event.call)) is not None:
                self.reach(call.index)
            self.execution(event)
        elif event.kind in ("cancel", "stop"):
            self.cancel(event)
        elif event.kind == "resume":
            self.go_on()
            self.cancelled.clear()
        elif self.stopped and event.kind in ENTRIES and event.message is not None:
            self.new_from = event.message

    def cancel(self, event: Event) -> None:
        """A cancel of the run stops the model; a cancel of one call closes that call."""
        if event.kind == "cancel" and event.call:
            self.cancelled.add(event.call)
            if (call := self.source.calls.get(event.call)) is not None:
                self.reach(call.index)
            closed = PlaceholderMessage(call_id=event.call, state=PlaceholderState.CANCELLED_BEFORE)
            self.append(closed)
        else:
            self.stopped, self.new_from = True, -1
            self.emit(CancelModel(generation=0, partial=Partial.DISCARD))

    def go_on(self) -> None:
        """The model is called anew: what starts from here on belongs to a new run."""
        if self.stopped:
            self.stopped = False
            self.emit(call_model(1, self.written))

    def execution(self, event: Event) -> None:
        call = event.call
        if not call:
            return
        if event.kind == "exec_start" or call not in self.started:
            self.start(call, event)
        if event.kind == "exec_end":
            self.end(call, self.outputs.get(call))

    def start(self, call: str, event: Event) -> None:
        """A tool starts; where the log tells only what came of it, it has started by then."""
        self.started.add(call)
        made = self.source.calls.get(call)
        if made is not None and 0 <= self.new_from < made.index:
            self.go_on()
        at_ms = self.emit(StartTool(call=Call(id=call, tool=event.text("name"))))
        if event.kind != "exec_start":
            self.told.implied.add(at_ms)
        elif call in self.cancelled:
            self.told.late.add(at_ms)

    def end(self, call: str, output: str | None) -> None:
        """A tool ends with what the log says it returned, or (the log does not say) with what the record holds."""
        self.ended.add(call)
        recorded = self.source.result(call)
        if recorded is not None and (output is None or same_text(recorded.text, output)):
            output = recorded.text
        self.emit(ToolEnded(call_id=call, result=ToolResult(content=output or "")))

    # --- the messages -----------------------------------------------------------------------------------------------

    def reach(self, index: int) -> None:
        """Tell the messages up to one."""
        while self.reached <= index:
            at = self.reached
            self.reached += 1
            self.message(at)

    def message(self, index: int) -> None:
        if arriving := self.arriving.get(index):
            self.append(EventMessage(events=tuple(arriving)))
        calls = tuple(self.calls(index))
        if calls:
            if 0 <= self.new_from < index:
                self.go_on()
            message = AssistantMessage(id=f"m{index}", calls=calls)
            self.emit(ModelFinished(generation=0, message=message))
            self.append(message)
        for entry in self.entries[index]:
            if entry.kind == "result":
                self.close(entry)

    def calls(self, index: int) -> Iterator[Call]:
        for entry in self.entries[index]:
            if entry.kind == "call" and self.source.calls[entry.key] is entry:
                yield Call(id=entry.key, tool=entry.name)

    def close(self, entry: Entry) -> None:
        """Tell first what the log still says of the call, but for a second start, then its result or placeholder."""
        if entry is self.source.result(entry.key):
            for event in self.source.about(entry.key, *EXECUTIONS):
                again = event.kind == "exec_start" and entry.key in self.started
                if event.place not in self.done and not again:
                    self.done.add(event.place)
                    self.execution(event)
        if entry.key not in self.source.calls:
            return
        if is_placeholder(entry):
            self.placeholder(entry)
        elif entry is self.source.result(entry.key):
            self.result(entry)

    def placeholder(self, entry: Entry) -> None:
        claim = claimed_state(self.source, entry)
        if claim is None:
            return
        if claim.acknowledged:
            self.emit(ToolCancelled(call_id=entry.key, state=claim.state))
        self.write(entry, PlaceholderMessage(call_id=entry.key, state=claim.state))

    def result(self, entry: Entry) -> None:
        if entry.key not in self.ended and not self.is_made_up(entry):
            self.end(entry.key, None)
        self.write(entry, ResultMessage(call_id=entry.key, result=ToolResult(content=entry.text)))

    def is_made_up(self, entry: Entry) -> bool:
        """Whether the log says that the call never ran: in so many words, or by telling of its siblings only."""
        if self.source.started(entry.key) or entry.failed:
            return False
        return is_denied(self.source, entry.key) or self.source.calls[entry.key].turn in self.logged

    def write(self, entry: Entry, message: PlaceholderMessage | ResultMessage) -> None:
        self.told.where[self.append(message)] = entry


def names(event: Event) -> list[str]:
    """Return the inbox ids that an answer names."""
    value = event.fields.get("inbox", event.fields.get("id"))
    values = value if isinstance(value, list) else [value]
    return [name for name in values if isinstance(name, str)]


def _found(event: Event, said: list[tuple[int, str]]) -> int | None:
    """Return the message that holds the text of an inbox line which names none."""
    text = " ".join(event.text("text").split())
    return next((index for index, one in said if text in one), None) if text else None
