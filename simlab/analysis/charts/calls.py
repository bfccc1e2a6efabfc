"""Model calls per run: how many round trips each strategy pays."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from simlab.analysis.charts.figure import new_figure
from simlab.analysis.style import INCHES_PER_ROW, Look

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def calls_per_run(axis: "Axes", runs: "pd.DataFrame", looks: Mapping[str, Look]) -> "Axes":
    """Draw for each arm the middle half and the middle 90 % of main model calls per run, and the mean.

    ``runs`` needs the columns ``arm``, ``main_calls`` and ``side_calls``; side calls are a hollow mark.
    """
    for place, (arm, look) in enumerate(looks.items()):
        mine = runs[runs["arm"] == arm]
        calls = mine["main_calls"].to_numpy(dtype=float)
        p5, p25, p75, p95 = np.quantile(calls, [0.05, 0.25, 0.75, 0.95])
        axis.plot([p5, p95], [place, place], color=look[0], linewidth=1)
        axis.plot([p25, p75], [place, place], color=look[0], linewidth=5, solid_capstyle="butt", alpha=0.5)
        axis.plot(calls.mean(), place, look[1], color=look[0], markersize=7)
        side = float(mine["side_calls"].mean())
        if side > 0:
            axis.plot(side, place, look[1], markerfacecolor="white", markeredgecolor=look[0], markersize=7)
    axis.set_yticks(range(len(looks)), labels=list(looks))
    axis.set_ylim(len(looks) - 0.5, -0.5)
    axis.set_xlim(left=0)
    axis.set_xlabel("model calls per run: mean, middle half (thick), middle 90 % (thin); hollow: side calls, mean")
    axis.grid(axis="x", linewidth=0.3)
    return axis


def draw_calls(runs: "pd.DataFrame", looks: Mapping[str, Look], title: str) -> "Figure":
    """Draw the calls of every arm."""
    figure = new_figure(8.5, 1.4 + INCHES_PER_ROW * len(looks))
    axis = figure.subplots()
    calls_per_run(axis, runs, looks)
    axis.set_title(title, fontsize=10)
    return figure
