"""What one run came to, as one row of figures. Counts are per run; times are means over the events of the run.

An event that was never answered counts as open and enters no mean, so a mean is to be read with its open count.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from statistics import fmean

from simlab.core.record import EventTruth, IntentKind, RunOutcome, RunRecord, TaskTruth, ToolRun


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """One run in figures.

    ``request_ms`` is the mean time from a request to its last final answer; withdrawn requests do not count.
    ``first_answer_ms`` and ``acted_ms`` are the mean times from any other event (but notices) to the first answer
    (main or side) and to the moment at which the main model had acted on it. ``tool_thrown_away_ms`` is the time of
    runs that the agent stopped; a job that a plan cancels as a step of its own is not thrown away.
    ``late_mistakes`` are effects of mistaken work that took place after the correction had arrived.
    """

    scenario: str
    strategy: str
    router: str
    seed: int
    replication: int
    ended_ms: int
    complete: bool
    requests: int
    requests_open: int
    request_ms: float | None
    others: int
    others_open: int
    first_answer_ms: float | None
    acted_ms: float | None
    main_calls: int
    main_calls_discarded: int
    side_calls: int
    discarded_tokens: int
    cost_usd: float
    synchronous_call_share: float | None
    tool_ms: int
    tool_thrown_away_ms: int
    effects: int
    late_mistakes: int
    duplicate_effects: int
    decision_points: int


def outcome_of(record: RunRecord) -> Outcome:
    """Return the figures of a run."""
    tasks = [task for task in record.tasks.values() if task.voided_ms is None]
    others = [event for event in record.events.values() if event.kind not in _NOT_ASKED]
    main = [call for call in record.model_calls if not call.side]
    kept = [call for call in main if call.kept]
    return Outcome(
        scenario=record.scenario,
        strategy=record.strategy,
        router=record.router,
        seed=record.seed,
        replication=record.replication,
        ended_ms=record.ended_ms,
        complete=record.trace.complete,
        requests=len(tasks),
        requests_open=sum(task.finished_ms is None for task in tasks),
        request_ms=_mean(map(_request_ms, tasks)),
        others=len(others),
        others_open=sum(event.acted_ms is None for event in others),
        first_answer_ms=_mean(_since(event, event.first_answer_ms) for event in others),
        acted_ms=_mean(_since(event, event.acted_ms) for event in others),
        main_calls=len(main),
        main_calls_discarded=len(main) - len(kept),
        side_calls=len(record.model_calls) - len(main),
        discarded_tokens=sum(call.output_tokens for call in record.model_calls if not call.kept),
        cost_usd=sum(call.cost_usd for call in record.model_calls),
        synchronous_call_share=_mean(float(call.synchronous) for call in kept),
        tool_ms=sum(_tool_ms(run, record.ended_ms) for run in record.tool_runs),
        tool_thrown_away_ms=sum(_tool_ms(run, record.ended_ms) for run in record.tool_runs if _is_thrown_away(run)),
        effects=len(record.effects),
        late_mistakes=sum(effect.after_correction for effect in record.effects),
        duplicate_effects=sum(effect.duplicate for effect in record.effects),
        decision_points=len(record.decision_points),
    )


_NOT_ASKED = frozenset({IntentKind.REQUEST, IntentKind.NOTICE})


def _mean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return fmean(known) if known else None


def _request_ms(task: TaskTruth) -> int | None:
    return None if task.finished_ms is None else task.finished_ms - task.asked_ms


def _since(event: EventTruth, at_ms: int | None) -> int | None:
    return None if at_ms is None else at_ms - event.arrived_ms


def _is_thrown_away(run: ToolRun) -> bool:
    return run.outcome is RunOutcome.CANCELLED and run.cancel_asked_ms is not None


def _tool_ms(run: ToolRun, ended_ms: int) -> int:
    return (ended_ms if run.stopped_ms is None else run.stopped_ms) - run.started_ms
