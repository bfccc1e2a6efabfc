"""Measures of a comparison: which there are depends on what happened."""

import pytest

from simlab.analysis.measures import SIGN_OF_LIFE
from simlab.experiment.design import Design, World
from simlab.experiment.population import Compared, run_population
from simlab.experiment.scenario import load_scenario


def compared(*strategies: str) -> Compared:
    scenario = load_scenario("customer-desk")
    world = World.of(scenario)
    design = Design(worlds=(world,), strategies=strategies, routers=("by_type",), replications=20, seed=3)
    return run_population(design).compared[0]


def test_a_holding_reply_is_a_sign_of_life_long_before_the_answer() -> None:
    rows = {
        row.metric: row
        for row in compared("queue", "holding-reply").rows
        if row.statistic.endswith("mean") and row.strategy == "holding-reply"
    }
    sign, response = rows[f"{SIGN_OF_LIFE.label}, amend"], rows["response, amend"]
    assert sign.paired.high < 0
    assert sign.value < response.value
    assert sign.baseline_value == pytest.approx(response.baseline_value)


def test_without_holding_replies_there_is_no_such_measure() -> None:
    assert not any(row.metric.startswith(SIGN_OF_LIFE.label) for row in compared("queue", "cancel").rows)
