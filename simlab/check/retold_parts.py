"""Parts of the ground truth that are stories of their own: threads of turns, snapshots, and what happened twice."""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from simlab.check.neutral import as_json
from simlab.check.record import Event, Record
from simlab.check.retold import call_model, empty_run
from simlab.core.commands import Append, Command, Replace, Rewind, Sleep
from simlab.core.decisions import Departure
from simlab.core.messages import EventMessage
from simlab.core.record import Effect, RunOutcome, RunRecord, ToolRun

_DECLARED = frozenset({"compact", "compaction", "rewind"})
_NOTHING = EventMessage(events=())


@dataclass(frozen=True, kw_only=True, slots=True)
class Turn:
    """The start of a turn in the trace of its thread: its time there, and the turn that had started before."""

    at_ms: int
    event: Event
    before: Event | None


def threads(record: Record) -> Iterator[tuple[RunRecord, list[Turn]]]:
    """Tell each thread as a run of its own, in which a turn is a model call and its end sleep."""
    by_thread: dict[str, list[Event]] = defaultdict(list)
    for event in record.of("turn_start", "turn_end"):
        by_thread[event.text("thread")].append(event)
    for name, events in by_thread.items():
        run, turns = empty_run(name), list[Turn]()
        records, running = run.trace.records, None
        for event in events:
            if event.kind == "turn_start":
                turns.append(Turn(at_ms=len(records), event=event, before=running))
                records.append((len(records), call_model(len(turns))))
                running = event
            elif running is not None and running.text("id") == event.text("id"):
                records.append((len(records), Sleep(waits_for_user=False)))
                running = None
        yield run, turns


def snapshots(record: Record, before: list[Any]) -> tuple[RunRecord, int | None]:
    """Tell an earlier snapshot, and the first thing in which the later one differs.

    Returns the run and the message that differs (``None``: it is gone, or there is none).
    """
    run = empty_run("snapshots")
    if not record.kinds.isdisjoint(_DECLARED):
        run.trace.departures = frozenset({Departure.EDITS, Departure.REWINDS})
    records = run.trace.records
    records += [(at_ms, Append(index=at_ms, message=_NOTHING)) for at_ms in range(len(before))]
    differing = first_difference(before, record.messages)
    if differing is not None:
        change: Command = Rewind(length=differing)
        if differing < len(record.messages):
            change = Replace(index=differing, message=_NOTHING)
        records.append((len(records), change))
    return run, differing


def first_difference(before: list[Any], now: list[Any]) -> int | None:
    """Return the first message of a snapshot that is gone or changed."""
    for index, message in enumerate(before):
        if index >= len(now) or not _equal(message, now[index]):
            return index
    return None


def _equal(one: Any, other: Any) -> bool:
    try:
        return bool(one == other)
    except RecursionError:
        return True


@dataclass(frozen=True, kw_only=True, slots=True)
class Twice:
    """One execution of what may happen only once, and the name under which it had happened before."""

    run: RunRecord
    call: str
    first: str
    name: tuple[str, ...]


def repetitions(record: Record) -> Iterator[Twice]:
    """Tell each execution that repeats an earlier one as two runs of one step, the second with a duplicate effect."""
    seen: dict[tuple[str, ...], str] = {}
    for event in record.of("exec_end"):
        keys = list(_identities(event))
        name = next((key for key in keys if key in seen), None)
        if name is not None:
            yield Twice(run=_twice(name), call=event.call, first=seen[name], name=name)
        for key in keys:
            if key[0] != "operation" or event.call not in record.calls:
                seen.setdefault(key, event.call)


def _identities(event: Event) -> Iterator[tuple[str, ...]]:
    """Yield the names under which an execution may happen only once.

    The same operation may well be wanted twice; it counts as one only when the record lost its first call, for then
    the model could not know.
    """
    if event.call:
        yield ("call", event.call)
    if event.text("once_key"):
        yield ("once-only key", event.text("once_key"))
    if event.text("name"):
        yield ("operation", event.text("name"), as_json(event.fields.get("args")))


def _twice(name: tuple[str, ...]) -> RunRecord:
    run = empty_run(name[0])
    for at_ms, call in enumerate(("first", "second")):
        run.tool_runs.append(
            ToolRun(call, name[0], name[0], name[1], "", at_ms, at_ms, RunOutcome.FINISHED, committed_ms=at_ms)
        )
    run.effects.append(Effect(call_id="second", task_id=name[0], step=name[1], at_ms=1, duplicate=True))
    return run
