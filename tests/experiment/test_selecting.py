"""The best of several strategies: picked, and runs spent where they matter."""

import json
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

from simlab.analysis.stats.selection import SelectionPlan
from simlab.core.errors import SimlabError
from simlab.experiment.design import Design, World
from simlab.experiment.runner import run_replications
from simlab.experiment.scenario import load_scenario
from simlab.experiment.selecting import BATCH, pick_best
from tests.experiment.sweeps import TINY

RECORD = Path(__file__).parents[2] / "results" / "selection.json"
STRATEGIES = ("cancel", "queue", "queue-turn")


def design(*strategies: str) -> Design:
    world = World.of(load_scenario(TINY))
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
    with pytest.raises(SimlabError, match="'stop_latency_ms' has no value in any of the first 100 replications"):
        pick_best(design("cancel", "queue"), "stop_latency_ms", PLAN)


RARE = """
title = "Rarely a joke"
description = "A request, and now and then a light question while it is worked on."

[model]
call_ms = { law = "exponential", mean_s = 2 }

[tools.work]
run_ms = { law = "exponential", mean_s = 10 }

[plans.work]
steps = [{ id = "work", tool = "work" }]

[[events]]
id = "U1"
at_ms = 0
type = "user.input"
text = "work"
intent = { kind = "request", plan = "work" }

[[placed]]
task = "U1"
share = { law = "uniform", low = 0, high = 1 }
chance = 0.03

[[placed.variants]]
id = "joke"
weight = 1
type = "user.input"
text = "tell me a joke"
intent = { kind = "light" }
"""


def test_batches_without_an_event_of_the_kind_are_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "rare.toml"
    path.write_text(RARE, encoding="utf-8")
    world = World.of(load_scenario(path))
    rare = replace(design("queue", "parallel"), worlds=(world,))
    race = pick_best(rare, "response:light", SelectionPlan(indifference=2, first_runs=10, chunk_runs=1))
    assert race.selection.best == "parallel"
    assert race.runs > 2 * sum(race.replications.values()), "in most batches nobody asks"


def test_a_batch_with_a_value_under_one_strategy_only_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def some(tables: object, metric: str) -> dict[tuple[str, str], "pd.Series[float]"]:
        arm = pd.Series(range(100), dtype=float)
        return {("cancel", "by_type"): arm, ("queue", "by_type"): arm.drop(range(30, 40))}

    monkeypatch.setattr("simlab.experiment.selecting.metric_values", some)
    with pytest.raises(SimlabError, match="under some strategies only in replications 30 to 39: none under 'queue'"):
        pick_best(design("cancel", "queue"), "main_calls", PLAN)


def means(plan: Design, metric: str, replications: int) -> dict[str, float]:
    """Return the mean of each strategy over so many replications."""
    chunk = run_replications(plan, range(10**6, 10**6 + replications))
    frame = pd.DataFrame(chunk.runs)
    return {str(name): float(mean) for name, mean in frame.groupby("strategy")[metric].mean().items()}


@pytest.mark.nightly
def test_the_best_is_picked_as_often_as_stated() -> None:
    """Sixty races from different seeds against the truth of 20,000 runs of each; results/selection.json.

    A hard case: the best leads by little more than the indifference, and the other two are equal.
    """
    names, metric, indifference = ("cancel", "cancel-background", "queue-turn"), "main_calls", 0.04
    truth = means(design(*names), metric, 20_000)
    best = min(truth.values())
    good = {name for name, mean in truth.items() if mean <= best + indifference}
    assert len(good) == 1, "nothing to get wrong"
    plan = SelectionPlan(indifference=indifference, first_runs=10, chunk_runs=5)
    races = [pick_best(replace(design(*names), seed=100 + number), metric, plan) for number in range(60)]
    right = sum(race.selection.best in good for race in races)
    runs = sorted(race.runs for race in races)
    RECORD.write_text(
        json.dumps(
            {
                "metric": metric,
                "indifference": indifference,
                "truth": {name: round(mean, 3) for name, mean in truth.items()},
                "races": len(races),
                "right": right,
                "stated": 0.95,
                "runs_median": runs[len(runs) // 2],
                "runs_largest": runs[-1],
            },
            indent=1,
        )
        + "\n",
        encoding="utf-8",
    )
    assert right >= 54, "fewer than 54 of 60 has a chance below 0.04 if each race is right with probability 0.95"
