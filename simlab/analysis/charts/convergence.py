"""How an estimate settles as replications come in."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from simlab.analysis.charts.figure import log_scale
from simlab.analysis.style import Look, muted, strokes

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes


_SETTLED: Final = 16
"""The scale is that of the last sixteen-fold; the wide bands before it run out of the picture."""


def convergence(axis: "Axes", frame: "pd.DataFrame", looks: Mapping[str, Look], *, label: str) -> "Axes":
    """Draw a running estimate with its interval against the number of replications, one band for each arm.

    ``frame`` needs the columns ``arm``, ``n`` (replications so far), ``value``, ``low`` and ``high`` in the unit that
    ``label`` names. A picture to see whether the estimate still drifts, not a rule for stopping: an interval that is
    looked at repeatedly excludes the truth more often than it says.
    """
    dashes = strokes(looks)
    for arm in [arm for arm in looks if (frame["arm"] == arm).any()]:
        colour, mark = looks[arm]
        mine = frame[frame["arm"] == arm].sort_values("n")
        axis.fill_between(mine["n"], mine["low"], mine["high"], color=colour, alpha=0.18, linewidth=0)
        axis.plot(mine["n"], mine["value"], marker=mark, markevery=max(1, len(mine) // 6), markersize=5, color=colour,
                  linestyle=dashes[arm], linewidth=1.5, label=arm)  # fmt: skip
    axis.axhline(0, color=muted(axis), linewidth=0.9, zorder=1)
    settled = frame[frame["n"] >= frame["n"].max() / _SETTLED]
    low, high = min(0.0, settled["low"].min()), max(0.0, settled["high"].max())
    axis.set_ylim(low - 0.1 * (high - low), high + 0.1 * (high - low))
    log_scale(axis)
    axis.set_xlabel("replications so far (log scale)")
    axis.set_ylabel(label)
    axis.grid(visible=True)
    return axis
