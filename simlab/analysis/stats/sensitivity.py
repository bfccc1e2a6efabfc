"""Which assumed parameter moves the answer: Morris screening and Sobol indices (extra ``simlab[sensitivity]``, SALib).

Design and analysis are separate, so that the points in between run wherever the experiment runs. The output of a
point should be a paired difference of two strategies under common random numbers, the same seed at every point.

Sources: M. Morris, Technometrics 33 (1991) 161-174; F. Campolongo, J. Cariboni and A. Saltelli, Environ. Model.
Softw. 22 (2007) 1509-1518, for mu*; A. Saltelli et al., Comput. Phys. Commun. 181 (2010) 259-270, for Sobol; T.
Iwanaga, W. Usher and J. Herman, Socio-Environ. Syst. Model. 4 (2022) 18155, for SALib.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from simlab.analysis.stats.values import Floats, Interval, StatisticsError

Ranges = Mapping[str, tuple[float, float]]


@dataclass(frozen=True, kw_only=True, slots=True)
class MorrisIndex:
    """Effect of moving a parameter over its range, in the output's unit.

    ``mu_star`` is the mean absolute effect, ``mu`` the mean with its sign, ``sigma`` the spread of the effects.
    A ``sigma`` of the size of ``mu_star`` means a curved effect or one that depends on other parameters.
    """

    parameter: str
    mu_star: Interval
    mu: float
    sigma: float


@dataclass(frozen=True, kw_only=True, slots=True)
class SobolIndex:
    """Share of the output's variance: ``first`` by the parameter alone, ``total`` with all its interactions."""

    parameter: str
    first: Interval
    total: Interval


def morris_design(ranges: Ranges, *, trajectories: int, levels: int = 4, seed: int) -> Floats:
    """Return shape (trajectories * (parameters + 1), parameters): the points to run, in order."""
    from SALib.sample import morris

    return np.asarray(morris.sample(_problem(ranges), trajectories, num_levels=levels, seed=seed), dtype=np.float64)


def morris_indices(
    ranges: Ranges, design: Floats, outputs: ArrayLike, *, levels: int = 4, level: float = 0.95, seed: int
) -> tuple[MorrisIndex, ...]:
    """Return one index a parameter, largest ``mu_star`` first.

    Args:
        ranges: parameter -> (low, high), as for the design.
        design: the points of ``morris_design``.
        outputs: shape (points,), in the order of the design.
        levels: as for the design.
        level: confidence level of ``mu_star`` (bootstrap over trajectories).
        seed: of the bootstrap.
    """
    from SALib.analyze import morris

    values = _outputs(outputs, len(design))
    found: Any = morris.analyze(_problem(ranges), design, values, conf_level=level, num_levels=levels, seed=seed)
    n = len(design) // (len(ranges) + 1)
    indices = [
        MorrisIndex(
            parameter=name,
            mu_star=_about(found["mu_star"][at], found["mu_star_conf"][at], n, level),
            mu=float(found["mu"][at]),
            sigma=float(found["sigma"][at]),
        )
        for at, name in enumerate(ranges)
    ]
    return tuple(sorted(indices, key=lambda index: -index.mu_star.estimate))


def sobol_design(ranges: Ranges, *, base: int, seed: int) -> Floats:
    """Return shape (base * (parameters + 2), parameters): the points to run; ``base`` is a power of two."""
    from SALib.sample import sobol

    if base < 2 or base & (base - 1):
        raise StatisticsError(f"sobol: base {base}; needs a power of two, such as 256")
    return np.asarray(sobol.sample(_problem(ranges), base, calc_second_order=False, seed=seed), dtype=np.float64)


def sobol_indices(ranges: Ranges, outputs: ArrayLike, *, level: float = 0.95, seed: int) -> tuple[SobolIndex, ...]:
    """Return one index a parameter, largest total first; ``outputs``: shape (points,), in the order of the design."""
    from SALib.analyze import sobol

    values = np.asarray(outputs, dtype=np.float64)
    base, rest = divmod(len(values), len(ranges) + 2)
    if rest or base == 0:
        raise StatisticsError(f"sobol: {len(values)} outputs; needs a multiple of {len(ranges) + 2}")
    values = _outputs(values, len(values))
    found: Any = sobol.analyze(
        _problem(ranges), values, calc_second_order=False, conf_level=level, seed=seed, print_to_console=False
    )
    indices = [
        SobolIndex(
            parameter=name,
            first=_about(found["S1"][at], found["S1_conf"][at], base, level),
            total=_about(found["ST"][at], found["ST_conf"][at], base, level),
        )
        for at, name in enumerate(ranges)
    ]
    return tuple(sorted(indices, key=lambda index: -index.total.estimate))


def _problem(ranges: Ranges) -> dict[str, Any]:
    for name, (low, high) in ranges.items():
        if not low < high:
            raise StatisticsError(f"sensitivity: {name}: {low}..{high}; needs low < high")
    return {"num_vars": len(ranges), "names": list(ranges), "bounds": [list(pair) for pair in ranges.values()]}


def _outputs(outputs: ArrayLike, points: int) -> Floats:
    values = np.asarray(outputs, dtype=np.float64)
    if values.shape != (points,) or not np.isfinite(values).all():
        raise StatisticsError(f"sensitivity: outputs of shape {values.shape}; needs {points} finite values")
    if float(np.ptp(values)) == 0:
        raise StatisticsError("sensitivity: every output is the same; no parameter moves it and shares do not exist")
    return values


def _about(estimate: float, reach: float, n: int, level: float) -> Interval:
    return Interval(
        estimate=float(estimate), low=float(estimate - reach), high=float(estimate + reach), n=n, level=level
    )
