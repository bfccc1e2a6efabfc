"""p values adjusted for many comparisons: reject where the adjusted value is at most alpha.

Each function takes shape (m,) and returns shape (m,), in the same order; adjusted values keep the order of the raw
ones.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from simlab.analysis.stats.values import Floats, StatisticsError

Adjustment = Callable[[ArrayLike], Floats]


def unadjusted(p_values: ArrayLike) -> Floats:
    """Return the p values as they are, for a single comparison declared beforehand."""
    return _checked(p_values)


def holm(p_values: ArrayLike) -> Floats:
    """Holm's step-down: the chance of *any* false claim is at most alpha, however the tests depend on each other.

    Source: S. Holm, Scand. J. Statist. 6 (1979) 65-70.
    """
    p = _checked(p_values)
    order = np.argsort(p, kind="stable")
    adjusted = np.empty_like(p)
    adjusted[order] = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))
    return np.minimum(adjusted, 1.0)


def benjamini_hochberg(p_values: ArrayLike) -> Floats:
    """Step-up: the expected share of false claims among the claims is at most alpha.

    Holds for independent and for positively dependent tests, such as cells of a map that share their random numbers.
    Where no comparison is truly different it bounds the chance of any claim.

    Source: Y. Benjamini and Y. Hochberg, J. R. Statist. Soc. B 57 (1995) 289-300.
    """
    p = _checked(p_values)
    order = np.argsort(p, kind="stable")
    steps = p[order] * len(p) / np.arange(1, len(p) + 1)
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum.accumulate(steps[::-1])[::-1]
    return np.minimum(adjusted, 1.0)


def benjamini_yekutieli(p_values: ArrayLike) -> Floats:
    """Like Benjamini-Hochberg under any dependence, at the price of a factor 1 + 1/2 + ... + 1/m.

    Source: Y. Benjamini and D. Yekutieli, Ann. Statist. 29 (2001) 1165-1188.
    """
    p = _checked(p_values)
    return np.minimum(benjamini_hochberg(p) * np.sum(1 / np.arange(1, len(p) + 1)), 1.0)


def _checked(p_values: ArrayLike) -> Floats:
    p = np.asarray(p_values, dtype=np.float64)
    if p.ndim != 1 or not ((p >= 0) & (p <= 1)).all():
        raise StatisticsError(f"p values: shape {p.shape}; needs one dimension and values between 0 and 1")
    return p
