"""Paired differences with their intervals: the forest plot on which a choice rests."""

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

from simlab.analysis.charts.figure import new_figure
from simlab.analysis.compare import Row
from simlab.analysis.style import GREY, Look

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_COLUMNS: Final = 3
_FILLED: Final = {"better", "worse", "equivalent"}


def forest(axis: "Axes", rows: Sequence[Row], looks: Mapping[str, Look]) -> "Axes":
    """Draw the paired differences of one statistic, a row for each strategy; hollow marks are undecided.

    Left of zero the strategy has less than the baseline. Intervals are unadjusted; verdicts are adjusted.
    """
    for place, row in enumerate(rows):
        colour, mark = looks[row.strategy]
        paired = row.paired
        if not math.isfinite(paired.estimate):
            continue
        if math.isfinite(paired.low) and math.isfinite(paired.high):
            axis.plot([paired.low, paired.high], [place, place], color=colour, linewidth=1.4)
        face = colour if row.verdict.outcome.value in _FILLED else "white"
        axis.plot(paired.estimate, place, mark, markeredgecolor=colour, markerfacecolor=face, markersize=6)
    axis.axvline(0, color=GREY, linewidth=0.8)
    axis.set_yticks(range(len(rows)), labels=[row.strategy for row in rows], fontsize=8)
    axis.set_ylim(len(rows) - 0.5, -0.5)
    axis.grid(axis="x", linewidth=0.3)
    if rows:
        axis.set_xlabel(f"difference, {rows[0].unit}", fontsize=8)
        axis.set_title(f"{rows[0].metric}, {rows[0].statistic}", fontsize=9)
    return axis


def draw_differences(rows: Sequence[Row], looks: Mapping[str, Look], title: str) -> "Figure":
    """Draw one panel for each metric: its mean against the baseline."""
    metrics = list(dict.fromkeys(row.metric for row in rows if row.statistic.endswith("mean")))
    count = -(-len(metrics) // _COLUMNS)
    arms = max(1, len({row.strategy for row in rows}))
    figure = new_figure(5 * _COLUMNS, (0.9 + 0.24 * arms) * count + 0.7)
    axes = figure.subplots(count, _COLUMNS, squeeze=False).ravel()
    for axis, metric in zip(axes, metrics, strict=False):
        forest(axis, [row for row in rows if row.metric == metric and row.statistic.endswith("mean")], looks)
    for axis in axes[len(metrics) :]:
        axis.set_axis_off()
    figure.suptitle(title, fontsize=11)
    return figure
