import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from simlab.analysis.stats.multiple import Adjustment, benjamini_hochberg, benjamini_yekutieli, holm, unadjusted
from simlab.analysis.stats.values import StatisticsError

ALL = [holm, benjamini_hochberg, benjamini_yekutieli, unadjusted]
p_values = st.lists(st.integers(0, 1000).map(lambda k: k / 1000), min_size=1, max_size=20)

# Benjamini and Hochberg 1995, section 3.2: fifteen comparisons of treatments after myocardial infarction
THROMBOLYSIS = [
    *(0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344),
    *(0.0459, 0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1.0000),
]


def test_the_published_example_claims_four_with_false_discovery_control_and_three_without() -> None:
    assert int((benjamini_hochberg(THROMBOLYSIS) <= 0.05).sum()) == 4
    assert int((holm(THROMBOLYSIS) <= 0.05).sum()) == 3


def test_holm_by_hand() -> None:
    # sorted 0.01, 0.02, 0.04: times 3, 2, 1 and never falling
    assert holm([0.04, 0.01, 0.02]) == pytest.approx([0.04, 0.03, 0.04])
    assert holm([0.4, 0.5]) == pytest.approx([0.8, 0.8])


@given(p_values)
def test_false_discovery_control_agrees_with_scipy(p: list[float]) -> None:
    assert benjamini_hochberg(p) == pytest.approx(stats.false_discovery_control(p, method="bh"))
    assert benjamini_yekutieli(p) == pytest.approx(stats.false_discovery_control(p, method="by"))


@given(p_values, st.sampled_from(ALL))
def test_adjusting_keeps_the_order_and_never_helps(p: list[float], adjust: Adjustment) -> None:
    adjusted = adjust(p)
    assert (adjusted >= np.array(p) - 1e-12).all()
    assert (adjusted <= 1).all()
    assert (np.diff(adjusted[np.argsort(p, kind="stable")]) >= -1e-12).all()


@given(p_values)
def test_holm_lies_between_nothing_and_bonferroni_and_above_false_discovery(p: list[float]) -> None:
    assert (holm(p) <= np.minimum(np.array(p) * len(p), 1) + 1e-12).all()
    assert (holm(p) >= benjamini_hochberg(p) - 1e-12).all()


@given(p_values, st.sampled_from(ALL))
def test_the_order_of_comparisons_does_not_matter(p: list[float], adjust: Adjustment) -> None:
    order = np.random.default_rng(0).permutation(len(p))
    assert adjust(np.array(p)[order]) == pytest.approx(adjust(p)[order])


@pytest.mark.parametrize("p", [[1.2], [-0.1], [float("nan")], [[0.1]]])
def test_what_is_not_a_p_value_is_refused(p: list[float]) -> None:
    with pytest.raises(StatisticsError, match="between 0 and 1"):
        holm(p)


def test_among_true_and_false_differences_few_claims_are_false() -> None:
    rng = np.random.default_rng(1)
    shares, found = [], []
    for _ in range(1000):
        z = rng.normal(size=20) + np.where(np.arange(20) < 10, 3.0, 0.0)
        claims = benjamini_hochberg(2 * stats.norm.sf(np.abs(z))) <= 0.05
        shares.append(claims[10:].sum() / max(claims.sum(), 1))
        found.append(claims[:10].mean())
    # the expected share is alpha times the share of nulls, 0.025; its error over 1,000 families is about 0.0017
    assert 0.018 < np.mean(shares) < 0.031
    assert np.mean(found) > 0.6


def test_an_empty_table_stays_empty() -> None:
    assert all(adjust([]).shape == (0,) for adjust in ALL)
