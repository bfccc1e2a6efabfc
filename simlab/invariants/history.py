"""Invariants about the model and about history."""

from collections import Counter
from collections.abc import Iterator

from simlab.core.commands import Insert, Replace, Rewind
from simlab.core.decisions import Departure
from simlab.core.messages import AssistantMessage
from simlab.invariants.breach import Blame, Breach
from simlab.invariants.digest import Digest, Slip, SlipKind


def partial_output_is_never_recorded(digest: Digest) -> Iterator[Breach]:
    """Only complete messages are recorded; a partial one only by a strategy that declares it, and marked as cut."""
    declared = Departure.KEEPS_PARTIAL in digest.record.trace.departures
    for written in digest.written:
        message = written.message
        if not isinstance(message, AssistantMessage) or message.id in digest.finished_messages:
            continue
        if declared and message.cut and message.id in digest.partials:
            continue
        yield Breach(
            invariant="partial_output_is_never_recorded",
            blame=Blame.STRATEGY,
            at_ms=written.at_ms,
            what="an assistant message is recorded that the model had not completed",
            message_index=written.index,
        )


def one_main_model_call_at_a_time(digest: Digest) -> Iterator[Breach]:
    """No main model call begins before the one before it has ended or was stopped."""
    for call in digest.overlaps:
        yield Breach(
            invariant="one_main_model_call_at_a_time",
            blame=Blame.CORE,
            at_ms=call.began_ms,
            what=f"model call {call.generation} began while another one was under way",
        )


def one_turn_at_a_time(digest: Digest) -> Iterator[Breach]:
    """A turn begins only when the agent sleeps: the one before it is over."""
    for slip in digest.slipped(SlipKind.TURN):
        yield _of_the_core("one_turn_at_a_time", slip)


def _of_the_core(name: str, slip: Slip) -> Breach:
    return Breach(
        invariant=name, blame=Blame.CORE, at_ms=slip.at_ms, what=str(slip.kind), message_index=slip.message_index
    )


def the_model_sees_the_whole_trajectory(digest: Digest) -> Iterator[Breach]:
    """Messages are appended at the end, and the model is called on all of them."""
    for kind in (SlipKind.PLACE, SlipKind.PREFIX):
        for slip in digest.slipped(kind):
            yield _of_the_core("the_model_sees_the_whole_trajectory", slip)


def every_complete_message_is_recorded(digest: Digest) -> Iterator[Breach]:
    """The message of a model call that ended by itself is recorded in that instant, and once."""
    if len(digest.said) == len(digest.finished_messages) == len(set(digest.said)):
        return
    counts = Counter(digest.said)
    for call in digest.model_calls:
        if call.message_id is not None and call.ended_ms is not None and counts[call.message_id] != 1:
            yield Breach(
                invariant="every_complete_message_is_recorded",
                blame=Blame.CORE,
                at_ms=call.ended_ms,
                what=f"message {call.message_id!r} is recorded {counts[call.message_id]} times",
            )


_NEEDED = {Replace: Departure.EDITS, Insert: Departure.EDITS, Rewind: Departure.REWINDS}


def history_is_append_only(digest: Digest) -> Iterator[Breach]:
    """The trajectory only grows, unless the strategy declares that it rewinds or edits."""
    for at_ms, change in digest.changes:
        needed = next(departure for kind, departure in _NEEDED.items() if isinstance(change, kind))
        if needed not in digest.record.trace.departures:
            yield Breach(
                invariant="history_is_append_only",
                blame=Blame.STRATEGY,
                at_ms=at_ms,
                what=f"history was changed ({type(change).__name__.lower()}) without having been declared",
            )
