"""The fuzzer: a run depends on seed and number; a failure is shrunk, saved and replays."""

from pathlib import Path
from random import Random

import pytest

from simlab.strategies import STRATEGIES
from simlab.testing.cases import WorldRun, load_case, make_strategy, replay, run_world
from simlab.testing.fuzzing import SWITCHES, fuzz, fuzz_once, smallest, swarm_world
from simlab.testing.stage import Found
from simlab.testing.worlds import random_world

PLANTED = "tests.planted.strategies:"


@pytest.mark.parametrize("name", STRATEGIES.names())
def test_a_few_runs_find_nothing_that_the_field_does_not_report(name: str, tmp_path: Path) -> None:
    tally = fuzz(name, seed=1, runs=8, folder=tmp_path)
    assert (tally.runs, tally.failures, tally.cases) == (8, 0, {})


@pytest.mark.nightly
@pytest.mark.parametrize("name", STRATEGIES.names())
def test_many_runs_find_nothing_that_the_field_does_not_report(name: str, tmp_path: Path) -> None:
    assert fuzz(name, seed=2, runs=2_000, folder=tmp_path).cases == {}


def test_a_run_depends_on_seed_and_number_alone() -> None:
    for number in (6, 7):
        assert fuzz_once("cancel", 3, number) == fuzz_once("cancel", 3, number)
        assert fuzz_once("cancel", 3, number).run != fuzz_once("cancel", 4, number).run


def test_a_failure_is_saved_small_and_fails_again_exactly(tmp_path: Path) -> None:
    tally = fuzz(f"{PLANTED}LeavesCallsOpen", seed=0, runs=60, folder=tmp_path)
    path = tally.cases["every_call_is_closed_once"]
    case = load_case(path)
    _, found = replay(case)
    _, again = replay(load_case(path))
    assert found == again
    assert case.found in {each.name for each in found}


def test_a_world_that_fails_is_shrunk_to_a_few_events() -> None:
    name = f"{PLANTED}StopsAfterTools"
    fault = "every_request_is_finished_voided_or_censored"
    run = next(
        run
        for run in (WorldRun(world=random_world(Random(number)), seed=number) for number in range(200))
        if any(each.name == fault for each in replay_world(name, run))
    )
    small = smallest(name, run, fault)
    assert isinstance(small, WorldRun)
    assert fault in {each.name for each in replay_world(name, small)}
    assert len(small.world.events) <= 2
    assert len(small.world.events) <= len(run.world.events)


def replay_world(name: str, run: WorldRun) -> list[Found]:

    return run_world(run, make_strategy(name))[1]


@pytest.mark.parametrize("feature", SWITCHES)
def test_a_feature_that_is_switched_off_stays_off(feature: str) -> None:
    switch = SWITCHES[feature]
    for number in range(20):
        world = switch(random_world(Random(number)))
        assert switch(world) == world


def test_swarms_differ() -> None:
    assert len({repr(swarm_world(Random(number))) for number in range(10)}) == 10
