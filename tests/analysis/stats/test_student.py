import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from simlab.analysis.stats.student import (
    at_level,
    influence_interval,
    mean_interval,
    p_above,
    p_below,
    p_different,
    p_equivalent,
)
from simlab.analysis.stats.values import Floats, StatisticsError
from tests.analysis.stats.arrays import samples

SKEWED = np.array([0.1, 0.3, 0.2, 0.4, 0.9, 0.5, 7.0, 0.2, 1.1, 2.3])
LEVELS = st.sampled_from([0.5, 0.8, 0.9, 0.95, 0.99])


def test_the_plain_interval_is_the_textbook_one() -> None:
    # 4, 6, 8: mean 6, s = 2, standard error 2 / sqrt 3, t(0.975; 2) = 4.302653
    interval = mean_interval([4.0, 6.0, 8.0], guard=False)
    assert interval.estimate == 6.0
    assert interval.standard_error == pytest.approx(2 / math.sqrt(3))
    assert (interval.low, interval.high) == pytest.approx((6 - 4.302653 * 1.154701, 6 + 4.302653 * 1.154701), abs=1e-5)
    assert interval.n == 3


def test_the_plain_test_agrees_with_scipy() -> None:
    interval = mean_interval(SKEWED, guard=False)
    assert p_different(interval, 1.0) == pytest.approx(stats.ttest_1samp(SKEWED, 1.0).pvalue)
    one_sided = stats.ttest_1samp(SKEWED, 1.0, alternative="greater").pvalue
    assert p_above(interval, 1.0) == pytest.approx(one_sided)
    assert p_below(interval, 1.0) == pytest.approx(1 - one_sided)


def test_the_skewness_is_the_unbiased_one_of_scipy() -> None:
    assert mean_interval(SKEWED).skewness == pytest.approx(stats.skew(SKEWED, bias=False))


def test_halls_limits_solve_halls_equation() -> None:
    # g(T) = T + s T^2 / (3 sqrt n) + s^2 T^3 / (27 n) + s / (6 sqrt n), Hall 1992, set to the t quantile
    interval = mean_interval(SKEWED)
    root, s = math.sqrt(interval.n), interval.skewness
    t = (interval.estimate - interval.high) / interval.standard_error
    g = t + s * t**2 / (3 * root) + s**2 * t**3 / (27 * root**2) + s / (6 * root)
    assert g == pytest.approx(-stats.t.ppf(0.975, interval.df))


def test_the_guard_widens_the_long_side_only() -> None:
    plain, guarded = mean_interval(SKEWED, guard=False), mean_interval(SKEWED)
    assert guarded.high > plain.high
    assert guarded.low == plain.low


def test_one_replication_says_nothing() -> None:
    interval = mean_interval([3.0])
    assert (interval.low, interval.high) == (-math.inf, math.inf)
    assert p_different(interval, 100.0) == 1.0
    assert p_equivalent(interval, 100.0) == 1.0


def test_a_constant_is_known_exactly() -> None:
    interval = mean_interval([0.1 + 0.2] * 7)
    assert interval.low == interval.high == interval.estimate
    assert p_different(interval, 0.0) == 0.0
    assert p_equivalent(interval, 1.0) == 0.0
    assert p_different(interval, interval.estimate) == 1.0


def test_no_margin_no_equivalence() -> None:
    assert p_equivalent(mean_interval([0.0] * 5), 0.0) == 1.0


def test_an_infinite_limit_forbids_claims_on_its_side() -> None:
    unlimited = at_level(mean_interval([math.inf, 1.0, 2.0]), 0.8)
    assert (unlimited.low, unlimited.high) == (-math.inf, math.inf)
    assert p_above(unlimited, 0.0) == p_below(unlimited, 0.0) == 1.0


def test_a_missing_value_is_refused() -> None:
    with pytest.raises(StatisticsError, match="nan"):
        mean_interval([1.0, math.nan])


@given(samples(), LEVELS, st.booleans())
def test_the_test_rejects_exactly_what_the_interval_excludes(values: Floats, level: float, guard: bool) -> None:
    interval = mean_interval(values, level=level, guard=guard)
    for value in (-50.0, -1.0, 0.0, 0.3, 7.0):
        p = p_different(interval, value)
        if abs(p - (1 - level)) > 1e-9:
            assert interval.covers(value) == (p > 1 - level)


@given(samples())
def test_the_order_of_replications_does_not_matter(values: Floats) -> None:
    shuffled = np.random.default_rng(1).permutation(values)
    one, other = mean_interval(values), mean_interval(shuffled)
    assert (one.low, one.high) == pytest.approx((other.low, other.high), rel=1e-9, abs=1e-9)


@given(samples(), st.sampled_from([0.001, 0.5, 60.0, 3_600_000.0]))
def test_units_only_change_the_scale(values: Floats, scale: float) -> None:
    one, other = mean_interval(values), mean_interval(values * scale)
    assert (other.low, other.high) == pytest.approx((one.low * scale, one.high * scale), rel=1e-6, abs=1e-9 * scale)


@given(samples())
def test_turning_the_sign_turns_the_interval(values: Floats) -> None:
    one, other = mean_interval(values), mean_interval(-values)
    assert (other.low, other.high) == pytest.approx((-one.high, -one.low), rel=1e-9, abs=1e-9)


@given(samples())
def test_a_higher_level_is_wider_and_contains_the_estimate(values: Floats) -> None:
    interval = mean_interval(values, level=0.9)
    wider = at_level(interval, 0.99)
    assert wider.low <= interval.low <= interval.estimate <= interval.high <= wider.high
    assert at_level(wider, 0.9) == interval


@given(samples(least=3), st.sampled_from([0.5, 2.0, 30.0]))
def test_equivalence_is_the_90_percent_interval_inside_the_margin(values: Floats, margin: float) -> None:
    interval = influence_interval(float(values.mean()), values, level=0.9)
    p = p_equivalent(interval, margin)
    if abs(p - 0.05) > 1e-9:
        assert (p < 0.05) == (-margin < interval.low and interval.high < margin)
