"""Hypothesis generators of samples: coarse numbers, so that ties, constants and outliers all occur."""

import numpy as np
from hypothesis import strategies as st

from simlab.analysis.stats.clusters import Clustered, clustered
from simlab.analysis.stats.values import Floats

coarse = st.integers(-400, 400).map(lambda quarter: quarter / 4)
positive = st.integers(1, 4000).map(lambda tenth: tenth / 10)


def samples(least: int = 2, most: int = 30) -> st.SearchStrategy[Floats]:
    """Arrays of shape (n,)."""
    return st.lists(coarse, min_size=least, max_size=most).map(np.array)


@st.composite
def pairs(draw: st.DrawFn, least: int = 4, most: int = 30) -> tuple[Floats, Floats]:
    """Two arrays of one shape (n,)."""
    n = draw(st.integers(least, most))
    values = st.lists(coarse, min_size=n, max_size=n).map(np.array)
    return draw(values), draw(values)


@st.composite
def events(draw: st.DrawFn, replications: int | None = None) -> Clustered:
    """Per-event values of a few replications, some perhaps without events."""
    n = replications or draw(st.integers(2, 12))
    owners = draw(st.lists(st.integers(0, n - 1), min_size=1, max_size=60))
    values = draw(st.lists(positive, min_size=len(owners), max_size=len(owners)))
    return clustered(np.array(owners), np.array(values), n)
