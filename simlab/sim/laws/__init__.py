"""Laws of random quantities: how long, how many.

Every law has `quantile(u)`, `cdf(value)`, `mean()` and `moment(order)`. A value is drawn by inversion of exactly one
uniform number, ``law.quantile(draws.uniform(*name))``, and `quantile` never falls as u grows. A law knows no unit and
does not round; times read from a file come out in milliseconds. A `cap` clips: what would be longer takes the cap.
"""

from simlab.sim.laws.basic import Constant, Exponential, Gamma, LawError, Lognormal, Pareto, Uniform, Weibull
from simlab.sim.laws.composed import Body, Discrete, Empirical, ParetoTail, ZeroInflated
from simlab.sim.laws.mixtures import StallMixture, TwoLognormals
from simlab.sim.laws.parsing import LAW_NAMES, Law, Unit, parse_law, read_column
from simlab.sim.laws.scaling import scaled

__all__ = [
    "LAW_NAMES",
    "Body",
    "Constant",
    "Discrete",
    "Empirical",
    "Exponential",
    "Gamma",
    "Law",
    "LawError",
    "Lognormal",
    "Pareto",
    "ParetoTail",
    "StallMixture",
    "TwoLognormals",
    "Uniform",
    "Unit",
    "Weibull",
    "ZeroInflated",
    "parse_law",
    "read_column",
    "scaled",
]
