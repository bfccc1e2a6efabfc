"""Invariants about what tools did to the world."""

from collections.abc import Iterator

from simlab.core.messages import LateResultMessage, ResultMessage
from simlab.core.record import Effect, FaultKind, ToolRun, root_id
from simlab.invariants.breach import Blame, Breach
from simlab.invariants.digest import Digest


def every_effect_happens_once_per_intent(digest: Digest) -> Iterator[Breach]:
    """A call with a side effect takes effect at most once for each intent: one step of one task in one version.

    A call that the model makes again because the trajectory reported an error is a new intent; so is one whose effect
    was undone. Motivated by repeated orders after a lost result (livekit#3702) and by runs that are rolled back while
    their effects remain (langgraphjs#864).
    """
    for effect in digest.record.effects:
        if effect.duplicate and not all(_reported_failed(digest, run, effect) for run in _earlier(digest, effect)):
            yield Breach(
                invariant="every_effect_happens_once_per_intent",
                blame=Blame.MODEL if _is_repeated_by_the_model(digest, effect) else Blame.STRATEGY,
                at_ms=effect.at_ms,
                what=f"step {effect.step!r} of task {effect.task_id!r} took effect again",
                call_id=effect.call_id,
            )


def _is_repeated_by_the_model(digest: Digest, effect: Effect) -> bool:
    """Whether the mocked model was made to call again what was still running."""
    return any(
        each.sampled and each.kind is FaultKind.REPEAT and each.task_id == effect.task_id
        for each in digest.record.exposures
    )


def _earlier(digest: Digest, effect: Effect) -> list[ToolRun]:
    """Return the runs of the same intent that had taken effect before, and stood then."""
    (own,) = [run for run in digest.record.tool_runs if run.call_id == effect.call_id]
    return [
        run
        for run in digest.record.tool_runs
        if (root_id(run.task_id), run.step, run.version) == (root_id(own.task_id), own.step, own.version)
        and run is not own
        and run.committed_ms is not None
        and run.committed_ms <= effect.at_ms
        and (run.undone_ms is None or run.undone_ms > effect.at_ms)
    ]


def _reported_failed(digest: Digest, run: ToolRun, effect: Effect) -> bool:
    """Whether the trajectory said that the run failed when the call was made again: it was the model's choice."""
    call, again = digest.calls.get(run.call_id), digest.calls.get(effect.call_id)
    if call is None or again is None or call.rewound:
        return False
    return any(
        isinstance(written.message, ResultMessage | LateResultMessage)
        and not written.message.result.ok
        and written.at_ms <= again.at_ms
        for written in (*call.closings, *call.later)
    )
