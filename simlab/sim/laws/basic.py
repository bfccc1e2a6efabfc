"""Laws with a quantile function of their own: constant, exponential, uniform, lognormal, gamma, Weibull, Pareto."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from math import erfc, exp, gamma, inf, isfinite, log, log1p, sqrt
from statistics import NormalDist
from typing import Any, Final

from simlab.core.errors import SimlabError

normal_quantile: Final = NormalDist().inv_cdf

_ROOT_TWO: Final = sqrt(2.0)


class LawError(SimlabError):
    """A parameter of a law that makes no sense."""


def normal_below(z: float) -> float:
    """Return the chance that a standard normal number is at most z, accurate far below 0."""
    return 0.5 * erfc(-z / _ROOT_TWO)


def require(condition: bool, message: str) -> None:
    """Raise LawError with that message unless the condition holds."""
    if not condition:
        raise LawError(message)


def require_from_zero(**values: float) -> None:
    """Raise LawError unless every value is finite and at least 0."""
    for name, value in values.items():
        require(isfinite(value) and value >= 0, f"{name} must be a finite number from 0 up, not {value}")


def require_positive(**values: float) -> None:
    """Raise LawError unless every value is finite and above 0."""
    for name, value in values.items():
        require(isfinite(value) and value > 0, f"{name} must be a finite number above 0, not {value}")


def segment_moment(low: float, high: float, limit: float, order: int) -> float:
    """Return E[min(X, limit)^order] for X uniform between low and high (low = high allowed)."""
    if limit <= low:
        return limit**order
    if limit < high:
        inside = (limit - low) / (high - low)
        return inside * segment_moment(low, limit, inf, order) + (1 - inside) * limit**order
    return sum(low**power * high ** (order - power) for power in range(order + 1)) / (order + 1)


@dataclass(frozen=True, kw_only=True, slots=True)
class Capped(ABC):
    """What all laws share: a cap, at which longer values stop (a time-out), and the moments that follow from it.

    `free_cdf` and `limited_moment` describe the law as it would be without its cap.
    """

    cap: float = inf

    def __post_init__(self) -> None:
        require(self.cap > 0, f"cap must be above 0, not {self.cap}")
        self.check()

    @abstractmethod
    def check(self) -> None:
        """Raise LawError where the parameters make no sense."""

    @abstractmethod
    def quantile(self, u: float) -> float:
        """Return the value that a share u (0 < u < 1) of all values does not exceed; never falls as u grows."""

    @abstractmethod
    def free_cdf(self, value: float) -> float:
        """Return the chance of at most `value`, the cap left out."""

    @abstractmethod
    def limited_moment(self, order: int, limit: float) -> float:
        """Return E[min(X, limit)^order], the cap left out. May be infinite when the limit is."""

    def cdf(self, value: float) -> float:
        """Return the chance of at most `value`."""
        return 1.0 if value >= self.cap else self.free_cdf(value)

    def moment(self, order: int) -> float:
        """Return the mean of the order-th power, the cap honoured, in closed form; may be infinite."""
        return self.limited_moment(order, self.cap)

    def mean(self) -> float:
        """Return the mean, the cap honoured, in closed form; may be infinite."""
        return self.limited_moment(1, self.cap)


@dataclass(frozen=True, kw_only=True, slots=True)
class Constant(Capped):
    """Always the same value."""

    value: float

    def check(self) -> None:
        """Refuse a negative value."""
        require_from_zero(value=self.value)

    def quantile(self, u: float) -> float:
        """Return the value."""
        return min(self.value, self.cap)

    def free_cdf(self, value: float) -> float:
        """Step from 0 to 1 at the value."""
        return float(value >= self.value)

    def limited_moment(self, order: int, limit: float) -> float:
        """Return the power itself."""
        return float(min(self.value, limit) ** order)


@dataclass(frozen=True, kw_only=True, slots=True)
class Exponential(Capped):
    """Exponential; `scale` is its mean (before a cap)."""

    scale: float

    def check(self) -> None:
        """Refuse a scale that is not positive."""
        require_positive(mean=self.scale)

    def quantile(self, u: float) -> float:
        """Invert in closed form."""
        value = -self.scale * log1p(-u)
        return value if value < self.cap else self.cap

    def free_cdf(self, value: float) -> float:
        """Return 1 - exp(-value / scale)."""
        return 1 - exp(-value / self.scale) if value > 0 else 0.0

    def limited_moment(self, order: int, limit: float) -> float:
        """Integrate k x^(k-1) P(X > x) by parts."""
        beyond = exp(-limit / self.scale)
        moment = self.scale * (1 - beyond)
        for power in range(2, order + 1):
            lost = beyond * limit ** (power - 1) if beyond else 0.0
            moment = power * self.scale * (moment - lost)
        return moment


@dataclass(frozen=True, kw_only=True, slots=True)
class Uniform(Capped):
    """Uniform between low and high."""

    low: float
    high: float

    def check(self) -> None:
        """Refuse bounds in the wrong order."""
        require_from_zero(low=self.low, high=self.high)
        require(self.low <= self.high, f"low must not exceed high: {self.low} and {self.high}")

    def quantile(self, u: float) -> float:
        """Go that share of the way from low to high."""
        value = self.low + u * (self.high - self.low)
        return value if value < self.cap else self.cap

    def free_cdf(self, value: float) -> float:
        """Return the share of the way."""
        if value >= self.high:
            return 1.0
        return max(0.0, (value - self.low) / (self.high - self.low))

    def limited_moment(self, order: int, limit: float) -> float:
        """Return the moment of a line segment."""
        return segment_moment(self.low, self.high, limit, order)


@dataclass(frozen=True, kw_only=True, slots=True)
class Lognormal(Capped):
    """Lognormal: its logarithm is normal with mean log(median) and standard deviation sigma."""

    median: float
    sigma: float

    def check(self) -> None:
        """Refuse a median that is not positive, a negative sigma."""
        require_positive(median=self.median)
        require_from_zero(sigma=self.sigma)

    def quantile(self, u: float) -> float:
        """Invert through the normal quantile."""
        value = self.median * exp(self.sigma * normal_quantile(u))
        return value if value < self.cap else self.cap

    def free_cdf(self, value: float) -> float:
        """Return the normal chance of log(value)."""
        return normal_below(self.score(value))

    def limited_moment(self, order: int, limit: float) -> float:
        """Return the partial moment below the limit plus the limit's power for what lies above."""
        if limit <= 0:
            return 0.0
        score = self.score(limit)
        whole = self.median**order * exp((order * self.sigma) ** 2 / 2)
        above = normal_below(-score)
        return whole * normal_below(score - order * self.sigma) + (limit**order * above if above else 0.0)

    def score(self, value: float) -> float:
        """Return how many sigma the logarithm of a value lies above that of the median."""
        if value <= 0:
            return -inf
        distance = log(value / self.median) if value < inf else inf
        if self.sigma == 0:
            return inf if distance >= 0 else -inf
        return distance / self.sigma


@cache
def incomplete_gammas() -> tuple[Callable[..., Any], Callable[..., Any], Callable[..., Any], Callable[..., Any]]:
    """Return SciPy's P, Q and their inverses, imported when a law first needs them (0.4 s)."""
    from scipy import special

    return special.gammainc, special.gammaincc, special.gammaincinv, special.gammainccinv


def gamma_below(shape: float, value: float) -> float:
    """Return the chance that a gamma number of scale 1 is at most `value`."""
    return float(incomplete_gammas()[0](shape, value)) if value > 0 else 0.0


def gamma_above(shape: float, value: float) -> float:
    """Return the chance that a gamma number of scale 1 exceeds `value`."""
    return float(incomplete_gammas()[1](shape, value)) if value > 0 else 1.0


def gamma_quantile(shape: float, u: float) -> float:
    """Invert the gamma law of scale 1, from the nearer end."""
    _, _, from_below, from_above = incomplete_gammas()
    return float(from_below(shape, u) if u < 0.5 else from_above(shape, 1 - u))


@dataclass(frozen=True, kw_only=True, slots=True)
class Gamma(Capped):
    """Gamma; mean (before a cap) = shape x scale, squared coefficient of variation = 1 / shape."""

    shape: float
    scale: float

    def check(self) -> None:
        """Refuse parameters that are not positive."""
        require_positive(shape=self.shape, scale=self.scale)

    def quantile(self, u: float) -> float:
        """Invert the incomplete gamma function."""
        value = self.scale * gamma_quantile(self.shape, u)
        return value if value < self.cap else self.cap

    def free_cdf(self, value: float) -> float:
        """Return the incomplete gamma function."""
        return gamma_below(self.shape, value / self.scale)

    def limited_moment(self, order: int, limit: float) -> float:
        """Use that x^k times a gamma density is a gamma density of shape + k."""
        whole = self.scale**order
        for power in range(order):
            whole *= self.shape + power
        above = gamma_above(self.shape, limit / self.scale)
        return whole * gamma_below(self.shape + order, limit / self.scale) + (limit**order * above if above else 0.0)


@dataclass(frozen=True, kw_only=True, slots=True)
class Weibull(Capped):
    """Weibull; shape below 1 gives bursts as an interval law, 1 is exponential."""

    shape: float
    scale: float

    def check(self) -> None:
        """Refuse parameters that are not positive."""
        require_positive(shape=self.shape, scale=self.scale)

    def quantile(self, u: float) -> float:
        """Invert in closed form."""
        value = self.scale * float((-log1p(-u)) ** (1 / self.shape))
        return value if value < self.cap else self.cap

    def free_cdf(self, value: float) -> float:
        """Return 1 - exp(-(value / scale)^shape)."""
        return 1 - exp(-self.hazard(value))

    def limited_moment(self, order: int, limit: float) -> float:
        """Substitute (x / scale)^shape, which is exponential."""
        size = self.hazard(limit)
        power = 1 + order / self.shape
        below = gamma_below(power, size)
        above = exp(-size)
        return self.scale**order * gamma(power) * below + (limit**order * above if above else 0.0)

    def hazard(self, value: float) -> float:
        """Return (value / scale)^shape, at most e^700."""
        return exp(min(self.shape * log(value / self.scale), 700.0)) if value > 0 else 0.0


@dataclass(frozen=True, kw_only=True, slots=True)
class Pareto(Capped):
    """Pareto: P(X > x) = (minimum / x)^alpha. The mean is infinite for alpha <= 1 unless there is a cap."""

    minimum: float
    alpha: float

    def check(self) -> None:
        """Refuse parameters that are not positive."""
        require_positive(minimum=self.minimum, alpha=self.alpha)

    def quantile(self, u: float) -> float:
        """Invert in closed form."""
        value = self.minimum * exp(-log1p(-u) / self.alpha)
        return value if value < self.cap else self.cap

    def free_cdf(self, value: float) -> float:
        """Return 1 - (minimum / value)^alpha."""
        return 1 - (self.minimum / value) ** self.alpha if value > self.minimum else 0.0

    def limited_moment(self, order: int, limit: float) -> float:
        """Integrate k x^(k-1) P(X > x) up to the limit."""
        if limit <= self.minimum:
            return float(limit**order)
        base = float(self.minimum**order)
        if limit == inf and self.alpha <= order:
            return inf
        if self.alpha == order:
            return base * (1 + order * log(limit / self.minimum))
        gained = 1 - (limit / self.minimum) ** (order - self.alpha)
        return float(base * (1 + order * gained / (self.alpha - order)))
