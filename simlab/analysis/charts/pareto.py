"""Two metrics at once: what one costs in the other, and which strategies nobody beats in both."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from simlab.analysis.charts.figure import lines
from simlab.analysis.style import Look, muted, paper

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes


def pareto(axis: "Axes", frame: "pd.DataFrame", looks: Mapping[str, Look], *, x_label: str, y_label: str) -> "Axes":
    """Draw each arm as a mark with its two intervals; filled marks are on the front, which a grey line joins.

    ``frame`` needs the columns ``arm``, ``x``, ``x_low``, ``x_high``, ``y``, ``y_low`` and ``y_high``; less is better
    in both. An arm is on the front if no other one has less of one metric without having more of the other; that is
    said of the estimates, so read it together with the intervals.
    """
    front = on_front(frame)
    for row in lines(frame):
        colour, mark = looks[str(row.arm)]
        axis.plot([row.x_low, row.x_high], [row.y, row.y], color=colour, linewidth=1.2)
        axis.plot([row.x, row.x], [row.y_low, row.y_high], color=colour, linewidth=1.2)
        face = colour if row.arm in front else paper(axis)
        axis.plot(row.x, row.y, mark, markersize=9, markeredgecolor=colour, markerfacecolor=face, label=str(row.arm),
                  linestyle="none")  # fmt: skip
    best = frame[frame["arm"].isin(front)].sort_values("x")
    axis.step(best["x"], best["y"], where="post", color=muted(axis), linewidth=1, linestyle="--", zorder=0)
    axis.set_xlabel(x_label)
    axis.set_ylabel(y_label)
    axis.margins(0.08)
    axis.grid(visible=True)
    return axis


def on_front(frame: "pd.DataFrame") -> list[str]:
    """Return the arms that no other arm beats in both metrics (columns ``arm``, ``x``, ``y``; less is better)."""
    points = [(str(row.arm), float(row.x), float(row.y)) for row in lines(frame)]
    return [arm for arm, x, y in points if not any(_beats((u, v), (x, y)) for _, u, v in points)]


def _beats(one: tuple[float, float], other: tuple[float, float]) -> bool:
    return one != other and one[0] <= other[0] and one[1] <= other[1]
