"""All strategies share the same luck, and work that is done again is the same work."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from simlab.analysis.compare import Row
from simlab.core.record import IntentKind, RunOutcome, RunRecord
from simlab.experiment.design import Design, World
from simlab.experiment.population import flips, run_population
from simlab.experiment.scenario import load_scenario
from simlab.experiment.variants import resampled
from simlab.routers import ROUTERS
from simlab.sim.driver import Driver
from simlab.sim.laws import Pareto
from simlab.sim.spec import EventSpec, ModelSpec, Step, WorldSpec
from simlab.sim.streams import Draws
from simlab.strategies import STRATEGIES
from tests.sim.planted_streams import CounterDraws
from tests.validation.building import constant, event, request, tool, world

SHARED = ("queue", "queue-turn", "cancel", "cancel-background", "parallel", "routed", "queue-first-return")


def tool_times(record: RunRecord) -> dict[tuple[str, str, str], set[int]]:
    """Return the times that finished runs of each piece of work took."""
    times: dict[tuple[str, str, str], set[int]] = {}
    for each in record.tool_runs:
        if each.outcome is RunOutcome.FINISHED and each.stopped_ms is not None:
            times.setdefault((each.task_id, each.step, each.version), set()).add(each.stopped_ms - each.started_ms)
    return times


def arrivals(record: RunRecord) -> dict[str, int]:
    return {name: each.arrived_ms for name, each in record.events.items() if not name.startswith(("late:", "job:"))}


def shared_luck(spec: WorldSpec, draws: type[Draws]) -> bool:
    """Whether all strategies meet the same arrivals and tool times in 20 replications."""
    reference = {"task": (0, 60_000)}
    for replication in range(20):
        seen: dict[tuple[str, str, str], set[int]] = {}
        when: dict[str, int] = {}
        for name in SHARED:
            driver = Driver(
                spec, STRATEGIES.get(name), ROUTERS.get("by_type"), draws=draws(11, replication), reference=reference
            )
            record = driver.run()
            for work, times in tool_times(record).items():
                if len(times) != 1 or seen.setdefault(work, times) != times:
                    return False
            if any(when.setdefault(event_id, at_ms) != at_ms for event_id, at_ms in arrivals(record).items()):
                return False
    return True


def test_draws_of_the_same_name_are_equal_under_all_strategies_exactly() -> None:
    assert shared_luck(load_scenario("coding-assistant").world, Draws)


def test_the_planted_counter_keyed_stream_fails_that_test() -> None:
    assert not shared_luck(load_scenario("coding-assistant").world, CounterDraws)


# --- work repeats -----------------------------------------------------------------------------------------------------


def interrupted(every_ms: int, count: int, *, resample: bool) -> WorldSpec:
    """Return one heavy-tailed tool (at most 600 s) and light questions at regular intervals."""
    events: tuple[EventSpec, ...] = (
        request(),
        *(event(f"q{number}", every_ms * (number + 1), IntentKind.LIGHT) for number in range(count)),
    )
    spec = world(
        tools=(tool("t", law=Pareto(minimum=4000.0, alpha=0.7, cap=600_000.0)),),
        steps=(Step(id="s", tool="t"),),
        events=events,
        model=ModelSpec(call_ms=constant(500)),
    )
    return replace(spec, resample=resample, horizon_ms=7_200_000)


def test_a_tool_that_is_cancelled_and_issued_again_takes_the_same_time() -> None:
    for replication in range(50):
        record = Driver(
            interrupted(20_000, 3, resample=False),
            STRATEGIES.get("cancel"),
            ROUTERS.get("by_type"),
            draws=Draws(2, replication),
            reference={},
        ).run()
        (times,) = tool_times(record).values()
        assert len(times) == 1
        for each in record.tool_runs:
            assert each.stopped_ms is not None
            assert each.stopped_ms - each.started_ms <= max(times)


def test_resampling_turns_the_verdict_on_a_heavy_tail_and_the_report_says_so() -> None:
    """Cancelling a heavy-tailed tool seems to speed it up when its luck is drawn anew: the verdict must be refused."""
    base = World(name="heavy", spec=interrupted(20_000, 30, resample=False), digest="heavy")
    design = Design(
        worlds=(base, resampled(base)),
        strategies=("queue", "cancel"),
        routers=("by_type",),
        replications=150,
        seed=4,
    )
    declared, other = run_population(design).compared
    makespan = {each.scenario: _mean(each.rows, "makespan") for each in (declared, other)}
    assert makespan["heavy"].paired.low > 0  # cancelling costs time when the work is the work
    assert makespan["heavy@resample"].paired.high < 0  # and gains it when every attempt draws a new tool
    assert "makespan" in {row.metric for row in flips(declared, other)}


def _mean(rows: Sequence[Row], metric: str) -> Row:
    (row,) = (each for each in rows if each.metric == metric and each.statistic == "restricted mean")
    return row


@pytest.mark.parametrize("metric", ["makespan", "output tokens"])
def test_common_luck_saves_variance_and_says_how_much(metric: str) -> None:
    base = load_scenario("coding-assistant")
    design = Design(
        worlds=(World(name="c", spec=base.world, digest=base.sha256),),
        strategies=("queue", "cancel"),
        routers=("oracle",),
        replications=150,
        seed=1,
    )
    (compared,) = run_population(design).compared
    (factor,) = (
        row.paired.variance_factor for row in compared.rows if row.metric == metric and row.statistic.endswith("mean")
    )
    assert factor.low > 2
    below_one = [row.metric for row in compared.rows if row.paired.variance_factor.high < 1]
    assert below_one == []
