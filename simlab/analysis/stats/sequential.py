"""Stop when the worst of the declared metrics is known well enough.

Procedure: Chow and Robbins' fixed-width rule (Ann. Math. Statist. 36 (1965) 457-462; A. Nadas, Ann. Math. Statist. 40
(1969) 667-671, for relative width) with a floor: look at the interval after ``floor_runs`` and then only at multiples
of ``chunk_runs``, and stop at the first look at which every declared half-width is reached, or at ``cap_runs``.
Coverage is asymptotically nominal as the width shrinks; the floor keeps an accidentally small early variance from
ending it (results/coverage.md). A p value looked at repeatedly is not a stopping rule, and none is offered.
"""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from simlab.analysis.stats.values import StatisticsError, StudentInterval


@dataclass(frozen=True, kw_only=True, slots=True)
class Precision:
    """The half-width asked for: in the metric's unit, or relative to a reference or to the estimate itself."""

    half_width: float
    relative: bool = True


@dataclass(frozen=True, kw_only=True, slots=True)
class StoppingRule:
    """What is declared before the first run.

    Attributes:
        precisions: metric -> half-width asked for.
        chunk_runs: replications between looks.
        floor_runs: no look before this many replications.
        cap_runs: stop here at the latest.
    """

    precisions: Mapping[str, Precision]
    chunk_runs: int
    cap_runs: int
    floor_runs: int = 100

    def __post_init__(self) -> None:
        if not self.precisions or any(precision.half_width <= 0 for precision in self.precisions.values()):
            raise StatisticsError("stopping rule: declare at least one metric, each with a half-width above 0")
        if self.chunk_runs < 1 or not 2 <= self.floor_runs <= self.cap_runs:
            raise StatisticsError(
                f"stopping rule: chunk {self.chunk_runs}, floor {self.floor_runs}, cap {self.cap_runs}; "
                "needs chunk >= 1 and 2 <= floor <= cap"
            )


@dataclass(frozen=True, kw_only=True, slots=True)
class Look:
    """What one look at the intervals said.

    Attributes:
        n: replications seen.
        worst: the metric furthest from its half-width, and ``worst_ratio``, its half-width over the one asked for.
        reached: every half-width is reached.
        stop: reached, or at the cap.
        next_runs: replications in all at the next look; None when stopped.
        forecast_runs: replications in all at which the worst metric should be reached, if its spread stays as it is.
    """

    n: int
    worst: str
    worst_ratio: float
    reached: bool
    stop: bool
    next_runs: int | None = field(default=None)
    forecast_runs: int | None = field(default=None)


def look_points(rule: StoppingRule) -> Iterator[int]:
    """Yield the numbers of replications at which to look: multiples of the chunk from the floor on, then the cap."""
    first = math.ceil(rule.floor_runs / rule.chunk_runs) * rule.chunk_runs
    yield from range(first, rule.cap_runs, rule.chunk_runs)
    yield rule.cap_runs


def look(
    rule: StoppingRule, intervals: Mapping[str, StudentInterval], *, references: Mapping[str, float] | None = None
) -> Look:
    """Judge the intervals of the declared metrics.

    Args:
        rule: the declared rule.
        intervals: metric -> its interval, such as a paired difference, all from the same replications.
        references: metric -> what a relative half-width is relative to (for a difference: the baseline's
            value); a metric that is missing here is relative to its own estimate.

    Raises:
        StatisticsError: a declared metric is missing, or this is not a look point.
    """
    missing = sorted(set(rule.precisions) - set(intervals))
    if missing:
        raise StatisticsError(f"stopping rule: no interval for the declared metric {missing[0]!r}")
    n = intervals[next(iter(rule.precisions))].n
    _check_look_point(rule, n)
    ratios = {
        name: _ratio(precision, intervals[name], (references or {}).get(name))
        for name, precision in rule.precisions.items()
    }
    worst = max(ratios, key=lambda name: ratios[name])
    reached = ratios[worst] <= 1
    stop = reached or n >= rule.cap_runs
    return Look(
        n=n,
        worst=worst,
        worst_ratio=ratios[worst],
        reached=reached,
        stop=stop,
        next_runs=None if stop else min(n + rule.chunk_runs, rule.cap_runs),
        forecast_runs=math.ceil(n * ratios[worst] ** 2) if not stop and math.isfinite(ratios[worst]) else None,
    )


def _check_look_point(rule: StoppingRule, n: int) -> None:
    early = n < rule.floor_runs
    if n != rule.cap_runs and (early or n % rule.chunk_runs):
        raise StatisticsError(
            f"stopping rule: looked at {n} replications; look at multiples of {rule.chunk_runs} "
            f"from {rule.floor_runs} on, or at the cap of {rule.cap_runs}"
        )


def _ratio(precision: Precision, interval: StudentInterval, reference: float | None) -> float:
    scale = abs(interval.estimate if reference is None else reference) if precision.relative else 1.0
    asked = precision.half_width * scale
    if interval.half_width == 0:
        return 0.0
    return interval.half_width / asked if asked > 0 else math.inf
