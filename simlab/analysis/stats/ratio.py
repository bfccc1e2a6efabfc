"""Per-event means: sum over replications of a total, divided by the number of events.

Events of one replication are correlated and their number is random, so the replication is the cluster and the mean is
a ratio estimate. Influence values are those of the delta method, ``R + (y_r - R n_r) / mean(n)``; their mean is R
exactly.

Source: W. Cochran, "Sampling Techniques", 3rd ed. (1977), sections 2.11 and 6.4; for evaluations with clusters, E.
Miller, "Adding Error Bars to Evals", arXiv 2411.00640 (2024).
"""

import numpy as np
from numpy.typing import ArrayLike

from simlab.analysis.stats.clusters import Clustered, check_same_replications
from simlab.analysis.stats.paired import check_pairs, paired_influence
from simlab.analysis.stats.student import influence_interval
from simlab.analysis.stats.values import Floats, PairedDifference, StatisticsError, StudentInterval, as_floats


def ratio(totals: ArrayLike, counts: ArrayLike, *, level: float = 0.95, guard: bool = True) -> StudentInterval:
    """Return the interval of sum(totals) / sum(counts).

    Args:
        totals: shape (n,), the total over the events of each replication.
        counts: shape (n,), the number of events of each replication; may be 0 in some.
        level: confidence level.
        guard: see ``student.mean_interval``.
    """
    estimate, influence = ratio_influence(as_floats(totals, "totals"), as_floats(counts, "counts"))
    return influence_interval(estimate, influence, level=level, guard=guard)


def event_mean(events: Clustered, *, level: float = 0.95, guard: bool = True) -> StudentInterval:
    """Return the interval of the mean per event; inf where an event is censored (restrict it to a horizon first)."""
    return ratio(events.total(events.value), events.counts, level=level, guard=guard)


def paired_ratios(
    a: tuple[ArrayLike, ArrayLike], b: tuple[ArrayLike, ArrayLike], *, level: float = 0.95, guard: bool = True
) -> PairedDifference:
    """Compare two ratios: ``a`` minus ``b``, each (totals, counts) of shape (n,), replications in the same order.

    The counts compare the ratios within replications that have events in both arms.
    """
    totals_a, counts_a = as_floats(a[0], "a: totals"), as_floats(a[1], "a: counts")
    totals_b, counts_b = as_floats(b[0], "b: totals"), as_floats(b[1], "b: counts")
    check_pairs(totals_a, totals_b)
    first, influence_a = ratio_influence(totals_a, counts_a)
    second, influence_b = ratio_influence(totals_b, counts_b)
    return paired_influence(
        influence_a,
        influence_b,
        estimate=first - second,
        scores=(_within(totals_a, counts_a), _within(totals_b, counts_b)),
        level=level,
        guard=guard,
    )


def paired_event_means(a: Clustered, b: Clustered, *, level: float = 0.95, guard: bool = True) -> PairedDifference:
    """Compare two means per event; the arms may have different events, but the same replications."""
    check_same_replications(a, b)
    return paired_ratios((a.total(a.value), a.counts), (b.total(b.value), b.counts), level=level, guard=guard)


def ratio_influence(totals: Floats, counts: Floats) -> tuple[float, Floats]:
    """Return the ratio and its influence values, shape (n,).

    Raises:
        StatisticsError: shapes differ, a count is negative, or all are 0.
    """
    if totals.shape != counts.shape:
        raise StatisticsError(f"ratio: {len(totals)} totals and {len(counts)} counts; one of each per replication")
    if (counts < 0).any() or counts.sum() == 0:
        raise StatisticsError("ratio: counts must be 0 or more, with at least one event in all")
    estimate = float(totals.sum() / counts.sum())
    if not np.isfinite(estimate):
        return estimate, np.full_like(totals, np.nan)
    return estimate, estimate + (totals - estimate * counts) / counts.mean()


def _within(totals: Floats, counts: Floats) -> Floats:
    return np.divide(totals, counts, out=np.full_like(totals, np.nan), where=counts > 0)
