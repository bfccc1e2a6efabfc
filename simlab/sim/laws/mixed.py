"""Laws put together from others: mixtures, a Pareto tail on a body, a spike at zero, and laws read from data.

A mixture is drawn from ONE uniform number by inverting its own distribution function, not by spending part of the
number on the choice of a component: so the value never falls as the number grows, which is what makes common random
numbers work best when two strategies meet laws that differ a little.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import accumulate, pairwise
from math import exp, inf, isfinite, log, pi, sqrt

from simlab.sim.laws.basic import (
    Capped,
    Exponential,
    Gamma,
    Lognormal,
    Pareto,
    Weibull,
    normal_below,
    normal_quantile,
    require,
    require_from_zero,
    require_positive,
    segment_moment,
)

_KNOTS_PER_SIGMA = 8
_FARTHEST_SIGMA = 9  # beyond the normal quantile of the smallest and the largest draw (8.2)
_ROOT_TWO_PI = sqrt(2 * pi)
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
    for _ in range(100):
        tail, density = tails(y, upper)
        excess = target - tail if upper else tail - target  # above 0: y is too large
        if excess > 0:
            high = y
        else:
            low = y
        following = y - excess / density if density > 0 else inf
        if low <= following <= high:
            if abs(following - y) <= _LAST_STEP:
                return following
        else:
            following = (low + high) / 2
            if following in (low, high):
                return following
        y = following
    return y


@dataclass(frozen=True, slots=True)
class LogKnots:
    """The inverse of a smooth law at fixed normal scores, from which Newton's steps start inside a narrow bracket."""

    tails: Tails
    logs: tuple[float, ...]

    @classmethod
    def of(cls, tails: Tails, low: float, high: float) -> "LogKnots":
        """Tabulate a law whose log values lie between low and high for all draws."""
        logs: list[float] = []
        for index in range(-_FARTHEST_SIGMA * _KNOTS_PER_SIGMA, _FARTHEST_SIGMA * _KNOTS_PER_SIGMA + 1):
            u = normal_below(index / _KNOTS_PER_SIGMA)
            start = logs[-1] if logs else low
            logs.append(solve(tails, u, start, high, start) if u < 1 else high)
        return cls(tails, tuple(logs))

    def quantile(self, u: float) -> float:
        """Return the value whose chance of at most that is u."""
        place = (normal_quantile(u) + _FARTHEST_SIGMA) * _KNOTS_PER_SIGMA
        index = int(place)
        low, high = self.logs[index], self.logs[index + 1]
        return exp(solve(self.tails, u, low, high, low + (place - index) * (high - low)))


@dataclass(frozen=True, kw_only=True, slots=True)
class TwoLognormals(Capped):
    """A mixture of two lognormal laws; `weight` is the share of the first."""

    weight: float
    median_1: float
    sigma_1: float
    median_2: float
    sigma_2: float
    _knots: LogKnots = field(init=False, repr=False, compare=False)

    def check(self) -> None:
        """Refuse parameters out of range, and tabulate the inverse."""
        require(0 < self.weight < 1, f"weight must lie between 0 and 1, not be {self.weight}")
        require_positive(median_1=self.median_1, median_2=self.median_2, sigma_1=self.sigma_1, sigma_2=self.sigma_2)
        reach = _FARTHEST_SIGMA + 1
        low = min(log(part.median) - reach * part.sigma for part in self.parts())
        high = max(log(part.median) + reach * part.sigma for part in self.parts())
        object.__setattr__(self, "_knots", LogKnots.of(self._tails(), low, high))

    def parts(self) -> tuple[Lognormal, Lognormal]:
        """Return the two components."""
        return (
            Lognormal(median=self.median_1, sigma=self.sigma_1),
            Lognormal(median=self.median_2, sigma=self.sigma_2),
        )

    def _tails(self) -> Tails:
        return _TwoTails(
            weight=self.weight,
            mu_1=log(self.median_1),
            sigma_1=self.sigma_1,
            mu_2=log(self.median_2),
            sigma_2=self.sigma_2,
        )

    def quantile(self, u: float) -> float:
        """Invert the mixture's distribution function numerically (to 1e-12 of the logarithm)."""
        value = self._knots.quantile(u)
        return value if value < self.cap else self.cap

    def free_cdf(self, value: float) -> float:
        """Weigh the components."""
        first, second = self.parts()
        return self.weight * first.free_cdf(value) + (1 - self.weight) * second.free_cdf(value)

    def limited_moment(self, order: int, limit: float) -> float:
        """Weigh the components."""
        first, second = self.parts()
        return self.weight * first.limited_moment(order, limit) + (1 - self.weight) * second.limited_moment(
            order, limit
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class _TwoTails:
    """Tails of the logarithm of a TwoLognormals law."""

    weight: float
    mu_1: float
    sigma_1: float
    mu_2: float
    sigma_2: float

    def __call__(self, y: float, upper: bool) -> tuple[float, float]:
        z_1 = (y - self.mu_1) / self.sigma_1
        z_2 = (y - self.mu_2) / self.sigma_2
        other = 1 - self.weight
        density = self.weight * normal_density(z_1) / self.sigma_1 + other * normal_density(z_2) / self.sigma_2
        if upper:
            return self.weight * normal_below(-z_1) + other * normal_below(-z_2), density
        return self.weight * normal_below(z_1) + other * normal_below(z_2), density


@dataclass(frozen=True, kw_only=True, slots=True)
class StallMixture(Capped):
    """A lognormal body which, with `stall_probability`, is multiplied by a stall.

    The stall factor is stall_factor x Pareto(1, stall_alpha), at most stall_limit. On the logarithmic scale that is a
    normal number plus an exponential one cut off at a limit, so distribution function and moments have closed forms.
    """

    median: float
    sigma: float
    stall_probability: float
    stall_factor: float = 3.0
    stall_alpha: float = 1.5
    stall_limit: float = 60.0
    _knots: LogKnots = field(init=False, repr=False, compare=False)

    def check(self) -> None:
        """Refuse parameters out of range, and tabulate the inverse."""
        require_positive(median=self.median, sigma=self.sigma, stall_factor=self.stall_factor)
        require_positive(stall_alpha=self.stall_alpha, stall_limit=self.stall_limit)
        share = self.stall_probability
        require(0 <= share <= 1, f"stall_probability must lie between 0 and 1, not be {share}")
        require(
            self.stall_limit >= self.stall_factor,
            f"stall_limit must be at least stall_factor: {self.stall_limit} and {self.stall_factor}",
        )
        product = self.stall_alpha * self.sigma
        require(product <= 20, f"stall_alpha times sigma must not exceed 20, but is {product}")
        reach = (_FARTHEST_SIGMA + 1) * self.sigma
        low = log(self.median) + min(0.0, log(self.stall_factor)) - reach
        high = log(self.median) + max(0.0, log(self.stall_limit)) + reach
        object.__setattr__(self, "_knots", LogKnots.of(self._tails(), low, high))

    def _tails(self) -> "_StallTails":
        return _StallTails(
            mu=log(self.median),
            sigma=self.sigma,
            share=self.stall_probability,
            shift=log(self.stall_factor),
            alpha=self.stall_alpha,
            limit=log(self.stall_limit / self.stall_factor),
        )

    def quantile(self, u: float) -> float:
        """Invert the mixture's distribution function numerically (to 1e-12 of the logarithm)."""
        value = self._knots.quantile(u)
        return value if value < self.cap else self.cap

    def free_cdf(self, value: float) -> float:
        """Return the closed form."""
        if value <= 0:
            return 0.0
        return self._tails()(log(value), False)[0] if value < inf else 1.0

    def limited_moment(self, order: int, limit: float) -> float:
        """Weigh the body's moment and the stalled one's."""
        body = Lognormal(median=self.median, sigma=self.sigma).limited_moment(order, limit)
        stalled = self._stalled_moment(order, limit)
        return (1 - self.stall_probability) * body + self.stall_probability * stalled

    def _stalled_moment(self, order: int, limit: float) -> float:
        """Return E[min(median LN stall, limit)^order], integrated over the stall's exponential logarithm."""
        alpha, longest = self.stall_alpha, log(self.stall_limit / self.stall_factor)
        shortest = Lognormal(median=self.median * self.stall_factor, sigma=self.sigma)
        cut_off = Lognormal(median=self.median * self.stall_limit, sigma=self.sigma)
        at_cut_off = exp(-alpha * longest) * cut_off.limited_moment(order, limit)
        if limit == inf:
            spread = Pareto(minimum=1.0, alpha=alpha).limited_moment(order, exp(longest))
            inside = spread - exp((order - alpha) * longest)
            return shortest.limited_moment(order, inf) * inside + at_cut_off
        middle = shortest.sigma * shortest.score(limit)
        whole = shortest.limited_moment(order, inf)
        below = alpha * tilted_normal(order - alpha, middle - order * self.sigma**2, self.sigma, longest)
        above = 1 - exp(-alpha * longest) - alpha * tilted_normal(-alpha, middle, self.sigma, longest)
        return whole * below + limit**order * above + at_cut_off


def tilted_normal(rate: float, middle: float, sigma: float, end: float) -> float:
    """Return the integral of exp(rate e) P(Z <= (middle - e) / sigma) over e from 0 to end."""
    first, last = middle / sigma, (middle - end) / sigma
    if abs(rate) * end < 1e-6:
        return sigma * (first * normal_below(first) + normal_density(first)) - sigma * (
            last * normal_below(last) + normal_density(last)
        )
    edges = exp(rate * end) * normal_below(last) - normal_below(first)
    bend = exp(rate * middle + (rate * sigma) ** 2 / 2) * normal_between(-first - rate * sigma, -last - rate * sigma)
    return (edges + bend) / rate


@dataclass(frozen=True, kw_only=True, slots=True)
class _StallTails:
    """Tails of the logarithm of a StallMixture."""

    mu: float
    sigma: float
    share: float
    shift: float
    alpha: float
    limit: float

    def __call__(self, y: float, upper: bool) -> tuple[float, float]:
        z = (y - self.mu) / self.sigma
        w = y - self.mu - self.shift
        bent = self.alpha * self.sigma
        last = (w - self.limit) / self.sigma
        drift = exp(-self.alpha * w + bent * bent / 2) * normal_between(last - bent, w / self.sigma - bent)
        at_limit = exp(-self.alpha * self.limit) * normal_density(last) / self.sigma
        density = (1 - self.share) * normal_density(z) / self.sigma + self.share * (self.alpha * drift + at_limit)
        if upper:
            return (1 - self.share) * normal_below(-z) + self.share * (normal_below(-w / self.sigma) + drift), density
        return (1 - self.share) * normal_below(z) + self.share * (normal_below(w / self.sigma) - drift), density


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
        value = self.body.quantile((u - self.zero_probability) / (1 - self.zero_probability))
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
