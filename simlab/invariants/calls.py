"""Invariants about calls, results and placeholders."""

from collections.abc import Iterator

from simlab.core.decisions import Departure
from simlab.core.messages import (
    LateResultMessage,
    NoticeMessage,
    PlaceholderMessage,
    PlaceholderState,
    ResultMessage,
)
from simlab.invariants.breach import Blame, Breach
from simlab.invariants.digest import CallFacts, Digest, Written


def every_call_is_closed_once(digest: Digest) -> Iterator[Breach]:
    """Every tool call gets exactly one result or placeholder; one that is still under way at the horizon may be open.

    Motivated by the field's most frequent failure: an interrupt leaves a call without a result, and every later
    request of the conversation is refused.
    """
    name = "every_call_is_closed_once"
    for call in digest.calls.values():
        count = len(call.closings)
        if count == 1 or call.rewound:
            continue
        if count > 1:
            yield _at(name, call, call.closings[1].at_ms, f"closed {count} times")
        elif digest.idle_at_end or _moved_on(digest, call):
            yield _at(name, call, call.at_ms, "has neither result nor placeholder, and the conversation moved on")


def _moved_on(digest: Digest, call: CallFacts) -> bool:
    return any(call.call_id in model_call.open_at_start for model_call in digest.model_calls)


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
        if isinstance(message, ResultMessage | PlaceholderMessage | LateResultMessage | NoticeMessage):
            yield Breach(
                invariant=name,
                blame=Blame.CORE,
                at_ms=written.at_ms,
                what="names a call that the trajectory does not hold",
                message_index=written.index,
                call_id=message.call_id,
            )
    for call in digest.calls.values():
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
            what=f"a {type(written.message).__name__} stands between a call and its result",
            message_index=written.index,
            call_id=call.call_id,
        )


def _may_wait(digest: Digest, call_id: str, edits: bool) -> bool:
    """Whether the call was closed behind its message by a declared edit."""
    call = digest.calls[call_id]
    return edits and call.patched


def no_result_before_its_tool_finished(digest: Digest) -> Iterator[Breach]:
    """A result is recorded only when its tool has finished, and says what that tool returned."""
    name = "no_result_before_its_tool_finished"
    for call in digest.calls.values():
        for written in (*call.closings, *call.later):
            message = written.message
            if isinstance(message, ResultMessage | LateResultMessage):
                yield from _check_result(name, call, written, message)


def _check_result(
    name: str, call: CallFacts, written: Written, message: ResultMessage | LateResultMessage
) -> Iterator[Breach]:
    if call.result is None or call.ended_ms is None or call.ended_ms > written.at_ms:
        yield _at(name, call, written.at_ms, "a result is recorded although the tool has not finished", Blame.CORE)
    elif call.result != message.result:
        yield _at(name, call, written.at_ms, "the recorded result is not what the tool returned", Blame.CORE)


def every_placeholder_is_true(digest: Digest) -> Iterator[Breach]:
    """A placeholder says what is known: not started, still running, or what the tool's acknowledgement said."""
    for call in digest.calls.values():
        for written in (*call.closings, *call.later):
            message = written.message
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
