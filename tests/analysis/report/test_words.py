"""Verdicts in words: what is better and worse, by how much, and what would turn it."""

import math

import numpy as np
import pytest

from simlab.analysis.arms import Metric
from simlab.analysis.compare import Row, compare
from simlab.analysis.report.words import changes, details, difference, overview, short, verdicts

N = 60
NOISE = np.random.default_rng(5).normal(size=(3, N))
RUNS = {
    ("queue", "calls"): 10 + NOISE[0],
    ("cancel", "calls"): 12 + NOISE[0],
    ("parallel", "calls"): 10 + NOISE[0] + 0.2 * NOISE[1],
    ("queue", "waste"): 5 + NOISE[1],
    ("cancel", "waste"): 2 + NOISE[1],
    ("parallel", "waste"): 5 + NOISE[1],
}
METRICS = {"calls": Metric(unit="calls", relative_margin=0.02), "waste": Metric(unit="s", relative_margin=0.02)}
ARMS = ["queue", "cancel", "parallel"]


def rows(shift: float = 0.0) -> tuple[Row, ...]:
    runs = {key: values + (shift if key[0] == "cancel" else 0) for key, values in RUNS.items()}
    return compare(baseline="queue", replications=N, runs=runs, metrics=METRICS)


def test_each_arm_is_told_in_what_it_is_better_and_worse() -> None:
    cancel, parallel = verdicts(rows(), ARMS, "queue")
    assert cancel.head == "cancel"
    assert cancel.text.startswith("Better in 1: waste -3 s [-3, -3]. Worse in 1: calls +2 calls [2, 2].")
    assert parallel.text.startswith("Better in 0. Worse in 0. Of 2 means against queue, 2 are equivalent")


def test_the_overview_has_a_row_for_each_metric_and_a_column_for_each_arm() -> None:
    grid = overview(rows(), ARMS, "queue", "t")
    assert list(grid.head) == ["metric", "queue", "cancel", "parallel"]
    assert [[cell.tone for cell in row] for row in grid.rows] == [
        ["", "", "worse", "equivalent"],
        ["", "", "better", "equivalent"],
    ]
    assert grid.rows[1][2].number == pytest.approx(-3)


def test_what_never_differed_is_the_same_and_not_undecided() -> None:
    nothing = np.zeros(N)
    runs = RUNS | {(arm, "faults"): nothing for arm in ARMS} | {("cancel", "faults"): np.eye(N)[0]}
    found = compare(baseline="queue", replications=N, runs=runs, metrics=METRICS)
    faults = next(row for row in overview(found, ARMS, "queue", "t").rows if row[0].text == "faults")
    assert (faults[3].text, faults[3].tone, faults[3].number) == ("the same", "", 0)
    assert faults[2].tone == "undecided", "one of sixty runs differed"
    cancel, parallel = verdicts(found, ARMS, "queue")
    assert "0 the same in every run and 1 undecided." in cancel.text
    assert "1 the same in every run and 0 undecided." in parallel.text
    assert changes(found, replications=N, variants={}, baseline="queue")[0].text.startswith("1 means are undecided")


def test_details_hold_every_row() -> None:
    found = rows()
    assert len(details(found, "t").rows) == len(found)


def test_a_verdict_that_turns_in_another_world_is_named() -> None:
    turned = changes(rows(), replications=N, variants={"cap=120s": rows(shift=-4.0)}, baseline="queue")
    told = {each.head: each.text for each in turned}
    assert "1 turn around and are therefore undetermined: cancel, calls, mean" in told["Tools time out after 120s"]
    assert "Not tried here" in told["Work that is done again, drawn anew"]
    assert "The tail of the tool times" not in told


def test_how_many_runs_are_missing_is_told() -> None:
    few = {key: values[:8] + (0.3 * NOISE[2][:8] if key[0] == "parallel" else 0) for key, values in RUNS.items()}
    found = compare(baseline="queue", replications=8, runs=few, metrics=METRICS)
    told = changes(found, replications=8, variants={}, baseline="queue")[0].text
    undecided = [row for row in found if row.verdict.outcome.value == "undecided"]
    assert undecided
    assert told.startswith(f"{len(undecided)} means are undecided after 8 replications.")
    assert f"{undecided[0].verdict.more_runs:,}" in told


@pytest.mark.parametrize(
    ("value", "told"),
    [(0.01234, "0.0123"), (12.345, "12.3"), (1234.5, "1,234"), (math.nan, "-"), (math.inf, "no upper limit")],
)
def test_numbers_are_short(value: float, told: str) -> None:
    assert short(value) == told


def test_a_value_beyond_the_horizon_is_told_as_such() -> None:
    assert short(math.inf, horizon=60.0) == ">= 60"
    assert difference(rows()[0], "calls") == "+2 calls [2, 2]"
