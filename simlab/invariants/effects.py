"""Invariants about what tools did to the world."""

from collections.abc import Iterator

from simlab.core.decisions import Departure
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
        if not effect.duplicate:
            continue
        earlier = _earlier(digest, effect)
        if earlier and not any(_reported_failed(digest, run) for run in earlier):
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


_OUT_OF_ORDER = {Departure.REORDERS, Departure.WAITS}


def _earlier(digest: Digest, effect: Effect) -> list[ToolRun]:
    """Return the runs of the same intent that had taken effect before, and stand.

    Where events are read out of order by declaration, a repetition read before what it repeats is a request of its own.
    """
    (own,) = [run for run in digest.record.tool_runs if run.call_id == effect.call_id]
    out_of_order = bool(_OUT_OF_ORDER & digest.record.trace.departures)
    return [
        run
        for run in digest.record.tool_runs
        if (root_id(run.task_id), run.step, run.version) == (root_id(own.task_id), own.step, own.version)
        and run is not own
        and (run.task_id == own.task_id or not out_of_order)
        and run.committed_ms is not None
        and run.committed_ms <= effect.at_ms
        and run.undone_ms is None
    ]


def _reported_failed(digest: Digest, run: ToolRun) -> bool:
    """Whether the trajectory says that the call failed, so that making it again was the model's choice."""
    call = digest.calls.get(run.call_id)
    if call is None or call.rewound:
        return False
    messages = [written.message for written in (*call.closings, *call.later)]
    return any(isinstance(each, ResultMessage | LateResultMessage) and not each.result.ok for each in messages)
