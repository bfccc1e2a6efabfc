"""Laws to test, each beside an oracle that shares no code with it."""

from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from math import exp, inf, log

import numpy as np
from scipy import integrate, optimize, stats

from simlab.sim.laws import (
    Constant,
    Discrete,
    Empirical,
    Exponential,
    Gamma,
    Law,
    Lognormal,
    Pareto,
    ParetoTail,
    StallMixture,
    TwoLognormals,
    Uniform,
    Weibull,
    ZeroInflated,
)

SHELL = TwoLognormals(weight=0.24, median_1=exp(-3.158), sigma_1=1.345, median_2=exp(0.687), sigma_2=2.148)
FAR_APART = TwoLognormals(weight=0.97, median_1=1.0, sigma_1=0.1, median_2=400.0, sigma_2=0.05)
STALLS = StallMixture(median=0.8, sigma=0.5, stall_probability=0.015)
MANY_STALLS = StallMixture(median=2.0, sigma=0.3, stall_probability=0.4, stall_alpha=1.0, stall_limit=500.0)

WITH_SCIPY: dict[str, tuple[Law, object]] = {
    "exponential": (Exponential(scale=4.0), stats.expon(scale=4)),
    "uniform": (Uniform(low=1.0, high=5.0), stats.uniform(1, 4)),
    "lognormal": (Lognormal(median=5.7, sigma=1.1), stats.lognorm(1.1, scale=5.7)),
    "lognormal, wide": (Lognormal(median=0.3, sigma=2.9), stats.lognorm(2.9, scale=0.3)),
    "gamma, bursty": (Gamma(shape=0.03, scale=30.0), stats.gamma(0.03, scale=30)),
    "gamma": (Gamma(shape=1.415, scale=24.9), stats.gamma(1.415, scale=24.9)),
    "gamma, regular": (Gamma(shape=400.0, scale=0.1), stats.gamma(400, scale=0.1)),
    "weibull, bursty": (Weibull(shape=0.42, scale=3.0), stats.weibull_min(0.42, scale=3)),
    "weibull": (Weibull(shape=1.33, scale=230.0), stats.weibull_min(1.33, scale=230)),
    "pareto": (Pareto(minimum=2.0, alpha=1.08), stats.pareto(1.08, scale=2)),
    "pareto, light": (Pareto(minimum=2.0, alpha=4.5), stats.pareto(4.5, scale=2)),
}


def two_lognormals_cdf(law: TwoLognormals, value: float) -> float:
    """Weigh SciPy's lognormal laws."""
    first = stats.lognorm(law.sigma_1, scale=law.median_1)
    second = stats.lognorm(law.sigma_2, scale=law.median_2)
    return float(law.weight * first.cdf(value) + (1 - law.weight) * second.cdf(value))


def stall_cdf(law: StallMixture, value: float) -> float:
    """Integrate numerically over the stall's size."""
    body = stats.lognorm(law.sigma, scale=law.median)
    stall = stats.pareto(law.stall_alpha)
    longest = law.stall_limit / law.stall_factor

    def given_log_size(size: float) -> float:
        factor = exp(size)
        return float(body.cdf(value / law.stall_factor / factor) * stall.pdf(factor) * factor)

    ends = sorted({0.0, log(longest), min(max(log(value / law.stall_factor / law.median), 0.0), log(longest))})
    inside = sum(integrate.quad(given_log_size, low, high, epsabs=1e-13)[0] for low, high in pairwise(ends))
    stalled = inside + float(body.cdf(value / law.stall_limit) * stall.sf(longest))
    return float((1 - law.stall_probability) * body.cdf(value) + law.stall_probability * stalled)


def inverse_of(cdf: Callable[[float], float], u: float) -> float:
    """Invert a distribution function on the logarithmic scale by Brent's method."""
    return exp(float(optimize.brentq(lambda y: cdf(exp(y)) - u, -40, 40, xtol=1e-13)))


def capped(law: Law, cap: float) -> Law:
    """Return the same law with a cap."""
    return replace(law, cap=cap)


ALL: dict[str, Law] = {
    **{name: law for name, (law, _) in WITH_SCIPY.items()},
    "constant": Constant(value=3.0),
    "shell": SHELL,
    "far apart": FAR_APART,
    "stalls": STALLS,
    "many stalls": MANY_STALLS,
    "pareto tail": ParetoTail(body=Lognormal(median=1.0, sigma=2.0), threshold=60.0, alpha=1.08),
    "pareto tail on two lognormals": ParetoTail(body=SHELL, threshold=10.0, alpha=2.6),
    "empirical": Empirical(values=(3.0, 1.0, 2.0, 2.0, 9.0)),
    "discrete": Discrete(values=(1.0, 2.0, 3.0), weights=(5.0, 3.0, 1.0)),
    "zero-inflated": ZeroInflated(zero_probability=0.3, body=Lognormal(median=4.0, sigma=1.35)),
}

ALL_CAPPED: dict[str, Law] = {f"{name}, capped": capped(law, law.quantile(0.8)) for name, law in ALL.items()}

PROBABILITIES = [2.0**-53, 1e-12, 1e-6, 0.001, 0.05, 0.25, 0.4999, 0.5, 0.5001, 0.75, 0.9, 0.99, 0.9999, 1 - 1e-9]


def kinks(law: Law) -> list[float]:
    """Return the chances at which the quantile jumps or bends."""
    match law:
        case Empirical(values=values):
            return [index / (len(values) - 1) for index in range(1, len(values) - 1)]
        case Discrete(values=values):
            return [law.cdf(value) for value in values[:-1]]
        case ZeroInflated(zero_probability=share):
            return [share]
        case ParetoTail(threshold=threshold):
            return [law.free_cdf(threshold)]
        case TwoLognormals(weight=weight):
            return [weight]
        case _:
            return []


def quadrature_moment(law: Law, order: int) -> float:
    """Integrate the quantile function by Gauss-Legendre on the normal scale, split where the capped part begins."""
    corner = float(stats.norm.ppf(law.free_cdf(law.cap))) if law.cap < inf else 8.2
    around = [0.0, *(sign * 0.1 * 4.0**-power for sign in (-1, 1) for power in range(10))]
    scores = [float(stats.norm.ppf(u)) + shift for u in kinks(law) for shift in around]
    breaks = [z for z in scores if z < min(corner, 8.2)]
    edges = np.sort([*np.arange(-8.2, min(corner, 8.2), 0.1), min(corner, 8.2), *breaks])
    nodes, weights = np.polynomial.legendre.leggauss(8)
    total = 0.0
    for low, high in pairwise(edges):
        z = (low + high) / 2 + nodes * (high - low) / 2
        u = np.clip(stats.norm.cdf(z), 2.0**-53, 1 - 2.0**-53)
        powers = np.array([law.quantile(float(one)) ** order for one in u])
        total += float(np.sum(weights * powers * stats.norm.pdf(z))) * (high - low) / 2
    return total + (law.cap**order * float(stats.norm.sf(corner)) if law.cap < inf else 0.0)
