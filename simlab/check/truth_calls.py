"""Truth rules about calls: what ran, what the record says of it, and what the model claims."""

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Final

from simlab.check.breach import Breach
from simlab.check.neutral import Entry, as_json, text_of
from simlab.check.record import EXECUTIONS, Event, Record, is_placeholder
from simlab.dialects.rules import show

_NEVER_RAN: Final = re.compile(
    r"\bnot (been )?(executed|run|started|performed|applied)\b|\bnever (ran|run|started|executed)\b"
    r"|\b(did|was|has) not (run|start|execute|been (run|started|executed))\b|\bbefore (it )?(start|began|ran)",
    re.I,
)
_RAN: Final = re.compile(
    r"\bwhile (it was )?running\b|\bafter \d+(\.\d+)? ?(s|ms|seconds?|minutes?)\b|\bpartly run", re.I
)
_CANCELLED: Final = re.compile(r"\b(cancel|abort|interrupt|killed)", re.I)
_FINISHED: Final = re.compile(r"\b(finish|complet|done|succe)|\bunknown\b|\bmay have\b|\bstill running\b", re.I)
_DECIDERS: Final[Mapping[str, re.Pattern[str]]] = {
    "user": re.compile(r"\bby (the )?user\b|\buser (rejected|cancelled|declined|interrupted|stopped|aborted)", re.I),
    "policy": re.compile(r"\bpolic(y|ies)\b|\bnot permitted\b", re.I),
    "timeout": re.compile(r"\btimed? ?-?out\b", re.I),
    "client": re.compile(r"\b(client|session) (recover|restart|crash|lost)", re.I),
}
_MARKED: Final = frozenset({"anthropic", "bedrock", "gemini"})
"""Dialects in which a result can say that it is an error."""


def untruthful_placeholder(record: Record) -> Iterator[Breach]:
    """A placeholder's text agrees with what happened to its call, and with who decided."""
    for key, entry in _placeholders(record):
        evidence = _untrue_course(record, key, entry) or _untrue_decider(record, key, entry)
        if evidence:
            yield Breach(index=entry.index, partner=_call_index(record, key), message=f"call {show(key)}: {evidence}")


def _placeholders(record: Record) -> Iterator[tuple[str, Entry]]:
    for key in record.calls:
        for entry in record.results.get(key, ()):
            if is_placeholder(entry):
                yield key, entry


def _untrue_course(record: Record, key: str, entry: Entry) -> str | None:
    outcome = record.outcome(key)
    if _NEVER_RAN.search(entry.text) and record.started(key):
        return "the placeholder says that it never ran, the log shows that it did"
    if _not_executed(record, key) and _RAN.search(entry.text) and not _NEVER_RAN.search(entry.text):
        return "the placeholder says that it ran, the log says that it was never started"
    if (
        outcome is not None
        and outcome.text("status") == "ok"
        and entry.text.strip() != text_of(outcome.fields.get("output"))
    ):
        cancelled = _CANCELLED.search(entry.text) and not _FINISHED.search(entry.text)
        return "the placeholder says that it was cancelled, the log says that it finished" if cancelled else None
    return None


def _not_executed(record: Record, key: str) -> bool:
    return not record.started(key) and any(record.about(key, "not_executed"))


def _untrue_decider(record: Record, key: str, entry: Entry) -> str | None:
    by = next((event.text("by") for event in record.about(key, "cancel") if event.text("by")), "")
    named = [name for name, pattern in _DECIDERS.items() if pattern.search(entry.text)]
    if by in _DECIDERS and named and by not in named:
        return f"the placeholder names {named[0]}, the log says that {by} decided"
    return None


def unmarked_placeholder(record: Record) -> Iterator[Breach]:
    """A placeholder is marked as such where the format has a mark for it, never a plain success."""
    if record.dialect not in _MARKED:
        return
    for key, entry in _placeholders(record):
        if not entry.failed and _was_cut(record, key):
            text = f"call {show(key)} did not finish, but its result travels as an ordinary success"
            yield Breach(index=entry.index, partner=_call_index(record, key), message=text)


def _was_cut(record: Record, key: str) -> bool:
    cut = any(record.about(key, "exec_killed", "not_executed", "cancel"))
    outcome = record.outcome(key)
    return cut and (outcome is None or outcome.text("status") != "ok")


def fabricated_result(record: Record) -> Iterator[Breach]:
    """Where a result exists, an execution does.

    A log may be partial, so the evidence is a call said not to have run, or one missing beside logged siblings.
    """
    denied = {event.call for event in record.of("not_executed")}
    logged = {record.calls[event.call].turn for event in record.of("exec_end") if event.call in record.calls}
    for key, call in record.calls.items():
        entry = record.result(key)
        if entry is None or record.started(key) or is_placeholder(entry) or entry.failed:
            continue
        if key in denied or call.turn in logged:
            text = f"result for call {show(key)}, which the log never saw running"
            yield Breach(index=entry.index, partner=_call_index(record, key), message=text)


def misattributed_result(record: Record) -> Iterator[Breach]:
    """A result is what its own call returned."""
    outputs = {
        event.call: text_of(event.fields["output"]).strip()
        for event in record.of("exec_end")
        if "output" in event.fields
    }
    for key, output in outputs.items():
        entry = record.result(key)
        if entry is None or is_placeholder(entry) or _same_text(entry.text, output):
            continue
        owner = next((other for other, text in outputs.items() if other != key and text == entry.text.strip()), None)
        whose = f"what call {show(owner)} returned" if owner else "another text"
        text = f"call {show(key)} returned {show(output)}, the record holds {whose}"
        yield Breach(index=entry.index, partner=_call_index(record, key), message=text)


def _same_text(recorded: str, output: str) -> bool:
    recorded = recorded.strip()
    return recorded == output or (bool(output) and output in recorded) or (bool(recorded) and recorded in output)


def claim_without_call(record: Record) -> Iterator[Breach]:
    """The model reports only what some call of the record stands for."""
    names = {entry.name for entry in record.calls.values()}
    for event in record.of("claim"):
        known = event.call in record.calls if event.call else event.text("action") in names
        if not known:
            what = event.call or event.text("action")
            yield Breach(
                index=event.message, message=f"reports the outcome of {show(what)}, which the record never calls"
            )


def claim_without_result(record: Record) -> Iterator[Breach]:
    """The model reports only outcomes that the record holds."""
    for event, call in _claims(record):
        entry = record.result(call.key)
        if entry is None or (is_placeholder(entry) and not _finished(record, call.key)):
            text = f"reports the outcome of call {show(call.key)}, of which the record holds none"
            yield Breach(index=event.message, partner=call.index, message=text)


def claim_contradicts_result(record: Record) -> Iterator[Breach]:
    """What the model reports of a call agrees with its recorded result."""
    for event, call in _claims(record):
        entry = record.result(call.key)
        if entry is None or is_placeholder(entry):
            continue
        claimed = event.text("status")
        outcome = record.outcome(call.key)
        happened = outcome.text("status") if outcome is not None else ""
        happened = happened or ("error" if entry.failed else "")
        said = event.fields.get("output", event.fields.get("value"))
        differs = said is not None and not _same_text(entry.text, text_of(said).strip())
        if event.fields.get("contradicts") is True or differs or (claimed and happened and claimed != happened):
            yield Breach(
                index=event.message, partner=call.index, message=f"contradicts the result of call {show(call.key)}"
            )


def _claims(record: Record) -> Iterator[tuple[Event, Entry]]:
    for event in record.of("claim"):
        call = record.calls.get(event.call)
        if call is None and not event.call:
            call = next((one for one in record.calls.values() if one.name == event.text("action")), None)
        if call is not None:
            yield event, call


def _finished(record: Record, key: str) -> bool:
    outcome = record.outcome(key)
    return outcome is not None and outcome.text("status") == "ok"


def unrecorded_execution(record: Record) -> Iterator[Breach]:
    """Every execution is stood for by a call of the record."""
    lost: dict[str, Event] = {}
    for event in record.of(*EXECUTIONS):
        if event.call and event.call not in record.calls:
            lost.setdefault(event.call, event)
    recorded = [event for event in record.of(*EXECUTIONS) if event.call in record.calls]
    spoken = sorted({entry.index for entry in record.entries if entry.model_side})
    for event in lost.values():
        name = f" ({event.text('name')[:60]})" if event.text("name") else ""
        text = f"call {show(event.call)}{name} ran, but no message makes it"
        yield Breach(index=_during(record, event, recorded, spoken), message=text)


def _during(record: Record, event: Event, recorded: list[Event], spoken: list[int]) -> int | None:
    """Return the assistant message during which an unrecorded call ran, as far as the log tells.

    It is the last one in front of the call that the log shows running next.
    """
    later = bisect_right(recorded, event.place, key=lambda one: one.place)
    before = record.calls[recorded[later].call].index if later < len(recorded) else len(record.messages)
    at = bisect_left(spoken, before)
    return spoken[at - 1] if at else None


def double_execution(record: Record) -> Iterator[Breach]:
    """No call, and nothing that may happen only once, is executed twice."""
    seen: dict[tuple[str, ...], str] = {}
    for event in record.of("exec_end"):
        keys = list(_identities(record, event))
        twice = next((key for key in keys if key in seen), None)
        if twice is not None:
            first = seen[twice]
            text = f"{twice[0]} {show(twice[1])} had run already as call {show(first)}"
            yield Breach(index=_call_index(record, event.call), partner=_call_index(record, first), message=text)
        for key in keys:
            if key[0] != "operation" or event.call not in record.calls:
                seen.setdefault(key, event.call)
    ended = Counter(event.call for event in record.of("exec_end"))
    for call, count in Counter(event.call for event in record.of("exec_start") if event.call).items():
        if count > 1 and ended[call] < 2:
            yield Breach(index=_call_index(record, call), message=f"call {show(call)} was started {count} times")


def _identities(record: Record, event: Event) -> Iterator[tuple[str, ...]]:
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


def execution_after_cancel(record: Record) -> Iterator[Breach]:
    """Nothing starts after the cancel; what a later message or a resume brings is a new run."""
    stopped = False
    cancelled: set[str] = set()
    new_from = -1
    for event in record.of("cancel", "stop", "resume", "inbox", "deliver", "exec_start"):
        if event.kind == "exec_start":
            index = _call_index(record, event.call)
            if event.call in cancelled or (stopped and (index is None or index <= new_from or new_from < 0)):
                yield Breach(index=index, message=f"call {show(event.call)} was started after the cancel")
        elif event.kind == "cancel" and event.call:
            cancelled.add(event.call)
        elif event.kind in ("cancel", "stop"):
            stopped, new_from = True, -1
        elif event.kind == "resume":
            stopped, cancelled = False, set()
        elif stopped and event.message is not None:
            new_from = event.message


def _call_index(record: Record, key: str) -> int | None:
    call = record.calls.get(key)
    return call.index if call is not None else None


RULES: Final[Mapping[str, Callable[[Record], Iterator[Breach]]]] = {
    rule.__name__: rule
    for rule in (
        untruthful_placeholder,
        unmarked_placeholder,
        fabricated_result,
        misattributed_result,
        claim_without_call,
        claim_without_result,
        claim_contradicts_result,
        unrecorded_execution,
        double_execution,
        execution_after_cancel,
    )
}
REPAIRS: Final[Mapping[str, str]] = {
    "untruthful_placeholder": "Word the placeholder as the log has it: not started, killed, or finished late.",
    "unmarked_placeholder": "Mark the result as an error (is_error, status) beside its text.",
    "fabricated_result": "Replace the result by a placeholder that says that the call never ran.",
    "misattributed_result": "Store under each call what it returned itself; pair by id, never by order of arrival.",
    "claim_without_call": "Tell the model in a user message that nothing of the kind was done.",
    "claim_without_result": "Tell the model in a user message that the call gave no result.",
    "claim_contradicts_result": "Tell the model in a user message what the result really was.",
    "unrecorded_execution": "Put the call and its result into the record before the model goes on.",
    "double_execution": "Keep calls and results of interrupted turns, and give operations a key that is good once.",
    "execution_after_cancel": "Look at the cancel before each start; close what has not started with placeholders.",
}
