"""Quantiles of pooled per-event values, with replications as clusters, censoring and paired differences.

Two methods:

- *Linearised* (default). The empirical distribution function at the quantile is a ratio estimate with known cluster
  residuals; the slope that turns its error into an error of the quantile is read off the sorted values, over the very
  window that its confidence interval spans (R. Woodruff, J. Am. Statist. Assoc. 47 (1952) 635-646; R. Bahadur, Ann.
  Math. Statist. 37 (1966) 577-580 for the expansion). Where the window runs past the largest value, the data have no
  upper limit for this quantile and none is invented.
- *Sectioning* (``sectioned_difference``): the replications are cut into sections, and the spread of the sections'
  quantiles about the overall one gives the error (S. Asmussen and P. Glynn, "Stochastic Simulation" (2007), section
  III.5; M. Nakayama, ACM TOMACS 24 (2014) 19). A section must hold many events beyond the quantile: at p99 of 50
  replications it holds none, and its 95 % intervals cover the truth far too seldom. The linearised method covers
  there (results/coverage.md).

Values are taken to be nearly continuous. Where equal values fill the whole window (constant tool times, counts) it is
stretched up to three times until it meets another value, so that a jump nearby still makes the error larger than
nothing. Censored events are inf, that is, longer than the horizon.
"""

import math
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from simlab.analysis.stats.clusters import Clustered, check_same_replications
from simlab.analysis.stats.intervals import check_probability, rank
from simlab.analysis.stats.laws import t_quantile
from simlab.analysis.stats.paired import paired_influence
from simlab.analysis.stats.student import influence_interval
from simlab.analysis.stats.values import (
    Floats,
    Interval,
    PairedDifference,
    StatisticsError,
    StudentInterval,
    check_level,
)

Censored = Literal["none", "a", "b", "both"]
_STRETCHES = (1.5, 2.0, 3.0)


@dataclass(frozen=True, kw_only=True, slots=True)
class QuantileDifference:
    """A difference of two quantiles, and which of them lies in the censored part.

    ``paired`` is on the scale of times cut at the horizon. With ``censored == "a"`` its estimate is a lower bound of
    the true difference and its upper limit is inf; with ``"b"`` an upper bound, lower limit -inf; with ``"both"`` the
    difference is unknown, both limits are infinite and the estimate is nan.
    """

    paired: PairedDifference
    censored: Censored


def quantile(events: Clustered, probability: float, *, level: float = 0.95, guard: bool = True) -> Interval:
    """Return the quantile of the pooled values with its interval.

    Args:
        events: per-event values; censored ones are inf.
        probability: of the quantile.
        level: confidence level.
        guard: see ``student.mean_interval``.

    The estimate is inf where it falls among the censored (print ``>= horizon``); ``high`` is inf where the data set no
    upper limit. ``low`` is then read off the sorted values at the lower limit of the share that lies below.
    """
    point = _linearise(events, probability, level, ceiling=math.inf)
    if math.isfinite(point.slope):
        return influence_interval(point.estimate, point.influence, level=level, guard=guard)
    return Interval(estimate=point.estimate, low=point.low, high=point.high, n=events.replications, level=level)


def paired_quantiles(
    a: Clustered,
    b: Clustered,
    probability: float,
    *,
    horizon: float = math.inf,
    level: float = 0.95,
    guard: bool = True,
) -> QuantileDifference:
    """Compare a quantile of two arms, ``a`` minus ``b``; same replications, events may differ.

    Args:
        a: the strategy's events; censored ones are inf.
        b: the baseline's.
        probability: of the quantile.
        horizon: common horizon of both arms; needed where a value is inf.
        level: confidence level.
        guard: see ``student.mean_interval``.

    The counts compare the quantiles within replications that have events in both arms.

    Raises:
        StatisticsError: a value is censored and no horizon is given, or the arms have different replications.
    """
    check_same_replications(a, b)
    if math.isinf(horizon) and (np.isinf(a.value).any() or np.isinf(b.value).any()):
        raise StatisticsError("quantiles: events are censored (inf), so a finite common horizon is needed")
    first, second = a.restricted(horizon), b.restricted(horizon)
    one, two = (_linearise(arm, probability, level, ceiling=horizon) for arm in (first, second))
    paired = paired_influence(
        one.influence,
        two.influence,
        estimate=one.estimate - two.estimate,
        scores=(within_replications(first, probability), within_replications(second, probability)),
        level=level,
        guard=guard,
    )
    return _mark(paired, one.estimate >= horizon, two.estimate >= horizon)


def sectioned_difference(
    a: Clustered, b: Clustered, probability: float, *, sections: int = 10, level: float = 0.95
) -> StudentInterval:
    """Compare a quantile of two arms by sectioning: ``sections`` groups of consecutive replications.

    Returns:
        The difference of the overall quantiles with the error from the sections' differences about it; ``n`` and
        ``df + 1`` count sections. Use it only where a section holds many events beyond the quantile.
    """
    check_same_replications(a, b)
    check_probability(probability)
    if not 2 <= sections <= a.replications:
        raise StatisticsError(f"sections: {sections}; needs 2 to {a.replications}, the number of replications")
    overall = _at(np.sort(a.value), probability) - _at(np.sort(b.value), probability)
    gaps = _sections(a, probability, sections) - _sections(b, probability, sections)
    error = math.sqrt(float(np.sum((gaps - overall) ** 2)) / (sections - 1) / sections)
    reach = t_quantile((1 + level) / 2, sections - 1) * error
    return StudentInterval(
        estimate=overall,
        low=overall - reach,
        high=overall + reach,
        n=sections,
        level=level,
        standard_error=error,
        df=sections - 1,
    )


def within_replications(events: Clustered, probability: float) -> Floats:
    """Return shape (replications,): the quantile within each replication, nan where it has no event."""
    order = np.lexsort((events.value, events.replication))
    counts = events.counts.astype(np.int64)
    start = np.cumsum(counts) - counts
    position = np.maximum(np.ceil(counts * probability - 1e-9).astype(np.int64) - 1, 0)
    result = np.full(events.replications, math.nan)
    some = counts > 0
    result[some] = events.value[order][(start + position)[some]]
    return result


@dataclass(frozen=True, kw_only=True, slots=True)
class _Point:
    estimate: float
    low: float
    high: float
    slope: float
    influence: Floats


def _linearise(events: Clustered, probability: float, level: float, ceiling: float) -> _Point:
    """Return the quantile, its window, and influence values (nan where the window is infinite)."""
    check_probability(probability)
    check_level(level)
    ordered = np.sort(events.value)
    n = events.replications
    estimate = _at(ordered, probability)
    residuals = _residuals(events, estimate)
    error = float(np.std(residuals)) / math.sqrt(n - 1) if n > 1 else 1.0
    reach = t_quantile((1 + level) / 2, n - 1) * error
    low, high = _window(ordered, probability - reach, probability + reach, ceiling)
    if math.isinf(high):
        share = influence_interval(probability, probability + residuals, level=level)
        low, _ = _window(ordered, share.low, share.high, ceiling)
    slope = (high - low) / (2 * reach) if reach > 0 else 0.0
    if slope == 0 and reach > 0:
        slope = _slope_of_atom(ordered, probability, reach)
    influence = estimate - residuals * slope if math.isfinite(slope) else np.full(n, math.nan)
    return _Point(estimate=estimate, low=low, high=high, slope=slope, influence=influence)


def _residuals(events: Clustered, estimate: float) -> Floats:
    """Return shape (replications,): influence on the share of values up to ``estimate``, or below it if it is the top.

    The share up to the largest value is 1 and never varies, which would make that value look certain.
    """
    inside = events.value <= estimate
    if inside.all():
        inside = events.value < estimate
    below, counts = events.total(inside.astype(np.float64)), events.counts
    return np.asarray((below - counts * (below.sum() / counts.sum())) / counts.mean())


def _slope_of_atom(ordered: Floats, probability: float, reach: float) -> float:
    for stretch in _STRETCHES:
        low, high = _window(ordered, probability - stretch * reach, probability + stretch * reach, math.inf)
        if low < high:
            slope = (high - low) / (2 * stretch * reach)
            return slope if math.isfinite(slope) else 0.0
    return 0.0


def _window(ordered: Floats, from_share: float, to_share: float, ceiling: float) -> tuple[float, float]:
    """Return the sorted values between which these shares of all values lie; infinite beyond the ends."""
    size = len(ordered)
    if not (math.isfinite(from_share) and math.isfinite(to_share)):
        return -math.inf, math.inf
    lower, upper = math.floor(size * from_share + 1e-9) - 1, math.ceil(size * to_share - 1e-9) - 1
    low = float(ordered[lower]) if lower >= 0 else -math.inf
    high = float(ordered[upper]) if upper < size else math.inf
    return low, ceiling if math.isinf(high) and ordered[-1] >= ceiling else high


def _at(ordered: Floats, probability: float) -> float:
    return float(ordered[rank(len(ordered), probability)])


def _sections(events: Clustered, probability: float, sections: int) -> Floats:
    owner = events.replication * sections // events.replications
    pooled = Clustered(value=events.value, replication=owner, replications=sections)
    return within_replications(pooled, probability)


def _mark(paired: PairedDifference, a_censored: bool, b_censored: bool) -> QuantileDifference:
    if not (a_censored or b_censored):
        return QuantileDifference(paired=paired, censored="none")
    old = paired.difference
    both = a_censored and b_censored
    difference = replace(
        old,
        estimate=math.nan if both else old.estimate,
        low=-math.inf if b_censored else old.low,
        high=math.inf if a_censored else old.high,
    )
    marked = replace(paired, difference=difference)
    return QuantileDifference(paired=marked, censored="both" if both else "a" if a_censored else "b")
