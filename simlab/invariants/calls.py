"""Invariants about calls, results and placeholders."""

from collections.abc import Iterator
from typing import assert_never

from simlab.core.decisions import Departure
from simlab.core.messages import (
    LateResultMessage,
    Message,
    NoticeMessage,
    PlaceholderMessage,
    PlaceholderState,
    ResultMessage,
)
from simlab.invariants.breach import Blame, Breach
from simlab.invariants.digest import CallFacts, Digest, Written


def every_call_is_closed_once(digest: Digest) -> Iterator[Breach]:
    """When the model is called, every tool call of the prompt has exactly one result or placeholder."""
    name = "every_call_is_closed_once"
    for call in digest.odd_calls:
        if len(call.closings) > 1 and not call.rewound:
            yield _at(name, call, call.closings[1].at_ms, f"closed {len(call.closings)} times")
    seen: set[str] = set()
    for model_call in digest.model_calls:
        for call_id in model_call.open_at_start:
            if call_id not in seen:
                seen.add(call_id)
                yield _at(
                    name,
                    digest.calls[call_id],
                    model_call.began_ms,
                    "has neither result nor placeholder, and the model is called all the same",
                )


def no_call_is_open_at_rest(digest: Digest) -> Iterator[Breach]:
    """An agent that is idle has closed every call, unless it declares that it does so before the next model call."""
    if not digest.idle_at_end or Departure.EDITS in digest.record.trace.departures:
        return
    for call_id in digest.open:
        call = digest.calls[call_id]
        if not _was_sent(digest, call_id):
            yield _at("no_call_is_open_at_rest", call, call.at_ms, "has neither result nor placeholder")


def _was_sent(digest: Digest, call_id: str) -> bool:
    return any(call_id in model_call.open_at_start for model_call in digest.model_calls)


def _at(invariant: str, call: CallFacts, at_ms: int, what: str, blame: Blame = Blame.STRATEGY) -> Breach:
    return Breach(
        invariant=invariant,
        blame=blame,
        at_ms=at_ms,
        what=what,
        message_index=call.message_index,
        call_id=call.call_id,
    )


def no_result_stands_without_its_call(digest: Digest) -> Iterator[Breach]:
    """Every result, placeholder, late result and notice names a call of the trajectory; call ids are never reused."""
    name = "no_result_stands_without_its_call"
    for written in digest.strange:
        message = written.message
        assert isinstance(message, ResultMessage | PlaceholderMessage | LateResultMessage | NoticeMessage)
        yield Breach(
            invariant=name,
            blame=Blame.CORE,
            at_ms=written.at_ms,
            what="names a call that the trajectory does not hold",
            message_index=written.index,
            call_id=message.call_id,
        )
    for call in digest.odd_calls:
        if call.times_issued > 1:
            yield _at(name, call, call.at_ms, f"its id was issued {call.times_issued} times", Blame.MODEL)


def nothing_comes_between_a_call_and_its_result(digest: Digest) -> Iterator[Breach]:
    """While a call is open, nothing is appended but results and placeholders of that message's calls.

    A strategy that declares edits may close the call behind its message afterwards, before the model is called.
    """
    edits = Departure.EDITS in digest.record.trace.departures
    for written in digest.written:
        if not written.open_before or isinstance(written.message, ResultMessage | PlaceholderMessage):
            continue
        call = next((digest.calls[each] for each in written.open_before if not _may_wait(digest, each, edits)), None)
        if call is None:
            continue
        yield Breach(
            invariant="nothing_comes_between_a_call_and_its_result",
            blame=Blame.STRATEGY,
            at_ms=written.at_ms,
            what=f"{_named(written.message)} stands between a call and its result",
            message_index=written.index,
            call_id=call.call_id,
        )


def _may_wait(digest: Digest, call_id: str, edits: bool) -> bool:
    """Whether a declared edit closed the call behind its message, or may still do so before the next model call."""
    call = digest.calls[call_id]
    return edits and (call.patched or not _was_sent(digest, call_id))


def _named(message: Message) -> str:
    """Name the kind of a message, with its article."""
    kind = type(message).__name__.removesuffix("Message").lower()
    return f"{'an' if kind[0] in 'aeiou' else 'a'} {kind} message"


def no_result_before_its_tool_finished(digest: Digest) -> Iterator[Breach]:
    """A result is recorded only when its tool has finished, and says what that tool returned."""
    name = "no_result_before_its_tool_finished"
    for call in digest.odd_calls:
        for written in (*call.closings, *call.later) if call.later else call.closings:
            message = written.message
            if type(message) is ResultMessage or type(message) is LateResultMessage:
                yield from _check_result(name, call, written, message)


def _check_result(
    name: str, call: CallFacts, written: Written, message: ResultMessage | LateResultMessage
) -> Iterator[Breach]:
    if call.result is None or call.ended_ms is None or call.ended_ms > written.at_ms:
        yield _at(name, call, written.at_ms, "a result is recorded although the tool has not finished", Blame.CORE)
    elif call.result is not message.result and call.result != message.result:
        yield _at(name, call, written.at_ms, "the recorded result is not what the tool returned", Blame.CORE)


def every_placeholder_is_true(digest: Digest) -> Iterator[Breach]:
    """A placeholder says what is known: not started, still running, or what the tool's acknowledgement said."""
    for call in digest.odd_calls:
        for written in (*call.closings, *call.later) if call.later else call.closings:
            message = written.message
            if type(message) is ResultMessage:
                continue
            if isinstance(message, PlaceholderMessage | NoticeMessage) and not _is_true(call, message.state, written):
                yield _at("every_placeholder_is_true", call, written.at_ms, f"says {message.state!s}, which is not so")


def _is_true(call: CallFacts, state: PlaceholderState, written: Written) -> bool:
    started = any(at_ms <= written.at_ms for at_ms in call.started)
    match state:
        case PlaceholderState.NOT_STARTED:
            return not started
        case PlaceholderState.STILL_RUNNING:
            return started and (call.ended_ms is None or call.ended_ms >= written.at_ms)
        case PlaceholderState.CANCELLED_BEFORE | PlaceholderState.CANCELLED_AFTER:
            return call.acknowledged is state
        case PlaceholderState.CANCELLED_UNKNOWN:
            return call.cancel_ms is not None
        case _:
            assert_never(state)


def every_placeholder_is_resolved(digest: Digest) -> Iterator[Breach]:
    """A call closed while its tool still ran, or while nobody knew, gets its late result or a notice of its end.

    A strategy that declares it may drop what comes late; the placeholder of a run that was cut may wait.
    """
    if not digest.record.trace.complete or digest.waits_for_user:
        return
    for call in digest.odd_calls:
        if call.rewound or not call.closings or call.later:
            continue
        message = call.closings[-1].message
        if not isinstance(message, PlaceholderMessage) or message.state not in _UNRESOLVED:
            continue
        if not _was_told(digest, call, message.state):
            yield _at("every_placeholder_is_resolved", call, call.closings[-1].at_ms, "was never resolved")


_UNRESOLVED = frozenset({PlaceholderState.STILL_RUNNING, PlaceholderState.CANCELLED_UNKNOWN})


def _was_told(digest: Digest, call: CallFacts, state: PlaceholderState) -> bool:
    """Whether the end was dropped as declared, left waiting as declared, or was all that is known already."""
    departures = digest.record.trace.departures
    late = digest.events.get(f"late:{call.call_id}")
    if late is not None:
        return late.count > 0 or Departure.WAITS in departures
    if state is PlaceholderState.CANCELLED_UNKNOWN and call.acknowledged is state:
        return True
    return Departure.DROPS_LATE in departures
