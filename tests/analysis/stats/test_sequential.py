import math

import numpy as np
import pytest

from simlab.analysis.stats.sequential import Precision, StoppingRule, look, look_points
from simlab.analysis.stats.student import mean_interval
from simlab.analysis.stats.values import StatisticsError, StudentInterval

RULE = StoppingRule(
    precisions={"wait_ms": Precision(half_width=0.1), "cost_usd": Precision(half_width=0.5, relative=False)},
    chunk_runs=20,
    floor_runs=50,
    cap_runs=150,
)


def known(estimate: float, half_width: float, n: int) -> StudentInterval:
    return StudentInterval(
        estimate=estimate, low=estimate - half_width, high=estimate + half_width, n=n, standard_error=1.0, df=n - 1
    )


def test_looks_come_at_multiples_of_the_chunk_from_the_floor_to_the_cap() -> None:
    assert list(look_points(RULE)) == [60, 80, 100, 120, 140, 150]


def test_it_goes_on_while_the_worst_metric_is_too_wide() -> None:
    found = look(RULE, {"wait_ms": known(100, 5, 60), "cost_usd": known(1, 1.0, 60)})
    assert (found.worst, found.worst_ratio) == ("cost_usd", 2.0)
    assert (found.stop, found.next_runs, found.forecast_runs) == (False, 80, 240)


def test_it_stops_when_all_are_narrow() -> None:
    found = look(RULE, {"wait_ms": known(100, 10, 60), "cost_usd": known(1, 0.4, 60)})
    assert (found.reached, found.stop, found.next_runs, found.worst) == (True, True, None, "wait_ms")


def test_it_stops_at_the_cap_and_says_that_it_was_the_cap() -> None:
    found = look(RULE, {"wait_ms": known(100, 11, 150), "cost_usd": known(1, 0.4, 150)})
    assert (found.reached, found.stop) == (False, True)


def test_the_last_chunk_ends_at_the_cap() -> None:
    assert look(RULE, {"wait_ms": known(100, 11, 140), "cost_usd": known(1, 0.4, 140)}).next_runs == 150


def test_a_difference_is_measured_against_the_baseline() -> None:
    near_zero = {"wait_ms": known(0.01, 9, 60), "cost_usd": known(0, 0.1, 60)}
    assert not look(RULE, near_zero).reached
    assert look(RULE, near_zero, references={"wait_ms": 100.0}).reached


def test_a_relative_width_of_zero_is_reached_by_certainty_only() -> None:
    assert look(RULE, {"wait_ms": known(0, 1, 60), "cost_usd": known(0, 0.1, 60)}).worst_ratio == math.inf
    assert look(RULE, {"wait_ms": known(0, 0, 60), "cost_usd": known(0, 0.1, 60)}).reached


@pytest.mark.parametrize("n", [20, 40, 70, 149])
def test_peeking_between_the_looks_is_refused(n: int) -> None:
    with pytest.raises(StatisticsError, match="look at multiples of 20"):
        look(RULE, {"wait_ms": known(100, 1, n), "cost_usd": known(1, 0.1, n)})


def test_a_declared_metric_cannot_be_left_out() -> None:
    with pytest.raises(StatisticsError, match="'cost_usd'"):
        look(RULE, {"wait_ms": known(100, 1, 60)})


@pytest.mark.parametrize(
    ("half_width", "chunk", "floor", "cap"),
    [(0.0, 10, 50, 100), (0.1, 0, 50, 100), (0.1, 10, 1, 100), (0.1, 10, 50, 49)],
)
def test_rules_without_sense_are_refused(half_width: float, chunk: int, floor: int, cap: int) -> None:
    with pytest.raises(StatisticsError, match="stopping rule"):
        StoppingRule(
            precisions={"m": Precision(half_width=half_width)}, chunk_runs=chunk, floor_runs=floor, cap_runs=cap
        )


def test_a_rule_needs_a_metric() -> None:
    with pytest.raises(StatisticsError, match="at least one metric"):
        StoppingRule(precisions={}, chunk_runs=10, cap_runs=100)


def test_the_forecast_is_met() -> None:
    values = np.random.default_rng(1).normal(100, 30, 2000)
    rule = StoppingRule(precisions={"m": Precision(half_width=0.02)}, chunk_runs=10, cap_runs=2000)
    forecast = look(rule, {"m": mean_interval(values[:100])}).forecast_runs
    stopped = next(n for n in look_points(rule) if look(rule, {"m": mean_interval(values[:n])}).stop)
    assert forecast is not None
    assert abs(stopped - forecast) < 0.3 * stopped
