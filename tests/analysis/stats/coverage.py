"""How often the 95 % intervals cover the truth: experiments on experiments."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from simlab.analysis.stats.clusters import Clustered
from simlab.analysis.stats.intervals import order_statistic
from simlab.analysis.stats.paired import paired_means
from simlab.analysis.stats.quantiles import paired_quantiles, quantile, sectioned_difference
from simlab.analysis.stats.ratio import event_mean, paired_event_means
from simlab.analysis.stats.student import mean_interval
from simlab.analysis.stats.values import Interval
from tests.analysis.stats.worlds import World

Method = Callable[[Clustered, Clustered], Interval]


@dataclass(frozen=True, kw_only=True, slots=True)
class Coverage:
    """Result of one method in one world: shares of the experiments, and the median half-width over the truth."""

    world: str
    replications: int
    method: str
    experiments: int
    covered: float
    too_high: float
    too_low: float
    no_limit: float
    width: float


def run_totals(events: Clustered) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Return one value per replication, as a cost of the run would be."""
    return events.total(events.value)


def methods() -> Mapping[str, Method]:
    """Every interval that the comparison table is made of, beside the plain ones it was chosen over."""
    table: dict[str, Method] = {
        "mean per run": lambda a, b: mean_interval(run_totals(b)),
        "mean per run (plain t)": lambda a, b: mean_interval(run_totals(b), guard=False),
        "difference of means": lambda a, b: paired_means(run_totals(a), run_totals(b)).difference,
        "difference of means (plain t)": lambda a, b: mean_interval(run_totals(a) - run_totals(b), guard=False),
        "variance factor of means": lambda a, b: paired_means(run_totals(a), run_totals(b)).variance_factor,
        "mean per event": lambda a, b: event_mean(b),
        "mean per event (plain t)": lambda a, b: event_mean(b, guard=False),
        "difference of event means": lambda a, b: paired_event_means(a, b).difference,
        "difference of event means (plain t)": lambda a, b: paired_event_means(a, b, guard=False).difference,
        "p90 per run (order statistics)": lambda a, b: order_statistic(run_totals(b), 0.9),
    }
    for share in (0.5, 0.9, 0.99):
        table |= _quantile_methods(share)
    return table


def _quantile_methods(share: float) -> dict[str, Method]:
    name = f"p{100 * share:g}"
    return {
        f"{name} per event": lambda a, b: quantile(b, share),
        f"difference of {name}": lambda a, b: paired_quantiles(a, b, share).paired.difference,
        f"difference of {name} (plain t)": lambda a, b: paired_quantiles(a, b, share, guard=False).paired.difference,
        f"difference of {name} (10 sections)": lambda a, b: sectioned_difference(a, b, share, sections=10),
    }


def measure(
    world: World, replications: int, experiments: int, chosen: Mapping[str, Method], seed: int
) -> list[Coverage]:
    """Repeat the experiment and count how often each method covers the pool's own value."""
    rng = np.random.default_rng([seed, replications])
    truth = {name: method(world.a.whole(), world.b.whole()).estimate for name, method in chosen.items()}
    found: dict[str, list[Interval]] = {name: [] for name in chosen}
    for _ in range(experiments):
        a, b = world.experiment(rng, replications)
        for name, method in chosen.items():
            found[name].append(method(a, b))
    return [_coverage(world.name, replications, name, found[name], truth[name]) for name in chosen]


def _coverage(world: str, replications: int, method: str, intervals: list[Interval], truth: float) -> Coverage:
    low = np.array([interval.low for interval in intervals])
    high = np.array([interval.high for interval in intervals])
    return Coverage(
        world=world,
        replications=replications,
        method=method,
        experiments=len(intervals),
        covered=float(np.mean((low <= truth) & (truth <= high))),
        too_high=float(np.mean(low > truth)),
        too_low=float(np.mean(high < truth)),
        no_limit=float(np.mean(np.isinf(low) | np.isinf(high))),
        width=float(np.median((high - low) / 2) / abs(truth)),
    )
