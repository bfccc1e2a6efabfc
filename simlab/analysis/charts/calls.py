"""Model calls per run: how many round trips each strategy pays."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from simlab.analysis.charts.figure import WIDTH_INCHES, new_figure, rows
from simlab.analysis.style import INCHES_PER_ROW, Look, muted, paper

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
        axis.plot([p5, p95], [place, place], color=look[0], linewidth=1.2)
        axis.plot([p25, p75], [place, place], color=look[0], linewidth=6, solid_capstyle="butt", alpha=0.45)
        axis.plot(calls.mean(), place, look[1], color=look[0], markersize=7)
        side = float(mine["side_calls"].mean())
        if side > 0:
            axis.plot(side, place, look[1], markerfacecolor=paper(axis), markeredgecolor=look[0], markersize=7)
    rows(axis, list(looks))
    axis.set_xlim(left=0)
    axis.set_xlabel("model calls per run")
    return axis


def draw_calls(runs: "pd.DataFrame", looks: Mapping[str, Look], title: str) -> "Figure":
    """Draw the calls of every arm."""
    figure = new_figure(WIDTH_INCHES, 1.5 + INCHES_PER_ROW * len(looks))
    axis = figure.subplots()
    calls_per_run(axis, runs, looks)
    axis.set_title(title)
    note = "mark: mean; thick: middle half of runs; thin: middle 90 %"
    if (runs["side_calls"] > 0).any():
        note += "; hollow mark: mean of side calls"
    figure.supxlabel(note, fontsize=8.5, color=muted(axis))
    return figure
