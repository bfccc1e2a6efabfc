"""Invariants about time, and about the accounts: what was generated, what was run."""

from collections.abc import Iterator

from simlab.core.record import ModelCall, RunOutcome
from simlab.invariants.breach import Blame, Breach
from simlab.invariants.digest import Digest, ModelFacts, SlipKind

# Looked up once: on Python 3.11 the look-up of a member of an enumeration costs more than a call.
_RUNNING = RunOutcome.RUNNING


def time_never_runs_backwards(digest: Digest) -> Iterator[Breach]:
    """No record is older than the one before it."""
    for slip in digest.slipped(SlipKind.TIME):
        yield Breach(invariant="time_never_runs_backwards", blame=Blame.CORE, at_ms=slip.at_ms, what=str(slip.kind))


def what_is_generated_is_kept_or_discarded(digest: Digest) -> Iterator[Breach]:
    """Every main model call ends once, kept or discarded, and the world counts the tokens that the agent was told of.

    Only the last one may still be under way, in a run that was cut.
    """
    calls = digest.model_calls
    under_way = [call for call in calls if call.ended_ms is None]
    for call in under_way if digest.record.trace.complete else under_way[:-1]:
        yield _of_call(call, call.began_ms, "was neither kept nor discarded")
    counted = [each for each in digest.record.model_calls if not each.side]
    if not counted:
        return
    by_generation = {each.generation: each for each in counted}
    for call in calls:
        each = by_generation.get(call.generation)
        if each is None or not _agrees(call, each):
            yield _of_call(call, call.ended_ms or call.began_ms, "the world counts otherwise than the agent was told")


def _agrees(call: ModelFacts, counted: ModelCall) -> bool:
    if call.ended_ms is None:
        return not counted.kept
    return counted.kept is call.kept and counted.output_tokens == call.output_tokens


def _of_call(call: ModelFacts, at_ms: int, what: str) -> Breach:
    return Breach(
        invariant="what_is_generated_is_kept_or_discarded",
        blame=Blame.CORE,
        at_ms=at_ms,
        what=f"model call {call.generation}: {what}",
    )


def every_tool_second_is_accounted_for(digest: Digest) -> Iterator[Breach]:
    """Each start of a tool has one end, at the same time in the trace and in the world's own books.

    A tool may run on only where the run was cut.
    """
    name = "every_tool_second_is_accounted_for"
    complete = digest.record.trace.complete
    for call in digest.odd_calls:
        if call.ended_ms is None and call.started and complete and not call.rewound:
            yield Breach(
                invariant=name,
                blame=Blame.CORE,
                at_ms=call.started[0],
                what="was started and never ended",
                call_id=call.call_id,
            )
    for run in digest.record.tool_runs:
        told = digest.calls.get(run.call_id)
        if told is None or run.outcome is _RUNNING:
            continue
        if run.started_ms not in told.started or (told.ended_ms is not None and run.stopped_ms is None):
            yield Breach(
                invariant=name,
                blame=Blame.CORE,
                at_ms=run.started_ms,
                what="the world's books and the trace tell different times",
                call_id=run.call_id,
            )
