"""Invariants about the model and about history."""

from collections.abc import Iterator

from simlab.core.commands import Insert, Replace, Rewind
from simlab.core.decisions import Departure
from simlab.core.messages import AssistantMessage
from simlab.invariants.breach import Blame, Breach
from simlab.invariants.digest import Digest


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
