"""Paired differences under common random numbers, for any estimate with one influence value per replication.

Source: A. Law, "Simulation Modeling and Analysis", 5th ed. (2015), sections 10.2.1 and 11.2. The interval of the
variance factor is the jackknife on the log scale: R. Miller, "The jackknife: a review", Biometrika 61 (1974) 1-15.
"""

import math

import numpy as np
from numpy.typing import ArrayLike

from simlab.analysis.stats.student import influence_interval
from simlab.analysis.stats.values import Floats, Interval, PairedDifference, StatisticsError, as_floats, check_level


def paired_means(a: ArrayLike, b: ArrayLike, *, level: float = 0.95, guard: bool = True) -> PairedDifference:
    """Compare the means of two arms: ``a`` minus ``b``, replication by replication.

    Args:
        a: shape (n,), the strategy's value in each replication.
        b: shape (n,), the baseline's, in the same order.
        level: confidence level.
        guard: see ``student.mean_interval``.

    Raises:
        StatisticsError: lengths differ, or a value is not finite (cut censored times at a common horizon first).
    """
    first, second = as_floats(a, "a"), as_floats(b, "b")
    check_pairs(first, second)
    return paired_influence(first, second, estimate=float((first - second).mean()), level=level, guard=guard)


def paired_influence(
    a: Floats, b: Floats, *, estimate: float, scores: tuple[Floats, Floats] | None = None, level: float, guard: bool
) -> PairedDifference:
    """Compare two estimates through their influence values.

    Args:
        a: shape (n,), influence values of the strategy's estimate.
        b: shape (n,), those of the baseline's, replications in the same order.
        estimate: difference of the two estimates.
        scores: per-replication values of the arms that are compared one by one for the counts (default: the influence
            values); pairs with a nan are not counted.
        level: confidence level.
        guard: see ``student.mean_interval``.
    """
    below, ties, above = counts(*(scores or (a, b)))
    return PairedDifference(
        difference=influence_interval(estimate, a - b, level=level, guard=guard),
        correlation=correlation(a, b),
        variance_factor=variance_factor(a, b, level=level),
        below=below,
        ties=ties,
        above=above,
    )


def unknown_difference(n: int, level: float) -> PairedDifference:
    """Return the comparison of ``n`` replications of which nothing is known, such as an arm without any event."""
    nothing = Interval(estimate=math.nan, low=math.nan, high=math.nan, n=n, level=level)
    difference = influence_interval(math.nan, np.full(n, math.nan), level=level)
    return PairedDifference(
        difference=difference, correlation=math.nan, variance_factor=nothing, below=0, ties=0, above=0
    )


def counts(a: Floats, b: Floats) -> tuple[int, int, int]:
    """Count the replications in which ``a`` is below, equal to, above ``b``; a pair with a nan counts nowhere."""
    return int((a < b).sum()), int((a == b).sum()), int((a > b).sum())


def correlation(a: Floats, b: Floats) -> float:
    """Return Pearson's correlation; nan where an arm does not vary or cannot be measured."""
    u, v = a - a.mean(), b - b.mean()
    scale = math.sqrt(float(u @ u) * float(v @ v))
    return float(np.clip(u @ v / scale, -1, 1)) if scale > 0 and math.isfinite(scale) else math.nan


def variance_factor(a: Floats, b: Floats, *, level: float = 0.95) -> Interval:
    """Return (var a + var b) / var(a - b) with its jackknife interval on the log scale.

    Args:
        a: shape (n,), influence values of one arm.
        b: shape (n,), those of the other, same replications.
        level: confidence level.

    The leave-one-out variances have a closed form. With fewer than four pairs, or where one
    pair holds all the variance of both arms or of the difference, the limits are 0 and inf. Variances of
    heavy-tailed values are hard to know: a 95 % interval covers 86-93 % of the time on such worlds (bootstrap and
    Fisher's z are worse; results/coverage.md), so read it as a range, not as a test.
    """
    check_level(level)
    n = len(a)
    both, gap = _loo_variances(a) + _loo_variances(b), _loo_variances(a - b)
    if not (np.isfinite(both).all() and both[0] > 0):
        return Interval(estimate=math.nan, low=math.nan, high=math.nan, n=n, level=level)
    if gap[0] <= 1e-24 * both[0]:
        return Interval(estimate=math.inf, low=math.inf, high=math.inf, n=n, level=level)
    estimate = float(both[0] / gap[0])
    if n < 4 or not (both > 0).all() or not (gap > 0).all():
        return Interval(estimate=estimate, low=0.0, high=math.inf, n=n, level=level)
    logs = np.log(both / gap)
    found = influence_interval(float(logs[0]), n * logs[0] - (n - 1) * logs[1:], level=level)
    return Interval(estimate=estimate, low=_exp(found.low), high=_exp(found.high), n=n, level=level)


def _exp(value: float) -> float:
    return math.exp(value) if value < 700 else math.inf


def _loo_variances(values: Floats) -> Floats:
    """Return shape (n + 1,): the variance of all, then of all but each one (n >= 3, else nan)."""
    n = len(values)
    if n < 3:
        return np.full(n + 1, math.nan)
    squares = (values - values.mean()) ** 2
    total = squares.sum()
    left = total - squares * n / (n - 1)
    left[left <= 1e-12 * total] = 0.0  # one value was all the variance; what remains is rounding
    return np.concatenate([[total / (n - 1)], left / (n - 2)])


def check_pairs(a: Floats, b: Floats) -> None:
    """Raise unless the two arms have one finite value for each of the same replications."""
    if len(a) != len(b):
        raise StatisticsError(f"pairs: {len(a)} and {len(b)} replications; both arms need the same ones, in one order")
    if not (np.isfinite(a).all() and np.isfinite(b).all()):
        raise StatisticsError("pairs: a value is not finite; cut censored times at a common horizon first")
