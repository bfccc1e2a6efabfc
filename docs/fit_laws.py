"""Refit three laws to TraceLab's published figures: run times of shell commands, human waits, steps of a request.

    python docs/fit_laws.py        (seconds; prints the fits and the laws as TOML)

**Shell commands.** TraceLab publishes figures of all 432,510 tool calls (quantiles, mean, shares of calls and of time
in four ranges) and quantiles for each kind of tool. Shell commands are 76 % of all calls, so their law decides. A
mixture of two lognormals through the four quantiles of shell commands alone misses the whole: the median of all calls
comes out 44 % too high, P90 32 % too high, the mean 30 % too low. Three things are changed here:

1. Above one minute, where 4 % of the calls and 85 % of the time lie, the law is a Pareto tail.
2. The tail is not cut at one hour but at one day. TraceLab's own audit lists calls beyond an hour, mostly gaps between
   a call and its result in the trace. A simulation cuts them with a tool time-out, so this touches the check against
   the trace, not simulations with a time-out.
3. All figures are fitted at once by least squares of log ratios. Figures of all calls, stated in TraceLab's text, weigh
   1. Figures of shell commands alone weigh 1/2 (P25: 1/4), as they are read off a chart in part; shares of time of the
   short ranges weigh 1/4 to 1/2, as they are rounded to a percent. Weights move a conflict, they do not solve it: with
   equal weights the median of all calls is 20 % too high and that of shell commands 20 % too low, with shell commands
   at a quarter 5 % too high and 25 % too low. The narrower component may not be narrower than sigma 0.25 (an
   assumption; without the bound it closes on a spike at 1.3 s, near the 1 s after which one of the traced tools hands
   back a running command).

The other kinds keep their laws and shares. What remains is printed, worst first.

**Human wait.** The lognormal law through P50 and P90 fits up to an hour; above it a Pareto tail through the published
P99 (13.9 hours: nights), cut at one week (an assumption).

**Steps of a request.** Zero with some probability, lognormal otherwise; P50 = 1, P90 = 20 and P99 = 86 fix the three
parameters, the mean (7.8) is the check.
"""

import sys
from collections.abc import Callable
from math import exp, log

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq, least_squares

from simlab.sim import calibration
from simlab.sim.laws import Law, Lognormal
from simlab.sim.laws.basic import normal_quantile

HOUR_S = 3600.0
DAY_S = 86_400.0
THRESHOLD_S = 60.0
NARROWEST_SIGMA = 0.25

Target = tuple[str, float, float]  # what, published value, weight

OVERALL: list[Target] = [
    ("all calls: p50", 0.3, 1.0),
    ("all calls: p90", 13.6, 1.0),
    ("all calls: p99", 216.0, 1.0),
    ("all calls: mean", 18.4, 1.0),
    ("share of calls < 1 s", 0.609, 1.0),
    ("share of calls 1-10 s", 0.273, 1.0),
    ("share of calls 10-60 s", 0.078, 1.0),
    ("share of calls > 60 s", 0.040, 1.0),
    ("share of time < 1 s", 0.005, 0.25),
    ("share of time 1-10 s", 0.04, 0.5),
    ("share of time 10-60 s", 0.11, 0.5),
    ("share of time > 60 s", 0.847, 1.0),
]
SHELL: list[Target] = [
    ("shell: p25", 0.11, 0.25),
    ("shell: p50", 0.85, 0.5),
    ("shell: p90", 22.0, 0.5),
    ("shell: p99", 235.0, 0.5),
]


class Shell:
    """Two lognormals below the threshold, a Pareto tail above it, cut at one day; in seconds."""

    def __init__(self, numbers: NDArray[np.float64]) -> None:
        logit, mu_1, log_sigma_1, mu_2, log_sigma_2, log_alpha = numbers.tolist()
        self.weight = 1 / (1 + exp(-logit))
        self.first = Lognormal(median=exp(mu_1), sigma=exp(log_sigma_1))
        self.second = Lognormal(median=exp(mu_2), sigma=exp(log_sigma_2))
        self.alpha = exp(log_alpha)

    def body(self, value_s: float) -> float:
        """Return the body's chance of at most that."""
        return self.weight * self.first.free_cdf(value_s) + (1 - self.weight) * self.second.free_cdf(value_s)

    def cdf(self, value_s: float) -> float:
        """Return the chance of at most that."""
        if value_s >= DAY_S:
            return 1.0
        if value_s <= THRESHOLD_S:
            return self.body(value_s)
        return 1 - (1 - self.body(THRESHOLD_S)) * exp(self.alpha * log(THRESHOLD_S / value_s))

    def limited_mean(self, limit_s: float) -> float:
        """Return the mean of min(run time, limit)."""
        edge = min(limit_s, THRESHOLD_S)
        first, second = self.first.limited_moment(1, edge), self.second.limited_moment(1, edge)
        inside = self.weight * first + (1 - self.weight) * second
        if limit_s <= THRESHOLD_S:
            return inside
        beyond = 1 - exp((1 - self.alpha) * log(min(limit_s, DAY_S) / THRESHOLD_S))
        return inside + (1 - self.body(THRESHOLD_S)) * THRESHOLD_S * beyond / (self.alpha - 1)


def other_kinds() -> list[tuple[float, Law]]:
    """Return shares and laws (in ms) of all kinds but shell."""
    return [(share, law) for kind, (share, law) in calibration.tool_mixture().items() if kind != "shell"]


def achieved(shell: Shell, others: list[tuple[float, Law]]) -> dict[str, float]:
    """Return every figure that has a target."""
    share = 1 - sum(one for one, _ in others)

    def cdf(value_s: float) -> float:
        return share * shell.cdf(value_s) + sum(one * law.cdf(value_s * 1000) for one, law in others)

    def limited(limit_s: float) -> float:
        rest = sum(one * law.limited_moment(1, min(limit_s * 1000, law.cap)) for one, law in others)
        return share * shell.limited_mean(limit_s) + rest / 1000

    edges = (1.0, 10.0, 60.0)
    mean = limited(DAY_S)
    calls = np.diff([0.0, *(cdf(edge) for edge in edges), 1.0])
    time = np.diff([0.0, *(limited(edge) - edge * (1 - cdf(edge)) for edge in edges), mean]) / mean
    figures = [
        *(quantile(cdf, u) for u in (0.5, 0.9, 0.99)),
        mean,
        *calls,
        *time,
        *(quantile(shell.cdf, u) for u in (0.25, 0.5, 0.9, 0.99)),
    ]
    return {name: float(figure) for (name, _, _), figure in zip(OVERALL + SHELL, figures, strict=True)}


def quantile(cdf: Callable[[float], float], u: float) -> float:
    """Invert a distribution function on the logarithmic scale."""
    return exp(float(brentq(lambda y: cdf(exp(y)) - u, -16, log(DAY_S))))


def fit() -> tuple[Shell, dict[str, float], float]:
    """Return the best law over a few starting points, its figures, and half the sum of squares."""
    others = other_kinds()

    def residuals(numbers: NDArray[np.float64], /) -> list[float]:
        figures = achieved(Shell(numbers), others)
        return [weight * log(figures[name] / target) for name, target, weight in OVERALL + SHELL]

    starts = ([-1.15, -3.1, 0.3, 0.69, 0.76, 0.08], [0.5, -1.0, 0.5, 2.0, 0.0, 0.1], [-2.0, 0.2, -1.0, -0.8, 1.1, 0.1])
    lowest = [-5.0, -6.0, log(NARROWEST_SIGMA), -3.0, -1.3, log(0.8)]
    highest = [5.0, 3.0, 1.5, 5.0, 1.5, log(3.0)]
    fits = [least_squares(residuals, start, bounds=(lowest, highest)) for start in starts]
    best = min(fits, key=lambda one: float(one.cost))
    return Shell(best.x), achieved(Shell(best.x), others), float(best.cost)


def shell_report() -> list[str]:
    """Return the fit of the shell commands as lines."""
    shell, figures, cost = fit()
    rows = sorted(OVERALL + SHELL, key=lambda row: -abs(log(figures[row[0]] / row[1])))
    lines = [f"shell commands: half the weighted sum of squared log ratios {cost:.4f}"]
    for name, target, weight in rows:
        fitted = figures[name]
        lines.append(f"{name:24} target {target:8.3f}  fit {fitted:8.3f}  ratio {fitted / target:5.2f}  ({weight})")
    body = (
        f'{{ law = "two-lognormal", weight = {shell.weight:.4f}, '
        f"median_1_s = {shell.first.median:.4f}, sigma_1 = {shell.first.sigma:.4f}, "
        f"median_2_s = {shell.second.median:.4f}, sigma_2 = {shell.second.sigma:.4f} }}"
    )
    return [*lines, as_toml(THRESHOLD_S, shell.alpha, DAY_S, body)]


def human_wait_report() -> list[str]:
    """Return the human wait as lines: P50 and P90 fix the body, P99 the exponent of the tail."""
    p50, p90, p99 = 86.0, 1236.0, 50_040.0
    body = Lognormal(median=p50, sigma=log(p90 / p50) / normal_quantile(0.9))
    alpha = log((1 - body.cdf(HOUR_S)) / 0.01) / log(p99 / HOUR_S)
    written = f'{{ law = "lognormal", median_s = {p50:.0f}, sigma = {body.sigma:.4f} }}'
    return ["human wait", as_toml(HOUR_S, alpha, 7 * DAY_S, written)]


def steps_report() -> list[str]:
    """Return the steps of a request as lines: three quantiles fix three parameters."""
    p50, p90, p99 = 1.0, 20.0, 86.0

    def body(zero: float) -> tuple[float, float]:
        """Return log median and sigma through P90 and P99, given the chance of no step at all."""
        z_90, z_99 = (normal_quantile((u - zero) / (1 - zero)) for u in (0.9, 0.99))
        sigma = log(p99 / p90) / (z_99 - z_90)
        return log(p90) - sigma * z_90, sigma

    def excess(zero: float) -> float:
        mu, sigma = body(zero)
        return mu + sigma * normal_quantile((0.5 - zero) / (1 - zero)) - log(p50)

    zero = float(brentq(excess, 0.05, 0.4999))
    mu, sigma = body(zero)
    written = f'{{ law = "lognormal", median = {exp(mu):.4f}, sigma = {sigma:.4f} }}'
    return [
        f"steps of a request: mean {(1 - zero) * exp(mu + sigma**2 / 2):.2f}, published 7.8",
        f'law = {{ law = "zero-inflated", zero_probability = {zero:.4f}, body = {written} }}',
    ]


def as_toml(threshold_s: float, alpha: float, cap_s: float, body: str) -> str:
    """Write a Pareto tail on a body."""
    head = f'law = {{ law = "pareto-tail", threshold_s = {threshold_s:.0f}, alpha = {alpha:.4f}, cap_s = {cap_s:.0f}'
    return f"{head}, body = {body} }}"


if __name__ == "__main__":
    sys.stdout.write("\n".join([*shell_report(), "", *human_wait_report(), "", *steps_report(), ""]))
