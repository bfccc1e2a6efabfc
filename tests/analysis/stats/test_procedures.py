import numpy as np
import pytest
from scipy import stats

from simlab.analysis.stats.multiple import Adjustment, benjamini_hochberg, benjamini_yekutieli, holm, unadjusted
from simlab.analysis.stats.sequential import Precision, StoppingRule
from simlab.analysis.stats.student import mean_interval, p_equivalent
from tests.analysis.stats.procedures import Discovery, correctness, discovery, null_maps, null_tables, stopping
from tests.analysis.stats.record import record
from tests.analysis.stats.worlds import lognormal_world, queue_world

ADJUSTMENTS: dict[str, Adjustment] = {
    "none": unadjusted,
    "Holm": holm,
    "Benjamini-Hochberg": benjamini_hochberg,
    "Benjamini-Yekutieli": benjamini_yekutieli,
}
FLOOR = StoppingRule(precisions={"m": Precision(half_width=0.1)}, chunk_runs=1, cap_runs=1000).floor_runs


def at_least(share: float, trials: int, promised: float) -> bool:
    """Say whether a counted share could come from a chance of at least ``promised`` (1 in 1,000)."""
    return bool(round(share * trials) >= stats.binom.ppf(0.001, trials, promised))


def at_most(share: float, trials: int, promised: float) -> bool:
    """Say whether a counted share could come from a chance of at most ``promised`` (1 in 1,000)."""
    return bool(round(share * trials) <= stats.binom.ppf(0.999, trials, promised))


def test_stopping_on_width_keeps_the_coverage() -> None:
    found = stopping(queue_world(pool=8000), "difference", 0.05, 300, seed=1, floor_runs=FLOOR)
    assert at_least(found.covered, found.experiments, 0.93)
    assert found.reached == 1.0
    assert found.first_look < 0.5


@pytest.mark.parametrize("correlation", [0.0, 0.8])
def test_selection_is_right_as_often_as_promised(correlation: float) -> None:
    found = correctness("normal", 4, correlation, 200, seed=2, chunk_runs=10)
    assert at_least(found.correct, found.experiments, 0.95)


def test_maps_of_equal_strategies_claim_no_winner() -> None:
    p = null_maps(60, third=9.0, cells=16, runs=60, seed=3)
    found = discovery("map", p, "Benjamini-Hochberg", benjamini_hochberg)
    assert at_most(found.any_claim, found.families, 0.05)


def test_without_control_tables_of_equal_strategies_are_full_of_winners() -> None:
    p = null_tables(100, alike=True, seed=4)
    assert discovery("table", p, "none", unadjusted).any_claim > 0.15
    assert at_most(discovery("table", p, "Holm", holm).any_claim, 100, 0.05)


def test_a_difference_of_just_the_margin_is_seldom_called_equivalent() -> None:
    rng = np.random.default_rng(6)
    for draws in (
        rng.normal(size=(2000, 50)),
        rng.exponential(size=(2000, 50)) - 1,
        1 - rng.exponential(size=(2000, 50)),
    ):
        claims = [p_equivalent(mean_interval(1.0 + row), 1.0) <= 0.05 for row in draws]
        assert at_most(float(np.mean(claims)), 2000, 0.055)


@pytest.mark.nightly
def test_stopping_covers_at_93_to_97_percent() -> None:
    widths = {"mean": (0.2, 0.1, 0.05), "difference": (0.1, 0.05, 0.02)}
    rows = [
        stopping(world, metric, width, 2000, seed=1, floor_runs=floor)
        for world in (lognormal_world(), queue_world())
        for metric in widths
        for width in widths[metric]
        for floor in (20, FLOOR)
    ]
    record("stopping", rows)
    assert [row for row in rows if row.floor_runs == FLOOR and not 0.93 <= row.covered <= 0.97] == []


@pytest.mark.nightly
def test_selection_keeps_its_promise_for_normal_and_skewed_runs() -> None:
    rows = [
        correctness(law, strategies, correlation, 2000, seed=2, chunk_runs=chunk)
        for law in ("normal", "lognormal")
        for strategies in (2, 3, 5, 10)
        for correlation in (0.0, 0.8)
        for chunk in (1, 25)
    ]
    record("selection", rows)
    assert [row for row in rows if not at_least(row.correct, row.experiments, 0.95)] == []


@pytest.mark.nightly
def test_claims_on_null_comparisons_stay_below_5_percent() -> None:
    families = {
        "map: 3 equal strategies": null_maps(1000, third=0.0, seed=3),
        "map: 2 equal best and 1 worse": null_maps(1000, third=9.0, seed=3),
        "table: equal laws": null_tables(2000, alike=True, seed=4),
        "table: equal means with unequal laws": null_tables(2000, alike=False, seed=5),
    }
    rows: list[Discovery] = [
        discovery(family, p, name, adjust) for family, p in families.items() for name, adjust in ADJUSTMENTS.items()
    ]
    record("discovery", rows)
    assert [row for row in rows if row.adjust != "none" and not at_most(row.any_claim, row.families, 0.05)] == []
    assert [row for row in rows if row.claims > 0.05 and row.adjust != "none"] == []
