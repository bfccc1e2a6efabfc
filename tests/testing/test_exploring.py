"""The explorer tries every distinct instant, says what it did not try, and repeats its count."""

from dataclasses import replace
from random import Random

import pytest

from simlab.core.errors import SimlabError
from simlab.experiment.scenario import load_scenario
from simlab.routers import ROUTERS
from simlab.sim.driver import simulate
from simlab.sim.spec import Plan
from simlab.strategies.queue import QueueAll
from simlab.testing.cases import make_strategy, run_world
from simlab.testing.exploring import explore, kinds_of, spots_of
from simlab.testing.worlds import random_world

EMAIL = load_scenario("01-email-weather").world


def test_the_instants_are_those_at_which_anything_happens_and_the_gaps_between() -> None:
    bare = replace(EMAIL, events=EMAIL.events[:1])
    spots = list(spots_of(simulate(bare, QueueAll(), ROUTERS.get("by_type")), 0))
    assert [at_ms for at_ms, _ in spots] == [
        *(0, 1, 1_000, 1_999),
        *(2_000, 2_001, 6_000, 9_999),
        *(10_000, 10_001, 11_000, 11_999),
        *(12_000, 13_000),
    ]
    assert sum(stands_for for _, stands_for in spots) == 12_001 + 1  # every millisecond of the run, and one after it


def test_other_events_of_the_scenario_are_placed_beside_the_standard_ones() -> None:
    kinds = kinds_of(EMAIL)
    assert [each.id for each in kinds] == ["U2", "urgent", "correction", "amendment", "request"]  # U2 is a light one


def test_a_correct_strategy_survives_every_placement_of_one_event_and_the_count_is_the_product() -> None:
    done = explore(EMAIL, "cancel", events=1)
    assert done.broken is None
    assert (done.placements, done.runs) == (14 * 5, 14 * 5 + 1)
    assert done.stands_for == 12_002 * 5
    assert done.not_run == done.stands_for - done.placements


def test_two_explorations_have_the_same_count() -> None:
    small = replace(EMAIL, plans=dict.fromkeys(EMAIL.plans, Plan()))
    first, second = (explore(small, "routed", events=2) for _ in range(2))
    assert first == second


def test_the_smallest_placement_that_breaks_something_is_told_and_runs_again() -> None:
    seen: list[int] = []
    done = explore(EMAIL, "hard-cancel", events=2, progress=lambda each: seen.append(each.runs))
    assert done.broken is not None
    assert done.run is not None
    assert [str(each) for each in done.broken] == ["U2 (user.input, light) at 2,000 ms"]
    assert seen == list(range(1, done.runs + 1))
    _, found = run_world(done.run, make_strategy("hard-cancel"))
    assert [each.what for each in found] == [each.what for each in done.found]


def test_a_world_that_leaves_something_to_chance_is_refused() -> None:
    with pytest.raises(SimlabError, match="explore needs a scripted scenario"):
        explore(random_world(Random(0)), "cancel", events=1)


def test_an_unknown_strategy_is_refused_before_anything_runs() -> None:
    with pytest.raises(SimlabError, match="no strategy 'nobody'"):
        explore(EMAIL, "nobody", events=1)
