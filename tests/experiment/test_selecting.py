"""The best of several strategies: picked, and runs spent where they matter."""

import pytest

from simlab.analysis.stats.selection import SelectionPlan
from simlab.core.errors import SimlabError
from simlab.experiment.design import Design, World
from simlab.experiment.scenario import load_scenario
from simlab.experiment.selecting import BATCH, pick_best
from tests.experiment.sweeps import TINY

STRATEGIES = ("cancel", "queue", "queue-turn")


def design(*strategies: str) -> Design:
    found = load_scenario(TINY)
    world = World(name=found.name, spec=found.world, digest=found.sha256)
    return Design(worlds=(world,), strategies=strategies, routers=("by_type",), replications=1, seed=1)


PLAN = SelectionPlan(indifference=0.2, first_runs=10, chunk_runs=5)


def test_the_fewest_model_calls_are_those_of_the_queue_and_the_loser_stops_early() -> None:
    race = pick_best(design(*STRATEGIES), "main_calls", PLAN)
    assert race.selection.best == "queue"
    assert race.replications["cancel"] < max(race.replications.values()) or len(race.selection.eliminations) == 2
    assert race.runs == sum(race.replications.values())
    assert race.means["queue"] < min(race.means["cancel"], race.means["queue-turn"])


def test_the_direction_of_the_metric_counts() -> None:
    plan = SelectionPlan(indifference=0.2, first_runs=10, chunk_runs=5, higher_is_better=True)
    assert pick_best(design("cancel", "queue"), "main_calls", plan).selection.best == "cancel"


def test_several_processes_pick_the_same_in_the_same_runs() -> None:
    one, two = (pick_best(design(*STRATEGIES), "response:light", PLAN, jobs=jobs) for jobs in (1, 2))
    assert (one.selection, one.means, one.runs) == (two.selection, two.means, two.runs)


def test_a_race_that_would_cost_too_much_is_given_up() -> None:
    plan = SelectionPlan(indifference=1e-6, first_runs=10, chunk_runs=5)
    with pytest.raises(SimlabError, match=r"no best after .* runs; still in the race: cancel, queue"):
        pick_best(design("cancel", "queue"), "response:light", plan, most_runs=4 * 10 * BATCH)


def test_a_metric_without_a_value_in_a_run_is_told() -> None:
    with pytest.raises(SimlabError, match="has no value in replications 0 to 9 under 'cancel'"):
        pick_best(design("cancel", "queue"), "stop_latency_ms", PLAN)
