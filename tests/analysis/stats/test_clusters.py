import math

import numpy as np
import pytest

from simlab.analysis.stats.clusters import check_same_replications, clustered
from simlab.analysis.stats.values import StatisticsError


def test_totals_and_counts_keep_replications_without_events() -> None:
    events = clustered([3, 0, 3], [5.0, 1.0, 2.0], 5)
    assert events.counts.tolist() == [1, 0, 0, 2, 0]
    assert events.total(events.value).tolist() == [1, 0, 0, 7, 0]


def test_restricted_values_end_at_the_horizon() -> None:
    assert clustered([0, 0, 1], [5.0, math.inf, 70.0], 2).restricted(60.0).value.tolist() == [5, 60, 60]


@pytest.mark.parametrize(
    ("owners", "values", "says"),
    [
        ([0], [1.0, 2.0], "shape"),
        ([], [], "none"),
        ([0, 2], [1.0, 1.0], r"0\.\.2; they must lie in 0\.\.1"),
        ([-1, 0], [1.0, 1.0], r"-1\.\.0"),
        ([0, 1], [1.0, math.nan], "nan"),
    ],
)
def test_events_that_do_not_fit_are_refused(owners: list[int], values: list[float], says: str) -> None:
    with pytest.raises(StatisticsError, match=says):
        clustered(owners, values, 2)


def test_arms_of_different_replications_are_refused() -> None:
    one, other = clustered([0], [1.0], 2), clustered([0], [1.0], 3)
    with pytest.raises(StatisticsError, match="2 and 3 replications"):
        check_same_replications(one, other)


def test_packed_values_are_arrays_of_the_right_kind() -> None:
    events = clustered([0, 1], [1, 2], 2)
    assert events.value.dtype == np.float64
    assert events.replication.dtype == np.int64
