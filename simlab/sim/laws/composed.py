"""Laws put together from others, and laws read from data."""

from bisect import bisect_left, bisect_right
from dataclasses import dataclass, field
from itertools import accumulate, pairwise
from math import inf, isfinite

from simlab.sim.laws.basic import (
    Capped,
    Exponential,
    Gamma,
    Lognormal,
    Pareto,
    Weibull,
    require,
    require_from_zero,
    require_positive,
    segment_moment,
)
from simlab.sim.laws.mixtures import TwoLognormals

_SMALLEST = 2.0**-53

Body = Exponential | Lognormal | TwoLognormals | Gamma | Weibull
"""A law that a Pareto tail or a spike at zero can be put on."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ParetoTail(Capped):
    """A body up to a threshold, and above it a Pareto tail with the same total chance.

    The distribution function is continuous at the threshold, the density need not be.
    """

    body: Body
    threshold: float
    alpha: float
    _below: float = field(init=False, repr=False, compare=False)

    def check(self) -> None:
        """Refuse a capped body and parameters that are not positive."""
        require_positive(threshold=self.threshold, alpha=self.alpha)
        require(self.body.cap == inf, "the body of a Pareto tail must not have a cap of its own")
        below = self.body.free_cdf(self.threshold)
        require(below < 1, f"threshold {self.threshold} lies beyond everything that the body reaches")
        object.__setattr__(self, "_below", below)

    def quantile(self, u: float) -> float:
        """Invert the body below the threshold, the tail above it."""
        below = self._below
        if u <= below:
            value = min(self.body.quantile(u), self.threshold)
        else:
            value = self.threshold * ((1 - below) / (1 - u)) ** (1 / self.alpha)
        return value if value < self.cap else self.cap

    def free_cdf(self, value: float) -> float:
        """Return the body's chance below the threshold, the tail's above it."""
        if value <= self.threshold:
            return self.body.free_cdf(value)
        return float(1 - (1 - self._below) * (self.threshold / value) ** self.alpha)

    def limited_moment(self, order: int, limit: float) -> float:
        """Return the body's moment limited at the threshold plus what the tail adds beyond it."""
        inside = self.body.limited_moment(order, min(limit, self.threshold))
        if limit <= self.threshold:
            return inside
        tail = Pareto(minimum=self.threshold, alpha=self.alpha).limited_moment(order, limit)
        return inside + (1 - self._below) * (tail - self.threshold**order)


@dataclass(frozen=True, kw_only=True, slots=True)
class ZeroInflated(Capped):
    """Exactly 0 with `zero_probability`, otherwise the body."""

    zero_probability: float
    body: Body

    def check(self) -> None:
        """Refuse a chance outside [0, 1)."""
        share = self.zero_probability
        require(0 <= share < 1, f"zero_probability must be at least 0 and below 1, not {share}")
        require(self.body.cap == inf, "the body of a zero-inflated law must not have a cap of its own")

    def quantile(self, u: float) -> float:
        """Return 0 for the smallest numbers, the body's quantile of the rest."""
        if u <= self.zero_probability:
            return 0.0
        rest = 1 - (1 - u) / (1 - self.zero_probability)  # stays below 1 for every draw
        value = self.body.quantile(max(rest, _SMALLEST))
        return value if value < self.cap else self.cap

    def free_cdf(self, value: float) -> float:
        """Add the spike."""
        if value < 0:
            return 0.0
        return self.zero_probability + (1 - self.zero_probability) * self.body.free_cdf(value)

    def limited_moment(self, order: int, limit: float) -> float:
        """Return the body's share."""
        return (1 - self.zero_probability) * self.body.limited_moment(order, limit)


@dataclass(frozen=True, kw_only=True, slots=True)
class Empirical(Capped):
    """The quantiles of observed values, joined by straight lines (as ``numpy.quantile`` does by default).

    `values` in any order; at least one, none negative.
    """

    values: tuple[float, ...]

    def check(self) -> None:
        """Refuse an empty or negative sample, and sort it."""
        require(len(self.values) > 0, "values must hold at least one number")
        for value in self.values:
            require_from_zero(values=value)
        object.__setattr__(self, "values", tuple(sorted(self.values)))

    def quantile(self, u: float) -> float:
        """Interpolate between the two neighbouring observations."""
        place = u * (len(self.values) - 1)
        index = int(place)
        low = self.values[index]
        high = self.values[min(index + 1, len(self.values) - 1)]
        value = low + (place - index) * (high - low)
        return value if value < self.cap else self.cap

    def free_cdf(self, value: float) -> float:
        """Invert the interpolation."""
        count = bisect_right(self.values, value)
        if count in (0, len(self.values)):
            return float(count > 0)
        low, high = self.values[count - 1], self.values[count]
        return (count - 1 + (value - low) / (high - low)) / (len(self.values) - 1)

    def limited_moment(self, order: int, limit: float) -> float:
        """Average the moments of the line segments."""
        ends = self.values if len(self.values) > 1 else self.values * 2
        pieces = [segment_moment(low, high, limit, order) for low, high in pairwise(ends)]
        return sum(pieces) / len(pieces)


@dataclass(frozen=True, kw_only=True, slots=True)
class Discrete(Capped):
    """A few values (ascending), each with a weight; the weights need not sum to 1."""

    values: tuple[float, ...]
    weights: tuple[float, ...]
    _up_to: tuple[float, ...] = field(init=False, repr=False, compare=False)

    def check(self) -> None:
        """Refuse lists of different lengths, values out of order, weights that are no weights."""
        require(len(self.values) == len(self.weights) > 0, "values and weights must be lists of one length, not empty")
        require_from_zero(**{f"values[{index}]": value for index, value in enumerate(self.values)})
        require_from_zero(**{f"weights[{index}]": weight for index, weight in enumerate(self.weights)})
        require(all(low < high for low, high in pairwise(self.values)), "values must ascend")
        total = sum(self.weights)
        require(total > 0 and isfinite(total), "weights must not all be 0")
        object.__setattr__(self, "_up_to", tuple(weight / total for weight in accumulate(self.weights)))

    def quantile(self, u: float) -> float:
        """Return the first value up to which the chance reaches u."""
        index = bisect_left(self._up_to, u)
        value = self.values[min(index, len(self.values) - 1)]
        return value if value < self.cap else self.cap

    def free_cdf(self, value: float) -> float:
        """Sum the weights up to the value."""
        count = bisect_right(self.values, value)
        return self._up_to[count - 1] if count else 0.0

    def limited_moment(self, order: int, limit: float) -> float:
        """Sum over the values."""
        total = sum(self.weights)
        pairs = zip(self.values, self.weights, strict=True)
        return sum(weight * min(value, limit) ** order for value, weight in pairs) / total
