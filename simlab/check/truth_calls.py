"""Truth rules about calls: what ran, what the record says of it, and what the model claims.

The first five are invariants of the catalogue, judged on the run that the record tells; the others say what the
catalogue cannot: a simulated placeholder is marked by its type, names nobody, and a simulated model claims by task.
"""

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Final

from simlab.check.breach import Breach
from simlab.check.evidence import Evidence
from simlab.check.neutral import Entry, text_of
from simlab.check.readings import same_text
from simlab.check.record import EXECUTIONS, Event, Record, is_placeholder
from simlab.check.retold_parts import Twice, repetitions
from simlab.dialects.rules import show
from simlab.invariants import check

_DECIDERS: Final[Mapping[str, re.Pattern[str]]] = {
    "user": re.compile(r"\bby (the )?user\b|\buser (rejected|cancelled|declined|interrupted|stopped|aborted)", re.I),
    "policy": re.compile(r"\bpolic(y|ies)\b|\bnot permitted\b", re.I),
    "timeout": re.compile(r"\btimed? ?-?out\b", re.I),
    "client": re.compile(r"\b(client|session) (recover|restart|crash|lost)", re.I),
}
_MARKED: Final = frozenset({"anthropic", "bedrock", "gemini"})
"""Dialects in which a result can say that it is an error."""


def untruthful_placeholder(evidence: Evidence) -> Iterator[Breach]:
    """A placeholder's text agrees with what happened to its call, and with who decided."""
    record = evidence.record
    untrue = {id(entry) for entry in _closings(evidence, "every_placeholder_is_true")}
    for key, entry in _placeholders(record):
        decider = _untrue_decider(record, key, entry)
        what = _course(record, entry) if id(entry) in untrue else decider
        if what is not None:
            yield Breach(index=entry.index, partner=_call_index(record, key), message=f"call {show(key)}: {what}")


def _closings(evidence: Evidence, invariant: str) -> Iterator[Entry]:
    """Yield the recorded results and placeholders that break an invariant."""
    for breach in evidence.breaches(invariant):
        entry = evidence.told.where.get(breach.at_ms)
        if entry is not None:
            yield entry


def _course(record: Record, entry: Entry) -> str:
    outcome = record.outcome(entry.key)
    if outcome is not None:
        happened = "that it finished"
    else:
        happened = "that it ran" if record.started(entry.key) else "that it was never started"
    return f"the placeholder says {show(entry.text)}, the log {happened}"


def _placeholders(record: Record) -> Iterator[tuple[str, Entry]]:
    for key in record.calls:
        for entry in record.results.get(key, ()):
            if is_placeholder(entry):
                yield key, entry


def _untrue_decider(record: Record, key: str, entry: Entry) -> str | None:
    by = next((event.text("by") for event in record.about(key, "cancel") if event.text("by")), "")
    named = [name for name, pattern in _DECIDERS.items() if pattern.search(entry.text)]
    if by in _DECIDERS and named and by not in named:
        return f"the placeholder names {named[0]}, the log says that {by} decided"
    return None


def unmarked_placeholder(evidence: Evidence) -> Iterator[Breach]:
    """A placeholder is marked as such where the format has a mark for it, never a plain success."""
    record = evidence.record
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


def fabricated_result(evidence: Evidence) -> Iterator[Breach]:
    """Where a result exists, an execution does.

    A log may be partial, so the evidence is a call said not to have run, or one missing beside logged siblings.
    """
    for entry in _closings(evidence, "no_result_before_its_tool_finished"):
        if evidence.record.outcome(entry.key) is None:
            text = f"result for call {show(entry.key)}, which the log never saw running"
            yield Breach(index=entry.index, partner=_call_index(evidence.record, entry.key), message=text)


def misattributed_result(evidence: Evidence) -> Iterator[Breach]:
    """A result is what its own call returned."""
    record = evidence.record
    outputs = {event.call: _output(event) for event in record.of("exec_end") if "output" in event.fields}
    owners = {text: call for call, text in reversed(outputs.items())}
    for entry in _closings(evidence, "no_result_before_its_tool_finished"):
        output = outputs.get(entry.key)
        if output is None:
            continue
        owner = owners.get(entry.text.strip())
        whose = f"what call {show(owner)} returned" if owner else "another text"
        text = f"call {show(entry.key)} returned {show(output)}, the record holds {whose}"
        yield Breach(index=entry.index, partner=_call_index(record, entry.key), message=text)


def _output(event: Event) -> str:
    return text_of(event.fields["output"]).strip()


def claim_without_call(evidence: Evidence) -> Iterator[Breach]:
    """The model reports only what some call of the record stands for."""
    record = evidence.record
    names = {entry.name for entry in record.calls.values()}
    for event in record.of("claim"):
        known = event.call in record.calls if event.call else event.text("action") in names
        if not known:
            what = event.call or event.text("action")
            yield Breach(
                index=event.message, message=f"reports the outcome of {show(what)}, which the record never calls"
            )


def claim_without_result(evidence: Evidence) -> Iterator[Breach]:
    """The model reports only outcomes that the record holds."""
    record = evidence.record
    for event, call in _claims(record):
        entry = record.result(call.key)
        if entry is None or (is_placeholder(entry) and not _finished(record, call.key)):
            text = f"reports the outcome of call {show(call.key)}, of which the record holds none"
            yield Breach(index=event.message, partner=call.index, message=text)


def claim_contradicts_result(evidence: Evidence) -> Iterator[Breach]:
    """What the model reports of a call agrees with its recorded result."""
    record = evidence.record
    for event, call in _claims(record):
        entry = record.result(call.key)
        if entry is None or is_placeholder(entry):
            continue
        claimed = event.text("status")
        outcome = record.outcome(call.key)
        happened = outcome.text("status") if outcome is not None else ""
        happened = happened or ("error" if entry.failed else "")
        said = event.fields.get("output", event.fields.get("value"))
        differs = said is not None and not same_text(entry.text, text_of(said).strip())
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


def unrecorded_execution(evidence: Evidence) -> Iterator[Breach]:
    """Every execution is stood for by a call of the record."""
    record = evidence.record
    lost = {breach.call_id for breach in evidence.breaches("no_tool_of_a_discarded_message_runs")}
    recorded = [event for event in record.of(*EXECUTIONS) if event.call in record.calls]
    spoken = sorted({entry.index for entry in record.entries if entry.model_side})
    for event in record.of(*EXECUTIONS):
        if event.call in lost:
            lost.remove(event.call)
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


def double_execution(evidence: Evidence) -> Iterator[Breach]:
    """No call, and nothing that may happen only once, is executed twice."""
    record = evidence.record
    for twice in repetitions(record):
        if any(breach.invariant == "every_effect_happens_once_per_intent" for breach in check(twice.run)):
            yield _repeated(record, twice)
    ended = Counter(event.call for event in record.of("exec_end"))
    started = Counter(event.call for event in record.of("exec_start"))
    names = ("no_tool_starts_once_its_call_is_closed", "no_tool_of_a_discarded_message_runs")
    for call in dict.fromkeys(breach.call_id or "" for name in names for breach in evidence.breaches(name)):
        if started[call] > 1 and ended[call] < 2:
            yield Breach(
                index=_call_index(record, call), message=f"call {show(call)} was started {started[call]} times"
            )


def _repeated(record: Record, twice: Twice) -> Breach:
    text = f"{twice.name[0]} {show(twice.name[1])} had run already as call {show(twice.first)}"
    return Breach(index=_call_index(record, twice.call), partner=_call_index(record, twice.first), message=text)


def execution_after_cancel(evidence: Evidence) -> Iterator[Breach]:
    """Nothing starts after the cancel; what a later message or a resume brings is a new run."""
    told = evidence.told
    starts = {
        breach.at_ms: breach.call_id for breach in evidence.breaches("no_tool_starts_before_an_interrupt_was_read")
    }
    for name in ("no_tool_starts_once_its_call_is_closed", "no_tool_of_a_discarded_message_runs"):
        starts |= {breach.at_ms: breach.call_id for breach in evidence.breaches(name) if breach.at_ms in told.late}
    for at_ms, call in sorted(starts.items()):
        if at_ms not in told.implied and call is not None:
            text = f"call {show(call)} was started after the cancel"
            yield Breach(index=_call_index(evidence.record, call), message=text)


def _call_index(record: Record, key: str) -> int | None:
    call = record.calls.get(key)
    return call.index if call is not None else None


RULES: Final[Mapping[str, Callable[[Evidence], Iterator[Breach]]]] = {
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
