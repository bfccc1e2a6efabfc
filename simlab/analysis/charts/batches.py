"""How many events are consumed together."""

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from simlab.analysis.charts.figure import rows
from simlab.analysis.style import Look, ink, paper

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes


_FEW: Final = 10
"""Sizes up to this stand one by one; where there are larger ones, they are grouped by powers of two."""


def batch_sizes(axis: "Axes", frame: "pd.DataFrame", looks: Mapping[str, Look], *, of: str = "flushes") -> "Axes":
    """Draw for each arm which share of its flushes took 1, 2, 3 ... events, as circles by area, and the mean size.

    ``frame`` needs the columns ``arm``, ``size`` (events) and ``share`` (of the arm's flushes, adding up to 1). ``of``
    says what was counted.
    """
    largest = int(frame["size"].max())
    grouped = largest > _FEW
    for place, (arm, (colour, mark)) in enumerate(looks.items()):
        mine = frame[frame["arm"] == arm]
        shares: dict[float, float] = {}
        for size, share in zip(mine["size"], mine["share"], strict=True):
            where = _group(int(size)) + 0.5 if grouped else float(size)
            shares[where] = shares.get(where, 0.0) + float(share)
        areas = [420 * share for share in shares.values()]
        axis.scatter(list(shares), [place] * len(shares), s=areas, color=colour, alpha=0.55, linewidths=0)
        mean = float((mine["size"] * mine["share"]).sum())
        at = (math.log2(mean) if grouped else mean, place + 0.34)
        axis.plot(*at, mark, color=colour, markeredgecolor=paper(axis), markersize=6)
        axis.annotate(f"{mean:.2f}", at, xytext=(7, 0), textcoords="offset points", va="center", fontsize=8.5,
                      color=ink(axis))  # fmt: skip
    rows(axis, list(looks))
    axis.set_ylim(len(looks) - 0.35, -0.55)
    if grouped:
        groups = range(_group(largest) + 1)
        axis.set_xticks([group + 0.5 for group in groups], labels=[_told(group) for group in groups])
        axis.set_xlim(-0.3, _group(largest) + 1.2)
    else:
        axis.set_xlim(0.5, max(3, largest) + 0.6)
        axis.locator_params(axis="x", integer=True)
    axis.set_xlabel(f"events in a batch; area: share of {of}; small mark: mean")
    return axis


def _group(size: int) -> int:
    """Return which power of two a size reaches."""
    return size.bit_length() - 1


def _told(group: int) -> str:
    return "1" if group == 0 else f"{2**group}-{2 ** (group + 1) - 1}"
