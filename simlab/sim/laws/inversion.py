"""Numerical inversion of a smooth distribution function, fast enough for a draw (about 2 us)."""

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from math import exp, inf, pi, sqrt

from simlab.sim.laws.basic import normal_below, normal_quantile

_KNOTS_PER_SIGMA = 8
_FARTHEST_SIGMA = 9  # beyond the normal quantile of the smallest and the largest draw (8.2)
_ROOT_TWO_PI = sqrt(2 * pi)
_NEWTON_STEPS = 50  # then the bracket is halved
_LAST_STEP = 1e-7  # Newton's error after a step of this size is its square


def normal_density(z: float) -> float:
    """Return the density of the standard normal law."""
    return exp(-z * z / 2) / _ROOT_TWO_PI


def normal_between(low: float, high: float) -> float:
    """Return the chance that a standard normal number lies between low and high, accurate on both sides of 0."""
    if low > 0:
        return normal_below(-low) - normal_below(-high)
    return normal_below(high) - normal_below(low)


Tails = Callable[[float, bool], tuple[float, float]]
"""(log value, upper?) -> (chance of more if upper else of at most that, density of the logarithm)."""


def solve(tails: Tails, u: float, low: float, high: float, guess: float) -> float:
    """Return the log value at which the chance of at most that is u, by Newton steps kept inside a bracket."""
    upper = u > 0.5
    target = 1 - u if upper else u
    y = guess if low < guess < high else (low + high) / 2
    attempt = 0
    while True:
        attempt += 1
        tail, density = tails(y, upper)
        excess = target - tail if upper else tail - target  # above 0: y is too large
        if excess > 0:
            high = y
        else:
            low = y
        following = y - excess / density if density > 0 else inf
        if low <= following <= high and attempt < _NEWTON_STEPS:
            if abs(following - y) <= _LAST_STEP:
                return following
        else:
            following = (low + high) / 2
            if following in (low, high):
                return following
        y = following


Cubic = tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class LogKnots:
    """The inverse of a smooth law: between fixed normal scores a cubic gives the guess, Newton's steps the rest."""

    tails: Tails
    logs: tuple[float, ...]
    cubics: tuple[Cubic, ...]

    @classmethod
    def of(cls, tails: Tails, low: float, high: float) -> "LogKnots":
        """Tabulate a law whose log values lie between low and high for all draws."""
        logs: list[float] = []
        slopes: list[float] = []
        for index in range(-_FARTHEST_SIGMA * _KNOTS_PER_SIGMA, _FARTHEST_SIGMA * _KNOTS_PER_SIGMA + 1):
            score = index / _KNOTS_PER_SIGMA
            u = normal_below(score)
            start = logs[-1] if logs else low
            logs.append(solve(tails, u, start, high, start) if u < 1 else high)
            density = tails(logs[-1], u > 0.5)[1]
            slopes.append(normal_density(score) / density / _KNOTS_PER_SIGMA if density > 0 else 0.0)
        ends = pairwise(zip(logs, slopes, strict=True))
        return cls(tails, tuple(logs), tuple(_cubic(*left, *right) for left, right in ends))

    def quantile(self, u: float) -> float:
        """Return the value whose chance of at most that is u, to 1e-12 of itself."""
        place = (normal_quantile(u) + _FARTHEST_SIGMA) * _KNOTS_PER_SIGMA
        index = int(place)
        t = place - index
        a, b, c, d = self.cubics[index]
        return exp(solve(self.tails, u, self.logs[index], self.logs[index + 1], a + t * (b + t * (c + t * d))))


def _cubic(low: float, low_slope: float, high: float, high_slope: float) -> Cubic:
    """Return the coefficients of Hermite's cubic on [0, 1]."""
    rise = high - low
    return low, low_slope, 3 * rise - 2 * low_slope - high_slope, low_slope + high_slope - 2 * rise
