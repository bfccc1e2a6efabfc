"""Paired differences with their intervals: the forest plot on which a choice rests."""

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

from simlab.analysis.charts.figure import lines, panels, rows
from simlab.analysis.compare import Row, to_frame
from simlab.analysis.style import Look, muted, paper

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_COLUMNS: Final = 2
_FILLED: Final = {"better", "worse", "equivalent"}


def forest(axis: "Axes", frame: "pd.DataFrame", looks: Mapping[str, Look]) -> "Axes":
    """Draw the paired differences of one statistic, a row for each strategy; hollow marks are undecided.

    ``frame`` needs the columns ``strategy``, ``metric``, ``statistic``, ``unit``, ``difference``, ``low``, ``high``
    and ``verdict`` (those of ``analysis.compare.to_frame``). Left of zero the strategy has less than the baseline.
    Intervals are unadjusted; verdicts are adjusted. An arrow means that the interval has no limit on that side.
    """
    listed = list(lines(frame))
    for place, row in enumerate(listed):
        if not math.isfinite(row.difference):
            axis.annotate("no value", (0, place), va="center", fontsize=8.5, color=muted(axis))
            continue
        colour, mark = looks[row.strategy]
        _whiskers(axis, place, row, colour)
        face = colour if row.verdict in _FILLED else paper(axis)
        axis.plot(row.difference, place, mark, markeredgecolor=colour, markerfacecolor=face, markersize=6.5)
    axis.axvline(0, color=muted(axis), linewidth=0.9, zorder=1)
    rows(axis, [row.strategy for row in listed])
    axis.locator_params(axis="x", nbins=6)
    if listed:
        axis.set_xlabel(f"difference, {listed[0].unit}")
        axis.set_title(f"{listed[0].metric}, {listed[0].statistic}")
    return axis


def _whiskers(axis: "Axes", place: int, row: "object", colour: str) -> None:
    low, high, middle = (float(getattr(row, name)) for name in ("low", "high", "difference"))
    ends = [low if math.isfinite(low) else middle, high if math.isfinite(high) else middle]
    axis.plot(ends, [place, place], color=colour, linewidth=1.6)
    for limit, end, mark in ((low, ends[0], "←"), (high, ends[1], "→")):
        if not math.isfinite(limit):
            axis.annotate(mark, (end, place), xytext=(-9 if mark == "←" else 9, 0), textcoords="offset points",
                          ha="center", va="center", color=colour, fontsize=11)  # fmt: skip


def draw_differences(found: Sequence[Row], looks: Mapping[str, Look], title: str) -> "Figure":
    """Draw one panel for each metric: its mean against the baseline."""
    frame = to_frame([row for row in found if row.statistic.endswith("mean")])
    metrics = list(dict.fromkeys(frame["metric"]))
    arms = max(1, frame["strategy"].nunique())
    figure, axes = panels(len(metrics), columns=_COLUMNS, width_inches=4.6, height_inches=1.05 + 0.26 * arms)
    for axis, metric in zip(axes, metrics, strict=True):
        forest(axis, frame[frame["metric"] == metric], looks)
    figure.suptitle(title, fontsize=11)
    return figure
