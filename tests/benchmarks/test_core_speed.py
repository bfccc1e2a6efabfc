"""Runs per CPU second with trace, invariants and metrics on, beside the same loop written by hand without any of them.

The figures: ``pytest tests/benchmarks/test_core_speed.py --benchmark-enable -s``. The machine's speed moves, so the
gate is a ratio of CPU times: blocks of the one and of the other in turns, in one process, and the median of the ratios.
The cycle collector is handled in the same way for all (``quiet_collector``).
"""

import sys
from collections.abc import Callable
from statistics import median
from time import process_time

import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from simlab.analysis.metrics import event_rows, run_row
from simlab.experiment.runner import quiet_collector
from simlab.experiment.scenario import load_scenario
from simlab.invariants import check
from simlab.routers.by_type import ByType
from simlab.sim.driver import simulate
from simlab.sim.spec import WorldSpec
from simlab.strategies import STRATEGIES
from tests.benchmarks.bare_loops import SHAPES, BareLoop, HeapLoop, InterruptThinking, Shape, benchmark_world

SEED = 7
BLOCK = 20
ROUNDS = 15
AT_MOST = 4.0

MakeRun = Callable[[int], object]


def everything(shape: Shape) -> MakeRun:
    """Return what makes one run with everything on."""
    world, strategy, router = benchmark_world(shape), InterruptThinking(), ByType()

    def make(replication: int) -> int:
        record = simulate(world, strategy, router, seed=SEED, replication=replication)
        breaches = check(record)
        run_row(record, len(breaches))
        event_rows(record)
        return record.ended_ms

    return make


def cpu_seconds(make: MakeRun, first: int, runs: int) -> float:
    with quiet_collector():
        start = process_time()
        for replication in range(first, first + runs):
            make(replication)
        return process_time() - start


def ratio(make: MakeRun, floor: MakeRun, *, rounds: int = ROUNDS, block: int = BLOCK) -> float:
    """Return the median ratio of CPU times, of interleaved blocks on the same replications."""
    ratios = []
    for number in range(rounds):
        first = block * (number % 5)
        ratios.append(cpu_seconds(make, first, block) / cpu_seconds(floor, first, block))
    return median(ratios)


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.name)
def test_the_three_end_at_the_same_millisecond_in_every_run(shape: Shape) -> None:
    make = everything(shape)
    for replication in range(40):
        ended_ms = make(replication)
        assert BareLoop(SEED, replication, shape).run() == ended_ms
        assert HeapLoop(SEED, replication, shape).run() == ended_ms


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.name)
def test_everything_on_costs_at_most_four_times_a_bare_simpy_model(shape: Shape) -> None:
    make = everything(shape)
    over_simpy = ratio(make, lambda replication: BareLoop(SEED, replication, shape).run())
    over_heap = ratio(make, lambda replication: HeapLoop(SEED, replication, shape).run(), rounds=5)
    sys.stdout.write(f"\n{shape.name}: {over_simpy:.2f} times bare SimPy, {over_heap:.2f} times a bare heap\n")
    assert over_simpy <= AT_MOST


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.name)
@pytest.mark.parametrize("kind", ["everything", "bare SimPy", "bare heap"])
def test_runs_of_the_loop(benchmark: BenchmarkFixture, kind: str, shape: Shape) -> None:
    makes: dict[str, MakeRun] = {
        "everything": everything(shape),
        "bare SimPy": lambda replication: BareLoop(SEED, replication, shape).run(),
        "bare heap": lambda replication: HeapLoop(SEED, replication, shape).run(),
    }
    benchmark.extra_info["runs"] = BLOCK
    assert benchmark(cpu_seconds, makes[kind], 0, BLOCK) > 0


@pytest.mark.parametrize("scenario", ["coding-assistant", "chat-ops", "stress"])
def test_runs_of_a_shipped_scenario(benchmark: BenchmarkFixture, scenario: str) -> None:
    world: WorldSpec = load_scenario(scenario).world
    strategy, router = STRATEGIES.get("routed"), ByType()

    def make(replication: int) -> int:
        record = simulate(world, strategy, router, seed=SEED, replication=replication)
        return len(check(record)) + len(event_rows(record)) + run_row(record).events

    assert benchmark(cpu_seconds, make, 0, 5) > 0
