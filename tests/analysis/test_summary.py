import math

import numpy as np
import pytest

from simlab.analysis.arms import Metric
from simlab.analysis.stats.student import mean_interval
from simlab.analysis.summary import summarise, to_frame

N = 80


def test_every_strategy_stands_by_itself() -> None:
    cost = np.random.default_rng(1).lognormal(size=N)
    rows = summarise(replications=N, runs={("a", "cost"): cost, ("b", "cost"): 2 * cost}, run_quantiles=(0.9,))
    assert [(row.strategy, row.statistic) for row in rows] == [("a", "mean"), ("a", "p90"), ("b", "mean"), ("b", "p90")]
    expected = mean_interval(cost)
    assert (rows[0].interval.low, rows[0].interval.high) == pytest.approx((expected.low, expected.high))
    assert rows[2].interval.estimate == pytest.approx(2 * expected.estimate)
    assert rows[1].interval.estimate == np.sort(cost)[71]


def test_what_lies_beyond_the_horizon_has_no_upper_limit_and_is_counted() -> None:
    wait = np.where(np.arange(3 * N) % 4 == 0, math.inf, 5.0)
    rows = summarise(
        replications=N,
        events={("a", "wait"): (np.repeat(np.arange(N), 3), wait)},
        metrics={"wait": Metric(unit="s", horizon=60.0)},
    )
    found = {row.statistic: row for row in rows}
    assert found["restricted mean"].interval.estimate == pytest.approx(0.25 * 60 + 0.75 * 5)
    assert (found["p90"].interval.estimate, found["p90"].interval.high) == (math.inf, math.inf)
    assert found["p50"].interval.estimate == 5.0
    assert {row.censored_size for row in rows} == {60}


def test_a_strategy_without_events_is_not_left_out() -> None:
    (row,) = summarise(replications=N, events={("a", "wait"): ([], [])}, quantiles=())
    assert math.isnan(row.interval.estimate)
    assert (row.size, row.interval.high) == (0, math.inf)


def test_the_table_becomes_a_frame() -> None:
    frame = to_frame(summarise(replications=3, runs={("a", "cost"): [1.0, 2.0, 6.0]}))
    assert frame["statistic"].tolist() == ["mean", "p50", "p90", "p99"]
    assert frame["estimate"].tolist() == [3.0, 2.0, 6.0, 6.0]
    assert list(to_frame(()).columns) == list(frame.columns)
