"""Per-event values that belong to replications: the replication is the independent unit, not the event."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from simlab.analysis.stats.values import Floats, Ints, StatisticsError


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Clustered:
    """Values of events with the replication of each.

    Attributes:
        value: shape (events,); inf for an event censored at the horizon.
        replication: shape (events,), each in ``range(replications)``; in any order.
        replications: number of replications, those without events included.
    """

    value: Floats
    replication: Ints
    replications: int

    @property
    def counts(self) -> Floats:
        """Shape (replications,): number of events of each replication."""
        return self.total(np.ones_like(self.value))

    def total(self, weights: Floats) -> Floats:
        """Shape (replications,): sum of ``weights`` (one per event) in each replication."""
        return np.bincount(self.replication, weights, self.replications).astype(np.float64)

    def restricted(self, horizon: float) -> "Clustered":
        """Return the values cut at ``horizon``: censored events count with the horizon itself.

        Means of restricted values are restricted means (P. Royston and M. Parmar, BMC Med. Res. Methodol. 13 (2013)
        152). The horizon must be common to both arms, and an event must have been observable for as long:
        leave out events that arrived later than ``horizon`` before the end of the run.
        """
        return Clustered(
            value=np.minimum(self.value, horizon), replication=self.replication, replications=self.replications
        )


def clustered(replication: ArrayLike, value: ArrayLike, replications: int) -> Clustered:
    """Check and pack per-event values.

    Raises:
        StatisticsError: lengths differ, an index is out of range, a value is nan, or there is no event at all.
    """
    values = np.asarray(value, dtype=np.float64)
    owners = np.asarray(replication, dtype=np.int64)
    if values.ndim != 1 or values.shape != owners.shape:
        raise StatisticsError(f"events: values of shape {values.shape} with replications of shape {owners.shape}")
    if values.size == 0:
        raise StatisticsError("events: none; a value per event needs at least one event")
    if owners.min() < 0 or owners.max() >= replications:
        raise StatisticsError(
            f"events: replications {owners.min()}..{owners.max()}; they must lie in 0..{replications - 1}"
        )
    if np.isnan(values).any():
        raise StatisticsError("events: a value is nan; an event without an answer is inf, or is left out and counted")
    return Clustered(value=values, replication=owners, replications=replications)


def check_same_replications(a: Clustered, b: Clustered) -> None:
    """Raise unless both arms ran the same replications."""
    if a.replications != b.replications:
        raise StatisticsError(f"pairs: {a.replications} and {b.replications} replications; both arms need the same")
