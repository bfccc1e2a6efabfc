import math

import numpy as np
import pytest
from hypothesis import given
from scipy import stats

from simlab.analysis.stats.paired import correlation, counts, paired_means, unknown_difference, variance_factor
from simlab.analysis.stats.student import p_different
from simlab.analysis.stats.values import Floats, StatisticsError
from tests.analysis.stats.arrays import pairs

A = np.array([5.0, 7.0, 4.0, 9.0, 6.0])
B = np.array([6.0, 9.0, 4.0, 10.0, 9.0])


def test_a_paired_difference_by_hand() -> None:
    # differences -1, -2, 0, -1, -3: mean -1.4, variance 1.3; var A 3.7, var B 6.3 (sums of squares 14.8 and 25.2)
    found = paired_means(A, B, guard=False)
    assert found.estimate == pytest.approx(-1.4)
    assert found.difference.standard_error == pytest.approx(math.sqrt(1.3 / 5))
    assert found.variance_factor.estimate == pytest.approx((3.7 + 6.3) / 1.3)
    assert found.correlation == pytest.approx(stats.pearsonr(A, B).statistic)
    assert (found.below, found.ties, found.above) == (4, 1, 0)
    assert found.n == 5


def test_the_p_value_is_that_of_the_paired_t_test() -> None:
    found = paired_means(A, B, guard=False)
    assert p_different(found.difference) == pytest.approx(stats.ttest_rel(A, B).pvalue)
    limits = stats.ttest_rel(A, B).confidence_interval(0.95)
    assert (found.low, found.high) == pytest.approx((limits.low, limits.high))


def test_the_variance_factors_error_is_the_leave_one_out_jackknife() -> None:
    rng = np.random.default_rng(3)
    a, b = rng.normal(size=(2, 12)) + rng.normal(size=12)
    logs = [
        math.log((np.var(u, ddof=1) + np.var(v, ddof=1)) / np.var(u - v, ddof=1))
        for u, v in ((np.delete(a, i), np.delete(b, i)) for i in range(12))
    ]
    error = math.sqrt(11 / 12 * sum((log - np.mean(logs)) ** 2 for log in logs))
    found = variance_factor(a, b)
    plain = stats.t.ppf(0.975, 11) * error
    below, above = math.log(found.estimate / found.low), math.log(found.high / found.estimate)
    assert min(below, above) == pytest.approx(plain)
    assert max(below, above) >= plain


def test_independent_arms_gain_nothing_and_shared_luck_gains_much() -> None:
    rng = np.random.default_rng(5)
    luck, a, b = rng.normal(size=(3, 4000))
    assert variance_factor(a, b).covers(1.0)
    # var a = var b = 10, var (a - b) = 2
    assert variance_factor(a + 3 * luck, b + 3 * luck).covers(10.0)


def test_nothing_varies_nothing_can_be_said_of_the_factor() -> None:
    found = paired_means([2.0] * 6, [3.0] * 6)
    assert found.estimate == found.low == found.high == -1.0
    assert math.isnan(found.variance_factor.estimate)
    assert math.isnan(found.correlation)


def test_too_few_pairs_leave_the_factor_open() -> None:
    found = paired_means([1.0, 2.0, 4.0], [1.0, 3.0, 4.0])
    assert (found.variance_factor.low, found.variance_factor.high) == (0.0, math.inf)


def test_a_factor_that_hangs_on_one_pair_is_open() -> None:
    found = paired_means([0.0] * 5, [0.0, 0.0, 0.25, 0.0, 0.0])
    assert found.variance_factor.estimate == 1.0
    assert (found.variance_factor.low, found.variance_factor.high) == (0.0, math.inf)


def test_pairs_that_do_not_match_are_refused() -> None:
    with pytest.raises(StatisticsError, match="2 and 3 replications"):
        paired_means([1.0, 2.0], [1.0, 2.0, 3.0])
    with pytest.raises(StatisticsError, match="common horizon"):
        paired_means([1.0, math.inf], [1.0, math.inf])


def test_an_unknown_difference_claims_nothing() -> None:
    found = unknown_difference(20, 0.95)
    assert (found.low, found.high, found.n) == (-math.inf, math.inf, 20)
    assert p_different(found.difference) == 1.0


def test_pairs_without_events_are_not_counted() -> None:
    assert counts(np.array([1.0, math.nan, 3.0]), np.array([2.0, 2.0, math.nan])) == (1, 0, 0)


@given(pairs())
def test_identical_arms_differ_by_nothing(arms: tuple[Floats, Floats]) -> None:
    found = paired_means(arms[0], arms[0])
    assert found.estimate == found.low == found.high == 0
    assert (found.below, found.above) == (0, 0)


@given(pairs())
def test_swapping_the_arms_turns_everything_round(arms: tuple[Floats, Floats]) -> None:
    one, other = paired_means(*arms), paired_means(*arms[::-1])
    assert (one.estimate, one.low, one.high) == pytest.approx(
        (-other.estimate, -other.high, -other.low), rel=1e-9, abs=1e-9
    )
    assert (one.below, one.ties, one.above) == (other.above, other.ties, other.below)
    assert one.variance_factor.estimate == pytest.approx(other.variance_factor.estimate, nan_ok=True)


@given(pairs())
def test_the_order_of_pairs_does_not_matter(arms: tuple[Floats, Floats]) -> None:
    order = np.random.default_rng(2).permutation(len(arms[0]))
    one, other = paired_means(*arms), paired_means(arms[0][order], arms[1][order])
    assert (one.low, one.high) == pytest.approx((other.low, other.high), rel=1e-9, abs=1e-9)
    assert one.variance_factor.low == pytest.approx(other.variance_factor.low, rel=1e-6, nan_ok=True)


@given(pairs())
def test_a_correlation_is_between_minus_one_and_one(arms: tuple[Floats, Floats]) -> None:
    found = correlation(*arms)
    assert math.isnan(found) or -1 <= found <= 1
