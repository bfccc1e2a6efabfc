import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simlab.analysis.stats.clusters import Clustered, clustered
from simlab.analysis.stats.intervals import order_statistic
from simlab.analysis.stats.quantiles import paired_quantiles, quantile, sectioned_difference, within_replications
from simlab.analysis.stats.student import p_below, p_different, p_equivalent
from simlab.analysis.stats.values import StatisticsError
from tests.analysis.stats.arrays import events

SHARES = st.sampled_from([0.1, 0.5, 0.9, 0.99])


def one_event_each(values: list[float]) -> Clustered:
    return clustered(np.arange(len(values)), np.array(values), len(values))


def test_the_estimate_is_the_smallest_value_that_reaches_the_share() -> None:
    events_of_two = clustered([0, 0, 0, 1, 1], [5.0, 1.0, 4.0, 2.0, 3.0], 2)
    assert [quantile(events_of_two, share).estimate for share in (0.2, 0.4, 0.41, 0.5, 0.99)] == [1, 2, 3, 3, 5]


def test_a_median_of_independent_values_by_hand() -> None:
    # values 1..100, one a replication: error of F at the median sqrt(0.25 / 99) = 0.0502519, t(0.975; 99) = 1.984217,
    # reach 0.0997107; window from 0.4003 to 0.5997, ranks 40 and 60, slope 20 / 0.1994215 = 100.2901;
    # error of the median 0.0502519 * 100.2901 = 5.039763, half-width 10.0000
    found = quantile(one_event_each([float(k) for k in range(1, 101)]), 0.5)
    assert found.estimate == 50
    assert (found.low, found.high) == pytest.approx((40.0, 60.0), abs=1e-3)


def test_of_independent_values_it_is_near_the_order_statistic_interval() -> None:
    values = np.random.default_rng(0).lognormal(size=2000)
    found, exact = quantile(one_event_each(list(values)), 0.9), order_statistic(values, 0.9)
    assert found.estimate == exact.estimate
    assert found.half_width == pytest.approx(exact.half_width, rel=0.05)


def test_repeating_an_event_within_its_replication_adds_no_knowledge() -> None:
    values = np.random.default_rng(1).lognormal(size=300)
    once = quantile(one_event_each(list(values)), 0.5)
    five = quantile(clustered(np.repeat(np.arange(300), 5), np.repeat(values, 5), 300), 0.5)
    assert (five.low, five.high) == pytest.approx((once.low, once.high), rel=0.02)


def test_p99_of_few_events_has_no_upper_limit() -> None:
    values = np.random.default_rng(2).lognormal(size=100)
    found = quantile(one_event_each(list(values)), 0.99)
    assert found.high == math.inf
    assert -math.inf < found.low <= found.estimate


def test_a_quantile_that_is_the_largest_value_has_no_upper_limit() -> None:
    values = list(np.random.default_rng(2).lognormal(size=50))
    found = quantile(one_event_each(values), 0.99)
    assert found.estimate == max(values)
    assert found.high == math.inf
    assert found.low < found.estimate
    twice = paired_quantiles(one_event_each(values), one_event_each([2 * value for value in values]), 0.99)
    assert p_different(twice.paired.difference) == 1.0


def test_a_jump_near_the_quantile_is_not_taken_for_certainty() -> None:
    # F(1) = 0.6; error of F sqrt(0.24 / 199) = 0.03473, t 1.972, reach 0.06848: the window 0.432 to 0.568 holds ones;
    # stretched 1.5 times it ends at 0.603, in the twos: slope 1 / 0.20545 = 4.867
    low, high = one_event_each([1.0] * 120 + [2.0] * 80), one_event_each([2.0] * 120 + [1.0] * 80)
    found = quantile(low, 0.5, guard=False)
    assert found.estimate == 1.0
    assert found.half_width == pytest.approx(1.972 * 0.03473 * 4.867, rel=1e-3)
    assert 0 < p_different(paired_quantiles(low, high, 0.5).paired.difference) < 0.05


def test_a_constant_quantile_is_certain() -> None:
    arm = one_event_each([1.0] * 198 + [2.0] * 2)
    assert quantile(arm, 0.5).half_width == 0
    assert quantile(one_event_each([5.0] * 30), 0.9).half_width == 0


def test_one_replication_says_nothing_of_a_quantile() -> None:
    found = quantile(clustered([0, 0, 0], [1.0, 2.0, 3.0], 1), 0.5)
    assert (found.estimate, found.low, found.high) == (2, -math.inf, math.inf)


def test_a_quantile_among_the_censored_is_beyond_the_horizon() -> None:
    arm = one_event_each([1.0] * 30 + [2.0] * 30 + [math.inf] * 40)
    assert quantile(arm, 0.5).estimate == 2.0
    found = quantile(arm, 0.9)
    assert (found.estimate, found.high) == (math.inf, math.inf)


def test_a_paired_difference_is_the_difference_of_the_quantiles() -> None:
    rng = np.random.default_rng(3)
    luck = rng.lognormal(size=400)
    a, b = one_event_each(list(luck * 0.8)), one_event_each(list(luck))
    found = paired_quantiles(a, b, 0.9)
    assert found.paired.estimate == pytest.approx(quantile(a, 0.9).estimate - quantile(b, 0.9).estimate)
    assert found.censored == "none"
    assert found.paired.below == 400
    # b's influence values are 1.25 times a's: (1 + 1.25^2) / 0.25^2 = 41
    assert found.paired.correlation == pytest.approx(1.0)
    assert found.paired.variance_factor.estimate == pytest.approx(41.0)


def test_a_strategy_whose_median_is_never_reached_is_worse_not_missing() -> None:
    rng = np.random.default_rng(4)
    slow = np.where(rng.random(200) < 0.9, math.inf, 50.0)
    found = paired_quantiles(one_event_each(list(slow)), one_event_each(list(rng.uniform(1, 9, 200))), 0.5, horizon=100)
    assert found.censored == "a"
    assert found.paired.high == math.inf
    assert 90 < found.paired.low < 100
    assert p_different(found.paired.difference) < 0.001
    assert p_equivalent(found.paired.difference, 1e6) == 1.0


def test_the_baseline_may_be_the_censored_one() -> None:
    rng = np.random.default_rng(5)
    slow = np.where(rng.random(200) < 0.9, math.inf, 50.0)
    found = paired_quantiles(one_event_each(list(rng.uniform(1, 9, 200))), one_event_each(list(slow)), 0.5, horizon=100)
    assert (found.censored, found.paired.low) == ("b", -math.inf)
    assert p_below(found.paired.difference, 0.0) < 0.001


def test_two_censored_quantiles_cannot_be_told_apart() -> None:
    never = one_event_each([math.inf] * 20)
    found = paired_quantiles(never, never, 0.5, horizon=100.0)
    assert found.censored == "both"
    assert math.isnan(found.paired.estimate)
    assert p_different(found.paired.difference) == 1.0


def test_censored_values_need_a_horizon() -> None:
    with pytest.raises(StatisticsError, match="finite common horizon"):
        paired_quantiles(one_event_each([math.inf, 1.0]), one_event_each([1.0, 1.0]), 0.5)


def test_sectioning_by_hand() -> None:
    # two sections with medians 1 and 5 against 0 and 0; the overall ones are 2 (third of six) and 0
    a = one_event_each([0.0, 1.0, 2.0, 3.0, 5.0, 7.0])
    b = one_event_each([0.0] * 6)
    found = sectioned_difference(a, b, 0.5, sections=2)
    assert found.estimate == 2.0
    assert found.standard_error == pytest.approx(math.sqrt(((1 - 2) ** 2 + (5 - 2) ** 2) / 1 / 2))
    assert found.df == 1


def test_there_are_as_many_sections_as_replications_at_most() -> None:
    arm = one_event_each([1.0, 2.0, 3.0])
    with pytest.raises(StatisticsError, match="2 to 3"):
        sectioned_difference(arm, arm, 0.5, sections=4)


def test_quantiles_within_replications_skip_the_empty_ones() -> None:
    arm = clustered([2, 0, 2, 2], [9.0, 4.0, 7.0, 8.0], 3)
    assert within_replications(arm, 0.5).tolist() == pytest.approx([4.0, math.nan, 8.0], nan_ok=True)


@given(events(), SHARES)
def test_identical_arms_differ_by_nothing_or_are_unknown(arm: Clustered, share: float) -> None:
    difference = paired_quantiles(arm, arm, share).paired.difference
    assert difference.estimate == 0
    assert (difference.low, difference.high) in ((0, 0), (-math.inf, math.inf))


@given(events(), SHARES)
def test_the_limits_enclose_the_estimate(arm: Clustered, share: float) -> None:
    found = quantile(arm, share)
    assert found.low <= found.estimate <= found.high


@given(events(), SHARES, st.sampled_from([0.001, 60.0]))
def test_units_only_change_the_scale(arm: Clustered, share: float, scale: float) -> None:
    scaled = clustered(arm.replication, arm.value * scale, arm.replications)
    one, other = quantile(arm, share), quantile(scaled, share)
    assert (other.low, other.high) == pytest.approx((one.low * scale, one.high * scale), abs=1e-9 * scale)


@given(events(), SHARES)
def test_the_order_of_events_and_of_replications_does_not_matter(arm: Clustered, share: float) -> None:
    rng = np.random.default_rng(4)
    names, order = rng.permutation(arm.replications), rng.permutation(len(arm.value))
    shuffled = clustered(names[arm.replication][order], arm.value[order], arm.replications)
    one, other = quantile(arm, share), quantile(shuffled, share)
    assert (one.estimate, one.low, one.high) == pytest.approx(
        (other.estimate, other.low, other.high), rel=1e-9, abs=1e-9
    )


@given(events(replications=6), events(replications=6), SHARES)
def test_swapping_the_arms_turns_the_sign(a: Clustered, b: Clustered, share: float) -> None:
    one, other = paired_quantiles(a, b, share).paired, paired_quantiles(b, a, share).paired
    assert (one.estimate, one.low, one.high) == pytest.approx(
        (-other.estimate, -other.high, -other.low), rel=1e-9, abs=1e-9
    )
