"""What the statistics return. Units are the caller's; ``n`` always counts independent replications."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from simlab.core.errors import SimlabError

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


class StatisticsError(SimlabError):
    """Data or a setting from which the statistic asked for cannot be computed."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Interval:
    """An estimate with its confidence limits.

    A limit that the data cannot give is infinite: ``high == math.inf`` is to be printed as ``>= low``, never as a
    number. ``estimate == math.inf`` means that the estimate lies in the censored part (``>= horizon``).
    """

    estimate: float
    low: float
    high: float
    n: int
    level: float = 0.95

    @property
    def half_width(self) -> float:
        """Half of the distance between the limits; infinite where a limit is."""
        return (self.high - self.low) / 2

    def covers(self, value: float) -> bool:
        """Say whether ``value`` lies between the limits, ends included."""
        return self.low <= value <= self.high


@dataclass(frozen=True, kw_only=True, slots=True)
class StudentInterval(Interval):
    """An interval from a studentised estimate, with what is needed to test it (see ``student``)."""

    standard_error: float
    df: float
    skewness: float = 0.0


@dataclass(frozen=True, kw_only=True, slots=True)
class PairedDifference:
    """Strategy minus baseline under common random numbers.

    ``correlation`` and ``variance_factor`` concern the influence values of the two arms. The factor is
    (variance of a + variance of b) / variance of (a - b): how many times fewer runs the pairing needs than independent
    runs would. It is inf where the difference never varies and nan where neither arm does. ``below``, ``ties`` and
    ``above`` count the replications in which the strategy's value is below, equal to and above the baseline's; which of
    them are wins depends on the direction of the metric.
    """

    difference: StudentInterval
    correlation: float
    variance_factor: Interval
    below: int
    ties: int
    above: int

    @property
    def estimate(self) -> float:
        """The difference itself."""
        return self.difference.estimate

    @property
    def low(self) -> float:
        """Lower limit of the difference."""
        return self.difference.low

    @property
    def high(self) -> float:
        """Upper limit of the difference."""
        return self.difference.high

    @property
    def n(self) -> int:
        """Number of pairs."""
        return self.difference.n


def as_floats(values: ArrayLike, what: str = "values") -> Floats:
    """Return ``values`` as a float array of shape (n,), n >= 1, without nan.

    Raises:
        StatisticsError: not one-dimensional, empty, or with nan (a missing value must be counted, not averaged).
    """
    array = np.asarray(values, dtype=np.float64)
    if array.ndim != 1 or array.size == 0:
        raise StatisticsError(f"{what}: shape {array.shape}; one value per replication is needed, at least one")
    if np.isnan(array).any():
        where = int(np.flatnonzero(np.isnan(array))[0])
        raise StatisticsError(f"{what}[{where}]: nan; give a number, or inf for a time beyond the horizon")
    return array


def check_level(level: float) -> None:
    """Raise unless ``level`` is a confidence level strictly between 0 and 1."""
    if not 0 < level < 1:
        raise StatisticsError(f"level: {level}; a confidence level lies strictly between 0 and 1, such as 0.95")


def printed(value: float, digits: int = 4, horizon: float = math.inf) -> str:
    """Write a number as a report should: infinite values and those at the horizon as ``>= horizon``."""
    if value >= horizon:
        return f">= {horizon:.{digits}g}" if math.isfinite(horizon) else "no upper limit"
    if value == -math.inf:
        return "no lower limit"
    return f"{value:.{digits}g}"
