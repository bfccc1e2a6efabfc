"""Paired differences under common random numbers, for any estimate with one influence value per replication.

Source: A. Law, "Simulation Modeling and Analysis", 5th ed. (2015), sections 10.2.1 and 11.2. The interval of the
variance factor is the jackknife on the log scale: R. Miller, "The jackknife: a review", Biometrika 61 (1974) 1-15.
"""

import math

import numpy as np
from numpy.typing import ArrayLike

from simlab.analysis.stats.laws import t_quantile
from simlab.analysis.stats.student import check_pairs, influence_interval
from simlab.analysis.stats.values import Floats, Interval, PairedDifference, as_floats, check_level


def paired_means(a: ArrayLike, b: ArrayLike, *, level: float = 0.95, guard: bool = True) -> PairedDifference:
    """Compare the means of two arms: ``a`` minus ``b``, replication by replication.

    Args:
        a: shape (n,), the strategy's value in each replication.
        b: shape (n,), the baseline's, in the same order.
        level: confidence level.
        guard: see ``student.mean_interval``.

    Wins, ties and losses count the replications in which ``a`` is below, equal to and above ``b``.

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
        scores: per-replication values of the arms on which wins are counted (default: the influence values); pairs
            with a nan are not counted.
        level: confidence level.
        guard: see ``student.mean_interval``.

    """
    wins, ties, losses = win_tie_loss(*(scores or (a, b)))
    return PairedDifference(
        difference=influence_interval(estimate, a - b, level=level, guard=guard),
        correlation=correlation(a, b),
        variance_factor=variance_factor(a, b, level=level),
        wins=wins,
        ties=ties,
        losses=losses,
    )


def win_tie_loss(a: Floats, b: Floats) -> tuple[int, int, int]:
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

    The leave-one-out variances have a closed form. With fewer than four pairs the limits are 0 and inf. Heavy tails
    make it optimistic: see results/coverage.md.

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
    left_out = logs[1:]
    error = math.sqrt((n - 1) / n * float(((left_out - left_out.mean()) ** 2).sum()))
    reach = t_quantile((1 + level) / 2, n - 1) * error
    return Interval(
        estimate=estimate, low=math.exp(logs[0] - reach), high=_exp(float(logs[0]) + reach), n=n, level=level
    )


def _exp(value: float) -> float:
    return math.exp(value) if value < 700 else math.inf


def _loo_variances(values: Floats) -> Floats:
    """Return shape (n + 1,): the variance of all, then of all but each one (n >= 3, else nan)."""
    n = len(values)
    if n < 3:
        return np.full(n + 1, math.nan)
    squares = (values - values.mean()) ** 2
    total = squares.sum()
    return np.concatenate([[total / (n - 1)], np.maximum(total - squares * n / (n - 1), 0.0) / (n - 2)])
