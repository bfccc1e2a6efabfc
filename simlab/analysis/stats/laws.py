"""Tails and quantiles of the laws that intervals are made of (SciPy is loaded at the first use).

``scipy.special`` is enough for all of them and loads in a third of the time of ``scipy.stats``.
"""

import math
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def normal_quantile(probability: float) -> float:
    """Return the standard normal quantile; -inf at 0 and inf at 1."""
    from scipy import special

    return float(special.ndtri(probability))


def t_quantile(probability: float, df: float) -> float:
    """Return Student's t quantile with ``df`` degrees of freedom; infinite where ``df`` is 0."""
    from scipy import special

    if df <= 0 or probability in (0, 1):
        return math.copysign(math.inf, probability - 0.5)
    return float(special.stdtrit(df, probability))


def t_upper_tail(statistic: float, df: float) -> float:
    """Return P(T > statistic) for Student's t with ``df`` degrees of freedom; 1/2 where ``df`` is 0."""
    from scipy import special

    if df <= 0:
        return 0.5
    return float(special.stdtr(df, -statistic))


def binomial_below(trials: int, probability: float) -> "NDArray[np.float64]":
    """Return shape (trials,): P(B < 1), ..., P(B < trials) for B binomial (``trials``, ``probability``)."""
    import numpy as np
    from scipy import special

    return np.asarray(special.bdtr(np.arange(trials), trials, probability), dtype=np.float64)
