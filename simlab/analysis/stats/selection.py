"""Pick the best of k strategies with a stated probability of correct selection: the KN procedure.

Source: S.-H. Kim and B. Nelson, "A fully sequential procedure for indifference-zone selection in simulation", ACM
TOMACS 11 (2001) 251-273, with c = 1. It needs normal means (batches or long runs help), allows unequal variances, and
gains from common random numbers, because only variances of differences enter. If the best is better than every other
by at least ``indifference``, it is selected with probability at least ``1 - alpha``; otherwise one within
``indifference`` of the best is.

Looking only at some replications (``chunk_runs``) keeps the guarantee: a walk seen at fewer times leaves the
symmetric triangle on the wrong side less often (C. Jennison, I. Johnstone and B. Turnbull, "Asymptotically optimal
procedures for sequential adaptive selection of the best of several normal means", in Statistical Decision Theory and
Related Topics III (1982)).

The step is a function of all data so far, so a stopped selection continues from its stored results and gives the same
answer.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike

from simlab.analysis.stats.values import Floats, StatisticsError, as_floats


@dataclass(frozen=True, kw_only=True, slots=True)
class SelectionPlan:
    """What is declared before the first run.

    Attributes:
        indifference: the smallest difference of means worth detecting, in the metric's unit.
        alpha: one minus the probability of correct selection.
        first_runs: replications of every strategy before the first screening (n0), at least 3.
        chunk_runs: replications added between screenings.
        higher_is_better: direction of the metric.
    """

    indifference: float
    alpha: float = 0.05
    first_runs: int = 20
    chunk_runs: int = 1
    higher_is_better: bool = False

    def __post_init__(self) -> None:
        if self.indifference <= 0 or not 0 < self.alpha < 0.5 or self.first_runs < 3 or self.chunk_runs < 1:
            raise StatisticsError(
                "selection: needs indifference > 0, 0 < alpha < 0.5, first_runs >= 3 and chunk_runs >= 1; got "
                f"{self.indifference}, {self.alpha}, {self.first_runs}, {self.chunk_runs}"
            )


@dataclass(frozen=True, kw_only=True, slots=True)
class Elimination:
    """One strategy left the race: after ``n`` replications it trailed ``rival`` by ``gap``, more than ``allowed``."""

    name: str
    rival: str
    n: int
    gap: float
    allowed: float


@dataclass(frozen=True, kw_only=True, slots=True)
class Selection:
    """State of the race.

    Attributes:
        alive: strategies not yet eliminated, in the order given.
        best: the selected strategy; None while more runs are needed.
        next_runs: replications in all that every strategy alive needs for the next screening; None at the end.
        longest_runs: replications at which the race ends at the latest.
        eliminations: the trace, in order.
    """

    alive: tuple[str, ...]
    best: str | None
    next_runs: int | None
    longest_runs: int | None
    eliminations: tuple[Elimination, ...]


def select(values: Mapping[str, ArrayLike], plan: SelectionPlan) -> Selection:
    """Replay the race over the results so far and say what is needed next.

    Args:
        values: strategy -> shape (n,), perhaps empty, its metric in each replication, in the order of replications,
        the same replications
            for all. Eliminated strategies may be shorter; values beyond the last screening are not used.
        plan: the declared plan.

    Raises:
        StatisticsError: fewer than two strategies, a strategy alive is shorter than one already screened needs, or a
        value is
            not finite.
    """
    signed = {name: _signed(name, array, plan) for name, array in values.items()}
    if len(signed) < 2:
        raise StatisticsError(f"selection: {len(signed)} strategies; needs at least two")
    alive, eliminations = tuple(signed), list[Elimination]()
    n = plan.first_runs
    if _shortest(signed, alive) < n:
        return Selection(alive=alive, best=None, next_runs=n, longest_runs=None, eliminations=())
    race = _Race.start(signed, plan)
    while True:
        alive, gone = race.screen(alive, n)
        eliminations += gone
        longest = race.longest(alive)
        if len(alive) == 1 or n >= longest:
            best = max(alive, key=lambda name: race.mean(name, n))
            return Selection(alive=alive, best=best, next_runs=None, longest_runs=n, eliminations=tuple(eliminations))
        n = min(n + plan.chunk_runs, longest)
        if _shortest(signed, alive) < n:
            return Selection(
                alive=alive, best=None, next_runs=n, longest_runs=longest, eliminations=tuple(eliminations)
            )


@dataclass(frozen=True, kw_only=True, slots=True)
class _Race:
    """Running sums, and how far each pair may lie apart: h^2 S^2 / delta^2 of the source."""

    sums: Mapping[str, Floats]
    horizon: Mapping[frozenset[str], float]
    delta: float

    @classmethod
    def start(cls, values: Mapping[str, Floats], plan: SelectionPlan) -> "_Race":
        first, rivals = plan.first_runs, len(values) - 1
        eta = ((2 * plan.alpha / rivals) ** (-2 / (first - 1)) - 1) / 2
        scale = 2 * eta * (first - 1) / plan.indifference**2
        horizon = {
            frozenset(pair): scale * float(np.var(values[pair[0]][:first] - values[pair[1]][:first], ddof=1))
            for pair in combinations(values, 2)
        }
        sums = {name: np.cumsum(array) for name, array in values.items()}
        return cls(sums=sums, horizon=horizon, delta=plan.indifference)

    def mean(self, name: str, n: int) -> float:
        return float(self.sums[name][n - 1]) / n

    def allowed(self, one: str, other: str, n: int) -> float:
        return max(0.0, self.delta / (2 * n) * (self.horizon[frozenset((one, other))] - n))

    def longest(self, alive: tuple[str, ...]) -> int:
        return max((math.floor(self.horizon[frozenset(pair)]) + 1 for pair in combinations(alive, 2)), default=0)

    def screen(self, alive: tuple[str, ...], n: int) -> tuple[tuple[str, ...], list[Elimination]]:
        gone = [found for name in alive if (found := self._beaten(name, alive, n)) is not None]
        names = {elimination.name for elimination in gone}
        return tuple(name for name in alive if name not in names), gone

    def _beaten(self, name: str, alive: tuple[str, ...], n: int) -> Elimination | None:
        for rival in alive:
            if rival == name:
                continue
            gap, allowed = self.mean(rival, n) - self.mean(name, n), self.allowed(name, rival, n)
            if gap > allowed:
                return Elimination(name=name, rival=rival, n=n, gap=gap, allowed=allowed)
        return None


def _signed(name: str, array: ArrayLike, plan: SelectionPlan) -> Floats:
    if np.size(np.asarray(array)) == 0:
        return np.empty(0)
    values = as_floats(array, name)
    if not np.isfinite(values).all():
        raise StatisticsError(f"{name}: a value is not finite; restrict censored times to the common horizon first")
    return values if plan.higher_is_better else -values


def _shortest(values: Mapping[str, Floats], alive: tuple[str, ...]) -> int:
    return min(len(values[name]) for name in alive)
