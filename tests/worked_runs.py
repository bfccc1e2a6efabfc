"""Runs of the worked cases, and the facts that the cases state about them."""

from collections.abc import Iterator
from functools import cache

from simlab.core.commands import Append, CallModel
from simlab.core.messages import AssistantMessage, Message, notation
from simlab.core.plugins import Strategy
from simlab.core.record import ModelCall, RunOutcome, RunRecord, ToolRun
from simlab.experiment.scenario import load_scenario
from simlab.routers import ROUTERS
from simlab.sim.driver import simulate
from simlab.strategies import STRATEGIES


@cache
def worked(case: str, strategy: str) -> RunRecord:
    """Run a worked case with a shipped strategy, routed by type."""
    return with_strategy(case, STRATEGIES.get(strategy))


def with_strategy(case: str, strategy: Strategy) -> RunRecord:
    return simulate(load_scenario(case).world, strategy, ROUTERS.get("by_type"))


def trajectory(run: RunRecord) -> str:
    return notation(run.trace.trajectory())


def appended(run: RunRecord) -> Iterator[tuple[int, Message]]:
    """Return every message with the time at which it was appended."""
    for at_ms, record in run.trace.records:
        if isinstance(record, Append):
            yield at_ms, record.message


def said(run: RunRecord) -> list[tuple[int, tuple[str, ...], int]]:
    """Return for each assistant message its time, what its text answers, and how many calls it makes."""
    return [(at_ms, m.says, len(m.calls)) for at_ms, m in appended(run) if isinstance(m, AssistantMessage)]


def main_calls(run: RunRecord) -> list[ModelCall]:
    return [call for call in run.model_calls if not call.side]


def side_calls(run: RunRecord) -> list[tuple[int, int | None]]:
    return [(call.started_ms, call.ended_ms) for call in run.model_calls if call.side]


def begun(run: RunRecord) -> list[int]:
    """Return when the main model calls began."""
    starts = [at_ms for at_ms, record in run.trace.records if isinstance(record, CallModel)]
    assert starts == [call.started_ms for call in main_calls(run)]
    return starts


def done(run: RunRecord, task: str = "U1") -> int | None:
    return run.tasks[task].finished_ms


def answered(run: RunRecord, event: str = "U2") -> int | None:
    return run.events[event].first_answer_ms


def acted(run: RunRecord, event: str = "U2") -> int | None:
    return run.events[event].acted_ms


def consumed(run: RunRecord, event: str = "U2") -> int | None:
    return run.events[event].consumed_ms


def ran(run: RunRecord, call_id: str) -> ToolRun:
    return next(each for each in run.tool_runs if each.call_id == call_id)


def thrown_away_ms(run: RunRecord) -> list[int]:
    """Return the tool time of each cancelled run."""
    return [
        run.stopped_ms - run.started_ms
        for run in run.tool_runs
        if run.outcome is RunOutcome.CANCELLED and run.stopped_ms is not None
    ]


def mistaken_after(run: RunRecord) -> int:
    """Return how many mistaken effects took place after their correction had come."""
    return sum(effect.after_correction for effect in run.effects)


def points(run: RunRecord) -> list[tuple[int, str, str, str, str]]:
    """Return the decision points: time, task, node, missing step, call."""
    return [(p.at_ms, p.task_id, p.node, p.missing, p.call_id) for p in run.decision_points]
