"""Runs per CPU second with trace, invariants and metrics on, beside the same loop written by hand without any of them.

The figures: ``pytest tests/benchmarks/test_core_speed.py --benchmark-enable -s``. The machine's speed moves, so the
gate is a ratio of CPU times: blocks of the one and of the other in turns, in one process, and the median of the ratios.
The cycle collector is handled in the same way for all (``quiet_collector``).
"""

import sys
from collections.abc import Callable
from statistics import median

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from simlab.analysis.metrics import event_rows, run_row
from simlab.core.record import RunRecord
from simlab.experiment.scenario import load_scenario
from simlab.invariants import check
from simlab.routers.by_type import ByType
from simlab.sim.driver import simulate
from simlab.sim.spec import WorldSpec
from simlab.strategies import STRATEGIES
from tests import timing
from tests.benchmarks.bare_loops import SHAPES, BareLoop, HeapLoop, InterruptThinking, Shape, benchmark_world
from tests.benchmarks.record import write_down

SEED = 7
BLOCK = 20
ROUNDS = 15
AT_MOST = 4.0

MakeRun = Callable[[int], object]


def makes(shape: Shape) -> dict[str, MakeRun]:
    """Return by name what makes one run of the loop: with everything on, without judging it, and by hand."""
    world, strategy, router = benchmark_world(shape), InterruptThinking(), ByType()

    def simulated(replication: int) -> RunRecord:
        return simulate(world, strategy, router, seed=SEED, replication=replication)

    def everything(replication: int) -> int:
        record = simulated(replication)
        breaches = check(record)
        run_row(record, len(breaches))
        event_rows(record)
        return record.ended_ms

    return {
        "everything": everything,
        "run and trace": simulated,
        "bare SimPy": lambda replication: BareLoop(SEED, replication, shape).run(),
        "bare heap": lambda replication: HeapLoop(SEED, replication, shape).run(),
    }


def cpu_seconds(make: MakeRun, first: int, runs: int) -> float:
    def work() -> None:
        for replication in range(first, first + runs):
            make(replication)

    return timing.cpu_seconds(work)


def ratio(make: MakeRun, floor: MakeRun, *, rounds: int = ROUNDS, block: int = BLOCK) -> float:
    """Return the median ratio of CPU times, of interleaved blocks on the same replications."""
    ratios = []
    for number in range(rounds):
        first = block * (number % 5)
        ratios.append(cpu_seconds(make, first, block) / cpu_seconds(floor, first, block))
    return median(ratios)


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.name)
def test_the_three_end_at_the_same_millisecond_in_every_run(shape: Shape) -> None:
    make = makes(shape)
    for replication in range(40):
        ended_ms = make["everything"](replication)
        assert make["bare SimPy"](replication) == ended_ms
        assert make["bare heap"](replication) == ended_ms


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.name)
def test_everything_on_costs_at_most_four_times_a_bare_simpy_model(shape: Shape) -> None:
    make = makes(shape)
    over_simpy = ratio(make["everything"], make["bare SimPy"])
    over_heap = ratio(make["everything"], make["bare heap"], rounds=5)
    sys.stdout.write(f"\n{shape.name}: {over_simpy:.2f} times bare SimPy, {over_heap:.2f} times a bare heap\n")
    assert over_simpy <= AT_MOST


@pytest.mark.nightly
def test_figures_of_speed() -> None:
    """Thirty interleaved rounds of every kind; the medians go into the record."""
    figures = {}
    for shape in SHAPES:
        make = makes(shape)
        rounds = [{kind: cpu_seconds(each, BLOCK * (number % 5), BLOCK) for kind, each in make.items()}
                  for number in range(30)]  # fmt: skip
        over_simpy = _times(rounds, "bare SimPy")
        figures[shape.name] = {
            "runs_per_cpu_s": {kind: round(BLOCK / median(each[kind] for each in rounds)) for kind in make},
            "times_bare_simpy": over_simpy,
            "times_bare_heap": _times(rounds, "bare heap"),
        }
        assert over_simpy["everything"] <= AT_MOST
    write_down("the loop", figures)
    shipped = {name: median(cpu_seconds(shipped_run(name), 0, 5) for _ in range(9)) for name in SHIPPED}
    write_down("shipped scenarios", {name: {"runs_per_cpu_s": round(5 / each, 1)} for name, each in shipped.items()})


def _times(rounds: list[dict[str, float]], floor: str) -> dict[str, float]:
    kinds = [kind for kind in rounds[0] if not kind.startswith("bare")]
    return {kind: round(median(each[kind] / each[floor] for each in rounds), 2) for kind in kinds}


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.name)
@pytest.mark.parametrize("kind", ["everything", "bare SimPy", "bare heap"])
def test_runs_of_the_loop(benchmark: BenchmarkFixture, kind: str, shape: Shape) -> None:
    benchmark.extra_info["runs"] = BLOCK
    assert benchmark(cpu_seconds, makes(shape)[kind], 0, BLOCK) > 0


SHIPPED = ("coding-assistant", "chat-ops", "stress")


def shipped_run(scenario: str) -> MakeRun:
    """Return what makes one run of a shipped scenario with everything on."""
    world: WorldSpec = load_scenario(scenario).world
    strategy, router = STRATEGIES.get("routed"), ByType()

    def make(replication: int) -> int:
        record = simulate(world, strategy, router, seed=SEED, replication=replication)
        return len(check(record)) + len(event_rows(record)) + run_row(record).events

    return make


@pytest.mark.parametrize("scenario", SHIPPED)
def test_runs_of_a_shipped_scenario(benchmark: BenchmarkFixture, scenario: str) -> None:
    assert benchmark(cpu_seconds, shipped_run(scenario), 0, 5) > 0
