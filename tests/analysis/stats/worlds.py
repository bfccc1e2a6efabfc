"""Populations of replications with known truth, for experiments on experiments.

A world is a large pool of paired replications; an experiment draws replications from it with replacement, so that the
truth of every statistic is that of the pool, exactly. Within a replication the values of events are correlated, their
number is random and goes with the values, and the laws are as skewed as the waits of agents are.
"""

from dataclasses import dataclass

import numpy as np

from simlab.analysis.stats.clusters import Clustered
from simlab.analysis.stats.values import Floats, Ints

POOL = 40_000


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class Arm:
    """Values of all events of the pool, sorted by replication, and the number of each replication."""

    value: Floats
    counts: Ints

    def draw(self, chosen: Ints) -> Clustered:
        """Return the events of the chosen replications."""
        counts = self.counts[chosen]
        ends = np.cumsum(self.counts)
        starts = np.repeat(ends[chosen] - counts, counts)
        within = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
        return Clustered(
            value=self.value[starts + within],
            replication=np.repeat(np.arange(len(chosen)), counts),
            replications=len(chosen),
        )

    def whole(self) -> Clustered:
        """Return the pool itself."""
        return self.draw(np.arange(len(self.counts)))


@dataclass(frozen=True, kw_only=True, slots=True, eq=False)
class World:
    """Two strategies under common random numbers."""

    name: str
    a: Arm
    b: Arm

    def experiment(self, rng: np.random.Generator, replications: int) -> tuple[Clustered, Clustered]:
        """Draw the same replications for both arms."""
        chosen = rng.integers(len(self.a.counts), size=replications)
        return self.a.draw(chosen), self.b.draw(chosen)


def lognormal_world(seed: int = 1, pool: int = POOL) -> World:
    """Waits lognormal with sigma 1: 0.5 between replications and 0.87 within; busy replications have more events.

    Strategy ``a`` is 18 % faster, shares three quarters of the luck within, and loses a tenth of the events.
    """
    rng = np.random.default_rng(seed)
    luck = rng.normal(0, 0.5, pool)
    counts = rng.poisson(8 * np.exp(0.5 * luck))
    owner = np.repeat(np.arange(pool), counts)
    shared, own = rng.normal(size=(2, counts.sum()))
    base = np.exp(luck[owner] + 0.87 * shared)
    other = 0.82 * np.exp(luck[owner] + 0.87 * (0.75 * shared + np.sqrt(1 - 0.75**2) * own))
    kept = rng.random(len(owner)) < 0.9
    a = Arm(value=other[kept], counts=np.bincount(owner[kept], minlength=pool))
    return World(name="lognormal", a=a, b=Arm(value=base, counts=counts))


def queue_world(seed: int = 2, pool: int = POOL, slots: int = 48) -> World:
    """Response times of a single server that starts empty: Poisson arrivals for 100 s at 60 % load, lognormal service.

    Strategy ``a`` serves 15 % faster with the same draws (Lindley's recursion).
    """
    rng = np.random.default_rng(seed)
    gaps = rng.exponential(1 / 0.15, (pool, slots))
    inside = np.cumsum(gaps, axis=1) < 100
    service = rng.lognormal(np.log(4) - 0.5, 1, (pool, slots))
    counts = inside.sum(axis=1)
    arms = [Arm(value=_responses(gaps, share * service)[inside], counts=counts) for share in (0.85, 1.0)]
    return World(name="queue", a=arms[0], b=arms[1])


def _responses(gaps: Floats, service: Floats) -> Floats:
    waits = np.zeros_like(service)
    for at in range(1, service.shape[1]):
        waits[:, at] = np.maximum(0, waits[:, at - 1] + service[:, at - 1] - gaps[:, at])
    return waits + service
