"""The league on one page: a cell for every policy and scenario, a panel for each of the leading measures."""

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

from simlab.analysis.charts.figure import new_figure
from simlab.analysis.league import BY_DIFFERENCE, BY_NAME, Standing
from simlab.analysis.stats.verdict import Outcome
from simlab.analysis.style import GREY

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

PANELS: Final = ("urgent", "aside", "harm", "calls")
BOUND: Final = 3.0
"""Colours end at 2^3 times the baseline; differences at ``HARM_BOUND``."""

HARM_BOUND: Final = 0.5


def tone(standing: Standing) -> float:
    """Return the place of a cell on the scale from -1 (better) over 0 (as the baseline) to 1 (worse); nan: nothing."""
    if standing.outcome is None:
        return math.nan
    if standing.measure in BY_DIFFERENCE:
        return max(-1.0, min(1.0, standing.paired.estimate / HARM_BOUND))
    if not standing.ratio > 0:
        return math.nan
    return max(-1.0, min(1.0, math.log2(standing.ratio) / BOUND))


def draw_league(found: Sequence[Standing], policies: Sequence[str], scenarios: Sequence[str], title: str) -> "Figure":
    """Draw policies in the given order from top to bottom. A dot marks an undecided cell, white an empty one."""
    cells = {(each.measure, each.policy, each.scenario): each for each in found}
    figure = new_figure(3.4 * len(PANELS) + 2.2, 0.19 * len(policies) + 2.4)
    axes = figure.subplots(1, len(PANELS), sharey=True, squeeze=False).ravel()
    for axis, measure in zip(axes, PANELS, strict=True):
        _panel(axis, measure, cells, policies, scenarios)
    axes[0].set_yticks(range(len(policies)), labels=list(policies), fontsize=7)
    figure.suptitle(title, fontsize=10)
    return figure


def _panel(
    axis: "Axes",
    measure: str,
    cells: Mapping[tuple[str, str, str], Standing],
    policies: Sequence[str],
    scenarios: Sequence[str],
) -> None:
    rows = [[cells.get((measure, policy, scenario)) for scenario in scenarios] for policy in policies]
    tones = [[math.nan if cell is None else tone(cell) for cell in row] for row in rows]
    image = axis.imshow(tones, cmap="RdBu_r", vmin=-1, vmax=1, aspect="auto", interpolation="nearest")
    places = [
        (column, row)
        for row, line in enumerate(rows)
        for column, cell in enumerate(line)
        if cell is not None and cell.outcome is Outcome.UNDECIDED
    ]
    if places:
        axis.plot(*zip(*places, strict=True), ".", color=GREY, markersize=2.5)
    axis.set_xticks(range(len(scenarios)), labels=list(scenarios), rotation=90, fontsize=7)
    told = BY_NAME[measure]
    axis.set_title(f"{told.label}\n{_scale(measure)}", fontsize=8)
    bar = axis.figure.colorbar(image, ax=axis, shrink=0.5, aspect=30)
    bar.set_ticks([-1, 0, 1], labels=_ends(measure))
    bar.ax.tick_params(labelsize=7)


def _scale(measure: str) -> str:
    return f"difference, {BY_NAME[measure].unit}" if measure in BY_DIFFERENCE else "ratio to the baseline"


def _ends(measure: str) -> list[str]:
    if measure in BY_DIFFERENCE:
        return [f"-{HARM_BOUND:g}", "0", f"+{HARM_BOUND:g}"]
    return [f"1/{2**BOUND:g}", "1", f"{2**BOUND:g}"]
