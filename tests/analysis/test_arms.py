import math

import numpy as np
import pytest

from simlab.analysis.arms import Metric, censored_size, pack_arms, point, size, statistic_name
from simlab.analysis.stats.values import StatisticsError


def test_a_run_is_a_cluster_of_one() -> None:
    arm = pack_arms(replications=3, runs={("a", "cost"): [1.0, 2.0, 6.0]}, events=None, metrics=None)[
        "run", "cost", "a"
    ]
    assert arm is not None
    assert arm.counts.tolist() == [1, 1, 1]
    assert (point(arm, Metric(), None), point(arm, Metric(), 0.5)) == (3.0, 2.0)


def test_times_at_the_horizon_are_beyond_it() -> None:
    arms = pack_arms(
        replications=2,
        runs=None,
        events={("a", "wait"): ([0, 0, 1], [1.0, 60.0, math.inf])},
        metrics={"wait": Metric(horizon=60.0)},
    )
    arm = arms["event", "wait", "a"]
    assert (size(arm), censored_size(arm)) == (3, 2)
    assert arm is not None
    assert point(arm, Metric(horizon=60.0), None) == pytest.approx(121 / 3)
    assert point(arm, Metric(horizon=60.0), 0.5) == math.inf


def test_an_arm_without_events_is_kept_as_nothing() -> None:
    arms = pack_arms(replications=2, runs=None, events={("a", "wait"): (np.array([]), np.array([]))}, metrics=None)
    assert arms == {("event", "wait", "a"): None}
    assert (size(None), censored_size(None)) == (0, 0)


def test_statistics_have_the_names_of_tables() -> None:
    assert [statistic_name(share, Metric()) for share in (None, 0.5, 0.9, 0.995)] == ["mean", "p50", "p90", "p99.5"]
    assert statistic_name(None, Metric(horizon=9.0)) == "restricted mean"


def test_censored_runs_need_a_horizon() -> None:
    with pytest.raises(StatisticsError, match="a: makespan: values are censored"):
        pack_arms(replications=2, runs={("a", "makespan"): [1.0, math.inf]}, events=None, metrics=None)
