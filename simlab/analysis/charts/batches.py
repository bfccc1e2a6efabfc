"""How many events are consumed together."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from simlab.analysis.charts.figure import rows
from simlab.analysis.style import Look, ink, paper

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes


def batch_sizes(axis: "Axes", frame: "pd.DataFrame", looks: Mapping[str, Look], *, of: str = "flushes") -> "Axes":
    """Draw for each arm which share of its flushes took 1, 2, 3 ... events, as circles by area, and the mean size.

    ``frame`` needs the columns ``arm``, ``size`` (events) and ``share`` (of the arm's flushes, adding up to 1). ``of``
    says what was counted.
    """
    for place, (arm, (colour, mark)) in enumerate(looks.items()):
        mine = frame[frame["arm"] == arm]
        axis.scatter(mine["size"], [place] * len(mine), s=420 * mine["share"], color=colour, alpha=0.55, linewidths=0)
        mean = float((mine["size"] * mine["share"]).sum())
        axis.plot(mean, place + 0.34, mark, color=colour, markeredgecolor=paper(axis), markersize=6)
        axis.annotate(f"{mean:.2f}", (mean, place + 0.34), xytext=(7, 0), textcoords="offset points", va="center",
                      fontsize=8.5, color=ink(axis))  # fmt: skip
    rows(axis, list(looks))
    axis.set_ylim(len(looks) - 0.35, -0.55)
    axis.set_xlim(0.5, max(3, int(frame["size"].max())) + 0.6)
    axis.locator_params(axis="x", integer=True)
    axis.set_xlabel(f"events in a batch; area: share of {of}; small mark: mean")
    return axis
