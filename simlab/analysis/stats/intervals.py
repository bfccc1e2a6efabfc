"""Intervals of rates and of quantiles of independent per-run values.

Sources: E. Wilson, J. Am. Statist. Assoc. 22 (1927) 209-212; J. Hanley and A. Lippman-Hand, "If nothing goes wrong, is
everything all right?", JAMA 249 (1983) 1743-1745; H. David and H. Nagaraja, "Order Statistics", 3rd ed. (2003),
section 7.1.
"""

import math

import numpy as np
from numpy.typing import ArrayLike

from simlab.analysis.stats.laws import binomial_below, normal_quantile
from simlab.analysis.stats.student import mean_interval
from simlab.analysis.stats.values import Interval, StatisticsError, as_floats, check_level

__all__ = ["mean_interval", "order_statistic", "rate", "rule_of_three", "wilson"]


def wilson(successes: int, trials: int, *, level: float = 0.95) -> Interval:
    """Return Wilson's score interval of a probability from independent trials (one per replication)."""
    _check_counts(successes, trials)
    check_level(level)
    z = normal_quantile((1 + level) / 2)
    share = successes / trials
    centre = (share + z * z / (2 * trials)) / (1 + z * z / trials)
    reach = z / (1 + z * z / trials) * math.sqrt(share * (1 - share) / trials + (z / (2 * trials)) ** 2)
    low = 0.0 if successes == 0 else max(0.0, centre - reach)
    high = 1.0 if successes == trials else min(1.0, centre + reach)
    return Interval(estimate=share, low=low, high=high, n=trials, level=level)


def rule_of_three(trials: int, *, level: float = 0.95) -> float:
    """Return the upper limit of a probability that was never seen in ``trials`` trials: 3 / n at level 0.95.

    It is one-sided and approximates ``1 - (1 - level) ** (1 / trials)`` from above: ``-log(1 - level) / trials``, with
    the 2.996 of level 0.95 rounded up to 3.
    """
    _check_counts(0, trials)
    check_level(level)
    reach = 3.0 if level == 0.95 else -math.log1p(-level)
    return min(1.0, reach / trials)


def rate(successes: int, trials: int, *, level: float = 0.95) -> Interval:
    """Return the interval of a rate: Wilson's, or the rule of three where every trial came out alike."""
    interval = wilson(successes, trials, level=level)
    if successes == 0:
        return Interval(estimate=0.0, low=0.0, high=rule_of_three(trials, level=level), n=trials, level=level)
    if successes == trials:
        return Interval(estimate=1.0, low=1 - rule_of_three(trials, level=level), high=1.0, n=trials, level=level)
    return interval


def order_statistic(values: ArrayLike, probability: float, *, level: float = 0.95) -> Interval:
    """Return the distribution-free interval of a quantile of independent values.

    Args:
        values: shape (n,), one value per replication; inf for one beyond the horizon.
        probability: of the quantile, strictly between 0 and 1.
        level: confidence level; each side misses with at most (1 - level) / 2, so coverage is at least ``level``.

    The limits are order statistics. Where too few values lie beyond the quantile there is no upper limit (p95 needs
    72 values) and ``high`` is inf; likewise ``low`` is -inf. The estimate is the smallest value whose
    empirical distribution function reaches ``probability``.
    """
    array = np.sort(as_floats(values))
    check_probability(probability)
    check_level(level)
    n, tail = len(array), (1 - level) / 2
    below = binomial_below(n, probability)
    lower, upper = int((below <= tail).sum()), int((1 - below > tail).sum())
    return Interval(
        estimate=float(array[rank(n, probability)]),
        low=float(array[lower - 1]) if lower > 0 else -math.inf,
        high=float(array[upper]) if upper < n else math.inf,
        n=n,
        level=level,
    )


def rank(size: int, probability: float) -> int:
    """Return the zero-based position of the smallest of ``size`` sorted values at which the ECDF reaches it."""
    return max(math.ceil(size * probability - 1e-9) - 1, 0)


def check_probability(probability: float) -> None:
    """Raise unless a quantile of this probability exists for every law."""
    if not 0 < probability < 1:
        raise StatisticsError(f"probability: {probability}; a quantile's lies strictly between 0 and 1, such as 0.9")


def _check_counts(successes: int, trials: int) -> None:
    if trials < 1 or not 0 <= successes <= trials:
        raise StatisticsError(f"rate: {successes} of {trials}; needs 0 <= successes <= trials and a trial")
