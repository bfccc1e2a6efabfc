import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simlab.analysis.stats.clusters import Clustered, clustered
from simlab.analysis.stats.ratio import event_mean, paired_event_means, paired_ratios, ratio
from simlab.analysis.stats.student import mean_interval
from simlab.analysis.stats.values import StatisticsError
from tests.analysis.stats.arrays import events


def test_a_ratio_by_hand() -> None:
    # totals 6, 2, 10 over counts 2, 1, 3: R = 18 / 6 = 3; residuals 0, -1, 1; variance 1; se = 1 / sqrt(3) / 2
    found = ratio([6.0, 2.0, 10.0], [2, 1, 3], guard=False)
    assert found.estimate == 3.0
    assert found.standard_error == pytest.approx(1 / math.sqrt(3) / 2)


def test_with_equal_counts_it_is_the_mean_of_replications() -> None:
    totals = np.array([6.0, 2.0, 10.0, 7.0])
    one, other = ratio(totals, np.full(4, 2)), mean_interval(totals / 2)
    assert (one.estimate, one.low, one.high) == pytest.approx((other.estimate, other.low, other.high))


def test_it_is_the_cochran_estimator() -> None:
    # Cochran 1977, (6.13): var = (s_y^2 + R^2 s_x^2 - 2 R s_xy) / (n mean(x)^2)
    rng = np.random.default_rng(1)
    counts = rng.poisson(6, 40)
    totals = counts * rng.lognormal(size=40)
    found = ratio(totals, counts)
    s = np.cov(totals, counts)
    expected = (s[0, 0] + found.estimate**2 * s[1, 1] - 2 * found.estimate * s[0, 1]) / (40 * counts.mean() ** 2)
    assert found.standard_error**2 == pytest.approx(expected)


def test_the_jackknife_agrees_up_to_its_order() -> None:
    rng = np.random.default_rng(2)
    counts = rng.poisson(6, 200)
    totals = counts * rng.lognormal(size=200)
    left_out = (totals.sum() - totals) / (counts.sum() - counts)
    jackknife = math.sqrt(199 / 200 * ((left_out - left_out.mean()) ** 2).sum())
    assert ratio(totals, counts).standard_error == pytest.approx(jackknife, rel=0.02)


def test_replications_without_events_still_count_as_replications() -> None:
    assert event_mean(clustered([0, 0, 3], [1.0, 2.0, 6.0], 5)).n == 5


def test_correlated_events_do_not_count_as_independent_ones() -> None:
    # every replication repeats one value ten times: the error is that of the five replications, not of fifty events
    owners = np.repeat(np.arange(5), 10)
    values = np.array([1.0, 4.0, 2.0, 8.0, 5.0])
    found = event_mean(clustered(owners, values[owners], 5))
    assert found.standard_error == pytest.approx(mean_interval(values).standard_error)


def test_paired_ratios_with_equal_counts_are_paired_means() -> None:
    found = paired_ratios(([6.0, 2.0, 10.0], [2, 2, 2]), ([5.0, 4.0, 10.0], [2, 2, 2]), guard=False)
    expected = mean_interval([0.5, -1.0, 0.0], guard=False)
    assert (found.estimate, found.low, found.high) == pytest.approx((expected.estimate, expected.low, expected.high))
    assert (found.below, found.ties, found.above) == (1, 1, 1)


def test_arms_may_have_different_numbers_of_events() -> None:
    a, b = clustered([0, 1, 1], [2.0, 4.0, 3.0], 2), clustered([0, 0, 1], [2.0, 2.0, 5.0], 2)
    found = paired_event_means(a, b)
    assert found.estimate == pytest.approx(3.0 - 3.0)
    assert (found.below, found.ties, found.above) == (1, 1, 0)


def test_censored_events_must_be_restricted_before_a_mean() -> None:
    censored = clustered([0, 1], [1.0, math.inf], 2)
    assert event_mean(censored).estimate == math.inf
    with pytest.raises(StatisticsError, match="common horizon"):
        paired_event_means(censored, censored)
    assert paired_event_means(censored.restricted(9.0), censored.restricted(9.0)).estimate == 0


@pytest.mark.parametrize(
    ("totals", "counts", "says"),
    [([1.0], [1, 1], "1 totals and 2 counts"), ([0.0], [0], "at least one event"), ([1.0, 1.0], [2, -1], "0 or more")],
)
def test_ratios_that_do_not_exist_are_refused(totals: list[float], counts: list[int], says: str) -> None:
    with pytest.raises(StatisticsError, match=says):
        ratio(totals, counts)


@given(events())
def test_identical_arms_differ_by_nothing(arm: Clustered) -> None:
    found = paired_event_means(arm, arm)
    assert found.estimate == found.low == found.high == 0


@given(events(), st.sampled_from([0.001, 60.0]))
def test_units_only_change_the_scale(arm: Clustered, scale: float) -> None:
    scaled = clustered(arm.replication, arm.value * scale, arm.replications)
    one, other = event_mean(arm), event_mean(scaled)
    assert (other.low, other.high) == pytest.approx((one.low * scale, one.high * scale), abs=1e-9 * scale)


@given(events())
def test_the_order_of_events_and_of_replications_does_not_matter(arm: Clustered) -> None:
    rng = np.random.default_rng(4)
    names, order = rng.permutation(arm.replications), rng.permutation(len(arm.value))
    shuffled = clustered(names[arm.replication][order], arm.value[order], arm.replications)
    one, other = event_mean(arm), event_mean(shuffled)
    assert (one.estimate, one.low, one.high) == pytest.approx(
        (other.estimate, other.low, other.high), rel=1e-9, abs=1e-9
    )
