import pytest
from scipy import stats

from simlab.analysis.stats.clusters import Clustered
from simlab.analysis.stats.student import mean_interval
from simlab.analysis.stats.values import Interval
from tests.analysis.stats.coverage import Coverage, measure, methods
from tests.analysis.stats.record import record
from tests.analysis.stats.worlds import World, lognormal_world, queue_world

MEANS = ("mean per run", "difference of means", "mean per event", "difference of event means")
QUANTILES = ("p50 per event", "difference of p50", "p90 per event", "difference of p90")
TAIL = ("p99 per event", "difference of p99")


def fits(share: float, experiments: int, low: float, high: float) -> bool:
    """Say whether a counted share is what chance (1 in 1,000 a side) leaves of a coverage between low and high."""
    least = stats.binom.ppf(0.001, experiments, low)
    most = stats.binom.ppf(0.999, experiments, high)
    return bool(least <= round(share * experiments) <= most)


@pytest.mark.parametrize("world", [lognormal_world(pool=8000), queue_world(pool=8000)], ids=lambda world: world.name)
def test_intervals_of_fifty_replications_cover(world: World) -> None:
    chosen = {name: method for name, method in methods().items() if name in MEANS + QUANTILES}
    for found in measure(world, 50, 400, chosen, seed=1):
        assert fits(found.covered, found.experiments, 0.93, 0.97), found


def test_an_interval_of_the_tail_covers_or_has_no_limit() -> None:
    chosen = {name: methods()[name] for name in TAIL}
    for found in measure(lognormal_world(pool=8000), 50, 300, chosen, seed=2):
        assert fits(found.covered, found.experiments, 0.93, 1.0), found
        assert found.no_limit > 0.2


def test_the_net_is_fine_enough_to_catch_events_taken_as_independent() -> None:
    def naive(a: Clustered, b: Clustered) -> Interval:
        return mean_interval(b.value, guard=False)

    (found,) = measure(queue_world(pool=8000), 50, 200, {"naive": naive}, seed=3)
    assert not fits(found.covered, found.experiments, 0.93, 0.97)


@pytest.fixture(scope="module")
def table() -> list[Coverage]:
    """2,000 experiments of 50 and of 200 replications in two worlds with every method."""
    rows = [
        row
        for world in (lognormal_world(), queue_world())
        for replications in (50, 200)
        for row in measure(world, replications, 2000, methods(), seed=11)
    ]
    record("intervals", rows)
    return rows


@pytest.mark.nightly
def test_intervals_cover_at_93_to_97_percent(table: list[Coverage]) -> None:
    held = [row for row in table if row.method in MEANS + QUANTILES]
    assert len(held) == 32
    assert [row for row in held if not 0.93 <= row.covered <= 0.97] == []


@pytest.mark.nightly
def test_intervals_of_p99_never_cover_too_seldom(table: list[Coverage]) -> None:
    assert [row for row in table if row.method in TAIL and row.covered < 0.93] == []


@pytest.mark.nightly
def test_where_the_plain_methods_miss_is_why_they_are_not_used(table: list[Coverage]) -> None:
    worst = {
        method: min(row.covered for row in table if row.method == method)
        for method in ("mean per event (plain t)", "difference of p90 (plain t)", "difference of p99 (10 sections)")
    }
    assert max(worst.values()) < 0.93


@pytest.mark.nightly
def test_the_range_of_the_variance_factor_covers_five_times_in_six(table: list[Coverage]) -> None:
    assert all(0.83 < row.covered < 0.97 for row in table if row.method == "variance factor of means")
