"""The league's arithmetic: what a run is measured by, restricted means, one family of tests, and the front."""

import math

import pandas as pd
import pytest

from simlab.analysis.league import (
    BY_DIFFERENCE,
    COLUMNS,
    MEASURES,
    league_row,
    overall,
    standings,
    unanswered,
    undominated,
)
from simlab.analysis.stats.verdict import Outcome
from simlab.experiment.scenario import load_scenario
from simlab.routers import ROUTERS
from simlab.sim.driver import simulate
from simlab.strategies import STRATEGIES


def table(count: int = 30, **values: float) -> pd.DataFrame:
    """Return rows that are all alike but for a small wave, so that there is something to estimate."""
    rows = [{**dict.fromkeys(COLUMNS, 0.0), "replication": number, "ended_ms": 60_000} for number in range(count)]
    for number, row in enumerate(rows):
        for name, value in values.items():
            row[name] = value + 0.01 * (number % 3) * (value > 0) * name.endswith("_total_s")
    return pd.DataFrame(rows)


def test_a_run_is_measured_by_what_happened_to_its_events() -> None:
    record = simulate(load_scenario("02-stop-said-it-wrong").world, STRATEGIES.get("queue"), ROUTERS.get("by_type"))
    row = league_row(record, breaches=0)
    assert set(row) == set(COLUMNS)
    (correction,) = (each for each in record.events.values() if each.kind == "correct")
    assert correction.acted_ms is not None
    assert row["urgent_total_s"] == (correction.acted_ms - correction.arrived_ms) / 1000
    assert (row["urgent_answered"], row["urgent_open"]) == (1, 0)
    assert row["calls"] == len(record.model_calls)


def test_an_unanswered_event_counts_as_the_horizon() -> None:
    tables = {
        ("s", "queue"): table(urgent_total_s=10, urgent_answered=1),
        ("s", "deaf"): table(urgent_open=1),
    }
    by_horizon = {
        each.measure: each for each in standings(tables, {"s": 100.0}, baseline="queue") if each.policy == "deaf"
    }
    assert by_horizon["urgent"].value == 100
    assert by_horizon["urgent"].open_share == 1
    assert by_horizon["urgent"].outcome is Outcome.WORSE
    longest = {each.measure: each for each in standings(tables, {"s": None}, baseline="queue")}
    assert longest["urgent"].value == 60


def test_a_policy_that_does_the_same_is_equivalent_and_one_without_such_events_gets_no_verdict() -> None:
    tables = {("s", name): table(urgent_total_s=10, urgent_answered=1) for name in ("queue", "twin")}
    found = {each.measure: each for each in standings(tables, {"s": 100.0}, baseline="queue")}
    assert found["urgent"].outcome is Outcome.EQUIVALENT
    assert found["aside"].outcome is None
    assert math.isnan(found["aside"].value)


def test_a_pair_in_which_a_run_failed_is_left_out() -> None:
    tables = {("s", "queue"): table(), ("s", "broken"): table(failed=1)}
    assert standings(tables, {"s": 100.0}, baseline="queue") == []


def test_what_is_decided_alone_may_be_undecided_in_the_whole_league() -> None:
    """The family of tests is the league: a p value of 0.003 is a verdict among 9 comparisons and none among 369."""
    swing = [1.0, -1.0] * 30

    def calls(shift: float) -> pd.DataFrame:
        frame = table(60)
        return frame.assign(calls=[10 + shift + each for each in swing])

    base = table(60).assign(calls=10.0)
    tables = {("s", "queue"): base, ("s", "one"): calls(0.4)}
    crowd = {("s", f"p{number}"): calls(0.0) for number in range(40)}

    def verdict(found: dict[tuple[str, str], pd.DataFrame]) -> Outcome | None:
        rows = standings(found, {"s": None}, baseline="queue")
        (mine,) = (each for each in rows if each.policy == "one" and each.measure == "calls")
        return mine.outcome

    assert verdict(tables) is Outcome.WORSE
    assert verdict({**tables, **crowd}) is Outcome.UNDECIDED


def test_the_overall_level_is_a_geometric_mean_of_ratios_or_a_mean_difference() -> None:
    tables = {
        ("a", "queue"): table(urgent_total_s=10, urgent_answered=1),
        ("a", "x"): table(urgent_total_s=40, urgent_answered=1, harm=2),
        ("b", "queue"): table(urgent_total_s=10, urgent_answered=1),
        ("b", "x"): table(urgent_total_s=10, urgent_answered=1),
    }
    summed = overall(standings(tables, {"a": 100.0, "b": 100.0}, baseline="queue"))
    assert summed["x", "urgent"].level == pytest.approx(2, rel=1e-3)
    assert summed["x", "harm"].level == pytest.approx(1)
    assert (summed["x", "urgent"].worse, summed["x", "urgent"].equivalent) == (1, 1)
    assert summed["x", "urgent"].told().endswith("(0/1/1/0)")


def test_the_share_of_unanswered_events_is_a_mean_over_scenarios() -> None:
    tables = {
        ("a", "x"): table(urgent_open=1),
        ("b", "x"): table(urgent_answered=1),
        ("c", "x"): table(aside_answered=3, routine_open=1),
    }
    assert unanswered(tables)["x"] == pytest.approx((1 + 0 + 0.25) / 3)


def test_the_front_holds_those_that_nobody_beats() -> None:
    levels = {"a": (1.0, 5.0), "b": (5.0, 1.0), "c": (5.0, 5.0), "twin": (1.0, 5.0)}
    assert undominated(levels) == ["a", "b", "twin"]


def test_measures_that_may_be_zero_are_told_as_differences() -> None:
    assert {measure.name for measure in MEASURES} > BY_DIFFERENCE
