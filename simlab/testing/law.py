"""A run of the storm, told as a saved conversation with its ground truth, so that the catalogue can judge it.

The messages are those of the last request, the ground truth what the recorder and the ledger saw. ``simlab.check``
tells both again as the trace of a run, and the invariants judge that. What happened to a call is known by its receipt,
not by the wording of its result: so a text that does not hold the receipt is told as a placeholder.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from simlab.check.conversation import Conversation
from simlab.check.record import Record as Saved
from simlab.check.retold import retell
from simlab.core.record import Effect, RunOutcome, RunRecord, TaskTruth, ToolRun
from simlab.invariants import Breach
from simlab.testing.contract import Message
from simlab.testing.fakes import Execution, Request, calls_in, text_of

PLACEHOLDER: Final = "cancelled"

Log: TypeAlias = list[tuple[int, dict[str, Any]]]
"""Lines of ground truth, each with its tick."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Accepted:
    """A user message that the runtime took: when (a tick), whether a stop came later, and whether it was read in time.

    ``read`` says that a request held it before the user had to speak again.
    """

    text: str
    handed: int
    stopped: bool
    read: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class Told:
    """A run told as a case. ``keys`` names the call of each execution of the ledger, in its order."""

    requests: Sequence[Request]
    final: Request
    ledger: Sequence[Execution]
    accepted: Sequence[Accepted]
    idle: Sequence[tuple[int, int | None]]
    keys: Sequence[str]

    def breaches(self) -> list[Breach]:
        """Let the whole catalogue judge the case."""
        told = retell(Saved(self.case()))
        _add_ledger(told.record, self.ledger, self.keys)
        _add_tasks(told.record, self.accepted)
        return [breach for found in told.breaches().values() for breach in found]

    def case(self) -> Conversation:
        """Return the case: the messages as saved, the results in the words of the ledger, and what happened."""
        messages, events = self._messages(), sorted(self._events(), key=lambda line: line[0])
        return Conversation(
            format="storm",
            dialect="openai_chat",
            messages=messages,
            request={},
            events=[{"t": tick, **line} for tick, line in events],
            baseline=None,
            notes=[],
            id=None,
        )

    @property
    def labels(self) -> dict[str, str]:
        """The label of each recorded call."""
        return {call: label for message in self.final.messages for call, label in calls_in(message)}

    def owners_of(self, call: str) -> list[Execution]:
        """List the executions of a call."""
        return [run for run, key in zip(self.ledger, self.keys, strict=True) if key == call]

    def _messages(self) -> list[Message]:
        return [
            {**message, "content": self._closing(message)} if message["role"] == "tool" else message
            for message in self.final.messages
        ]

    def _closing(self, message: Message) -> str:
        """Return whose outcome a result holds, in the words of the ledger: its own, another's, or none."""
        text, own = text_of(message), self.owners_of(str(message.get("tool_call_id")))
        if any(run.receipt in text for run in own):
            return _words(own)
        others = [run for run in self.ledger if run.receipt in text]
        if others:
            return _words(others)
        told = any(run.receipt in outcomes_of(self.final.messages) for run in own)
        return _words(own) if told else PLACEHOLDER  # told in another message: a late result

    def _events(self) -> Iterator[tuple[int, dict[str, Any]]]:
        for one in self.accepted:
            yield from self._inbox(one)
        for stopped, resumed in self.idle:
            yield stopped, {"kind": "stop"}
            if resumed is not None:
                yield resumed, {"kind": "resume"}
        for run, key in zip(self.ledger, self.keys, strict=True):
            if run.effect is not None or key in self.labels:  # what left nothing behind may be forgotten
                yield from self._execution(run, key)

    def _inbox(self, one: Accepted) -> Iterator[tuple[int, dict[str, Any]]]:
        line = {"kind": "inbox", "id": one.text, "text": one.text}
        yield one.handed, line
        for index, message in enumerate(self.final.messages):
            if message["role"] == "user" and one.text in text_of(message):
                yield one.handed, {**line, "message": index}

    def _execution(self, run: Execution, key: str) -> Iterator[tuple[int, dict[str, Any]]]:
        line = {"call": key, "name": "work"}
        yield run.began, {**line, "kind": "exec_start"}
        if run.effect is not None:
            yield run.effect, {**line, "kind": "effect"}
        if run.cancelled is not None:
            yield run.cancelled, {**line, "kind": "exec_killed"}
        if run.finished is not None:
            output = _words(self.owners_of(key))
            yield run.finished, {**line, "kind": "exec_end", "status": "ok", "output": output}


def outcomes_of(messages: Sequence[Message]) -> str:
    """Return all text by which a conversation can tell an outcome: all but what the model said, which knows none."""
    return "\n".join(text_of(message) for message in messages if message["role"] != "assistant")


def keys_of(requests: Sequence[Request], final: Request, ledger: Sequence[Execution]) -> list[str]:
    """Name the call that each execution belongs to.

    That is the recorded call which holds its receipt; else, when it ran more often than it was asked for, the call
    that ran last; else the latest call that has not run yet. A runtime may give calls ids of its own: then the label
    tells.
    """
    results = {str(message.get("tool_call_id")): text_of(message) for message in final.messages}
    issued = {call.id for request in requests for call in request.plan.calls}
    recorded: dict[str, list[str]] = defaultdict(list)
    for message in final.messages:
        for call, label in calls_in(message):
            recorded[label].append(call)
    keys: dict[str, list[str]] = defaultdict(list)
    for run in ledger:
        asked, calls, earlier = _asked(requests, run), recorded[run.label], keys[run.label]
        holders = [call for call in calls if run.receipt in results.get(call, "")]
        again = earlier[-1:] if len(earlier) >= len(asked) else []
        renamed = [] if issued & set(calls) else calls
        fresh = [call for call in [*asked, *renamed] if call not in earlier]
        earlier.append([*holders[:1], *again, *fresh[::-1], f"unasked_{run.label}"][0])
    return [keys[run.label].pop(0) for run in ledger]


def _asked(requests: Sequence[Request], run: Execution) -> list[str]:
    earlier = [request for request in requests if request.tick < run.began]
    return [call.id for request in earlier for call in request.plan.calls if call.label == run.label]


def _words(runs: Sequence[Execution]) -> str:
    return ", ".join(f"{run.label} returned {run.receipt}" for run in runs)


def _add_ledger(record: RunRecord, ledger: Sequence[Execution], keys: Sequence[str]) -> None:
    """Add what the tools did, as the first run of each call; a label is one step of the work."""
    effects: Counter[str] = Counter()
    known: set[str] = set()
    for run, key in zip(ledger, keys, strict=True):
        if key in known:
            continue
        known.add(key)
        outcome = RunOutcome.FINISHED if run.finished is not None else RunOutcome.CANCELLED
        record.tool_runs.append(
            ToolRun(key, "work", "task", run.label, "", run.began, run.finished, outcome, committed_ms=run.effect)
        )
        if run.effect is not None:
            again = effects[run.label] > 0
            effects[run.label] += 1
            effect = Effect(call_id=key, task_id="task", step=run.label, at_ms=run.effect, duplicate=again)
            record.effects.append(effect)


def _add_tasks(record: RunRecord, accepted: Sequence[Accepted]) -> None:
    """Each message is a request: met when the model reads it before the user speaks again, voided by a later stop."""
    for one in accepted:
        record.tasks[one.text] = TaskTruth(
            task_id=one.text,
            asked_ms=one.handed,
            finished_ms=one.handed if one.read else None,
            voided_ms=one.handed if one.stopped else None,
        )
