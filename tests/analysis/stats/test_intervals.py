import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from simlab.analysis.stats.intervals import order_statistic, rate, rule_of_three, wilson
from simlab.analysis.stats.values import Floats, StatisticsError
from tests.analysis.stats.arrays import samples


@pytest.mark.parametrize(("successes", "trials"), [(0, 10), (3, 10), (10, 10), (81, 263), (1, 1), (15, 148)])
def test_wilsons_interval_agrees_with_scipy(successes: int, trials: int) -> None:
    expected = stats.binomtest(successes, trials).proportion_ci(method="wilson")
    found = wilson(successes, trials)
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high), abs=1e-12)


def test_wilsons_interval_is_newcombes_published_example() -> None:
    # R. Newcombe, Statist. Med. 17 (1998) 857-872, table I, method 3: 81 of 263 gives 0.2553 to 0.3662
    found = wilson(81, 263)
    assert (round(found.low, 4), round(found.high, 4)) == (0.2553, 0.3662)


def test_what_was_never_seen_has_a_limit_of_three_over_n() -> None:
    found = rate(0, 200)
    assert (found.estimate, found.low, found.high) == (0.0, 0.0, 0.015)
    exact = 1 - 0.05 ** (1 / 200)
    assert exact < found.high < exact * 1.01


def test_what_always_happened_has_the_mirrored_limit() -> None:
    assert (rate(200, 200).low, rate(200, 200).high) == (0.985, 1.0)


def test_another_level_has_its_own_constant() -> None:
    assert rule_of_three(100, level=0.99) == pytest.approx(-math.log(0.01) / 100)
    assert rule_of_three(2) == 1.0


def test_in_between_a_rate_has_wilsons_interval() -> None:
    assert rate(3, 10) == wilson(3, 10)


@pytest.mark.parametrize(("successes", "trials"), [(1, 0), (-1, 5), (6, 5)])
def test_impossible_counts_are_refused(successes: int, trials: int) -> None:
    with pytest.raises(StatisticsError, match="successes <= trials"):
        rate(successes, trials)


def test_p95_of_sixty_runs_has_no_upper_limit() -> None:
    found = order_statistic(np.arange(60.0), 0.95)
    assert found.high == math.inf
    assert found.estimate == 56


def test_p95_needs_72_runs_for_an_upper_limit() -> None:
    # 0.95^72 = 0.0249 < 0.025 < 0.0262 = 0.95^71
    assert order_statistic(np.arange(71.0), 0.95).high == math.inf
    assert order_statistic(np.arange(72.0), 0.95).high == 71


def test_the_median_of_ten_lies_between_the_second_and_the_ninth() -> None:
    # the classical table: coverage of (X2, X9) is 1 - 2 * 11 / 1024 = 0.979
    found = order_statistic(np.arange(1.0, 11.0), 0.5)
    assert (found.low, found.estimate, found.high) == (2, 5, 9)


@given(st.integers(2, 300), st.floats(0.02, 0.98), st.sampled_from([0.8, 0.95, 0.99]))
def test_each_side_misses_with_at_most_half_the_error(n: int, probability: float, level: float) -> None:
    found = order_statistic(np.arange(1.0, n + 1), probability, level=level)
    tail = (1 - level) / 2 + 1e-12
    if found.low > -math.inf:
        assert stats.binom.cdf(found.low - 1, n, probability) <= tail
        assert stats.binom.cdf(found.low, n, probability) > tail - 2e-12
    if found.high < math.inf:
        assert stats.binom.sf(found.high - 1, n, probability) <= tail


def test_a_quantile_among_the_censored_is_beyond_the_horizon() -> None:
    found = order_statistic([1.0, 2.0, math.inf, math.inf, math.inf, 3.0], 0.9)
    assert found.estimate == math.inf


@given(samples(), st.sampled_from([0.1, 0.5, 0.9]))
def test_a_monotone_change_of_scale_carries_the_interval_along(values: Floats, probability: float) -> None:
    one, other = order_statistic(values, probability), order_statistic(np.exp(values / 100), probability)
    assert (other.low, other.estimate, other.high) == pytest.approx(
        (math.exp(one.low / 100), math.exp(one.estimate / 100), math.exp(one.high / 100))
        if one.low > -math.inf
        else (-math.inf, math.exp(one.estimate / 100), math.exp(one.high / 100))
    )


@pytest.mark.parametrize("probability", [0.0, 1.0, 95.0])
def test_a_quantile_has_a_probability_inside_0_and_1(probability: float) -> None:
    with pytest.raises(StatisticsError, match=r"such as 0\.9"):
        order_statistic([1.0, 2.0], probability)
