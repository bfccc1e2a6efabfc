"""Which strategy wins where: a map over two parameters."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from simlab.analysis.charts.figure import lines, mixed
from simlab.analysis.style import Look, ink, paper

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.patches import Rectangle

UNDECIDED: Final = "undecided"


def decision_map(
    axis: "Axes", frame: "pd.DataFrame", looks: Mapping[str, Look], *, x_label: str, y_label: str
) -> "Axes":
    """Fill each cell with the colour of the best arm and its mark; hatch it where the lead is not shown.

    ``frame`` needs the columns ``x``, ``y`` (the levels of the two parameters, a row for each cell), ``winner`` (the
    arm with the best value) and ``decided`` (False where the paired interval of its lead covers zero).
    """
    columns, levels = sorted(frame["x"].unique()), sorted(frame["y"].unique())
    for row in lines(frame):
        place = (columns.index(row.x), levels.index(row.y))
        colour, mark = looks[str(row.winner)]
        axis.add_patch(_square(axis, place, colour, decided=bool(row.decided)))
        if row.decided:
            axis.plot(*place, mark, color=paper(axis), markersize=5)
    for arm in dict.fromkeys(str(winner) for winner in frame["winner"]):
        axis.plot([], [], looks[arm][1], color=looks[arm][0], markersize=8, linestyle="none", label=arm)
    if not frame["decided"].all():
        label = f"{UNDECIDED} (colour: the best estimate)"
        axis.fill_between([], [], facecolor=paper(axis), edgecolor=ink(axis), hatch="////", label=label)
    axis.set_xlim(-0.5, len(columns) - 0.5)
    axis.set_ylim(-0.5, len(levels) - 0.5)
    axis.set_xticks(*_ticks(columns), rotation=0)
    axis.set_yticks(*_ticks(levels))
    axis.set_xlabel(x_label)
    axis.set_ylabel(y_label)
    axis.tick_params(length=0)
    return axis


def _square(axis: "Axes", place: tuple[int, int], colour: str, *, decided: bool) -> "Rectangle":
    from matplotlib.patches import Rectangle

    return Rectangle(
        (place[0] - 0.5, place[1] - 0.5),
        1,
        1,
        facecolor=mixed(colour, paper(axis), 1.0 if decided else 0.25),
        edgecolor=paper(axis) if decided else ink(axis),
        hatch="" if decided else "////",
        linewidth=0.8 if decided else 0.4,
    )


def _ticks(levels: list[float]) -> tuple[list[int], list[str]]:
    """Return where to write which levels: every one, or every so many that there are at most eight."""
    shown = list(range(0, len(levels), -(-len(levels) // 8)))
    return shown, [f"{levels[at]:.3g}" for at in shown]
