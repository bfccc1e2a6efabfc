"""Invariants about the start of tools."""

from collections.abc import Iterator

from simlab.invariants.breach import Blame, Breach
from simlab.invariants.digest import Digest, SlipKind


def no_tool_of_a_discarded_message_runs(digest: Digest) -> Iterator[Breach]:
    """Only calls of messages that stand in the trajectory are started."""
    for slip in digest.slipped(SlipKind.DISCARDED_START):
        yield Breach(
            invariant="no_tool_of_a_discarded_message_runs",
            blame=Blame.CORE,
            at_ms=slip.at_ms,
            what="was started although its message does not stand in the trajectory",
            call_id=slip.subject,
        )


def no_tool_starts_once_its_call_is_closed(digest: Digest) -> Iterator[Breach]:
    """A call that has a result or a placeholder is not started, and no call is started twice."""
    name = "no_tool_starts_once_its_call_is_closed"
    for slip in digest.slipped(SlipKind.CLOSED_START):
        yield Breach(
            invariant=name,
            blame=Blame.CORE,
            at_ms=slip.at_ms,
            what="was started although it is closed already",
            message_index=slip.message_index,
            call_id=slip.subject,
        )
    for call in digest.odd_calls:
        if len(call.started) > 1:
            yield Breach(
                invariant=name,
                blame=Blame.CORE,
                at_ms=call.started[1],
                what=f"was started {len(call.started)} times",
                message_index=call.message_index,
                call_id=call.call_id,
            )


def no_tool_starts_before_an_interrupt_was_read(digest: Digest) -> Iterator[Breach]:
    """After an interrupt no tool is started before the model was called on it.

    An interrupt is what stops the model, signals a tool, or writes an urgent event down.
    """
    for slip in digest.slipped(SlipKind.EAGER_START):
        yield Breach(
            invariant="no_tool_starts_before_an_interrupt_was_read",
            blame=Blame.CORE,
            at_ms=slip.at_ms,
            what="was started between an interrupt and the next model call",
            call_id=slip.subject,
        )
