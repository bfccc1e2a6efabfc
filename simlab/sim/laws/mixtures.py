"""Mixtures of lognormal laws.

A mixture is drawn from ONE uniform number by inverting its own distribution function, not by spending part of the
number on the choice of a component: so the value never falls as the number grows, which is what makes common random
numbers work best when two strategies meet laws that differ a little.
"""

from dataclasses import dataclass, field
from math import exp, inf, log

from simlab.sim.laws.basic import Capped, Lognormal, Pareto, normal_below, require, require_positive
from simlab.sim.laws.inversion import LogKnots, Tails, normal_between, normal_density

_REACH = 12.0  # in sigma: no draw lies farther out


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
        low = min(log(part.median) - _REACH * part.sigma for part in self.parts())
        high = max(log(part.median) + _REACH * part.sigma for part in self.parts())
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
        steepest = max(self.stall_alpha, self.stall_alpha * self.sigma)
        require(steepest <= 20, f"stall_alpha must not exceed 20, nor must its product with sigma: {steepest}")
        reach = _REACH * self.sigma
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
        if limit <= 0:
            return 0.0
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
        drift = 0.0  # as good as; and the exponent below cannot overflow
        if w > -_REACH * self.sigma:
            drift = exp(-self.alpha * w + bent * bent / 2) * normal_between(last - bent, w / self.sigma - bent)
        at_limit = exp(-self.alpha * self.limit) * normal_density(last) / self.sigma
        density = (1 - self.share) * normal_density(z) / self.sigma + self.share * (self.alpha * drift + at_limit)
        if upper:
            return (1 - self.share) * normal_below(-z) + self.share * (normal_below(-w / self.sigma) + drift), density
        return (1 - self.share) * normal_below(z) + self.share * (normal_below(w / self.sigma) - drift), density
