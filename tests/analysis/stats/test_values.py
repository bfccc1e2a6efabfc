import dataclasses
import math

import numpy as np
import pytest

from simlab.analysis.stats.values import Interval, StatisticsError, as_floats, check_level, printed


def test_an_interval_knows_its_width_and_what_it_covers() -> None:
    interval = Interval(estimate=2.0, low=1.0, high=4.0, n=10)
    assert interval.half_width == 1.5
    assert interval.covers(1.0)
    assert interval.covers(4.0)
    assert not interval.covers(4.1)


def test_results_cannot_be_changed() -> None:
    interval = Interval(estimate=2.0, low=1.0, high=4.0, n=10)
    with pytest.raises(dataclasses.FrozenInstanceError):
        interval.low = 0.0  # type: ignore[misc]


def test_an_infinite_limit_is_never_printed_as_a_number() -> None:
    assert printed(math.inf) == "no upper limit"
    assert printed(-math.inf) == "no lower limit"
    assert printed(math.inf, horizon=1800.0) == ">= 1800"
    assert printed(1800.0, horizon=1800.0) == ">= 1800"
    assert printed(12.3456, horizon=1800.0) == "12.35"


@pytest.mark.parametrize(
    ("values", "says"),
    [([], "at least one"), ([[1.0, 2.0]], "one value per replication"), ([1.0, math.nan], r"waits\[1\]: nan")],
)
def test_unusable_data_is_refused_with_its_place(values: list[float], says: str) -> None:
    with pytest.raises(StatisticsError, match=says):
        as_floats(values, "waits")


def test_a_time_beyond_the_horizon_is_a_value() -> None:
    assert np.isinf(as_floats([1.0, math.inf])[1])


@pytest.mark.parametrize("level", [0.0, 1.0, 95.0])
def test_a_level_is_a_probability(level: float) -> None:
    with pytest.raises(StatisticsError, match=r"such as 0\.95"):
        check_level(level)
