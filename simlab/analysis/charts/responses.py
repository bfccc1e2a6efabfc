"""How long people wait for an answer: the distribution, by kind of event and strategy."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

import numpy as np

from simlab.analysis.charts.figure import new_figure
from simlab.analysis.style import GREY, Look

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MARKED: Final = (0.5, 0.9, 0.99)
_COLUMNS: Final = 3
_LINES: Final = ("-", "--", ":", "-.")


def line_styles(looks: Mapping[str, Look]) -> dict[str, str]:
    """Return a line style for each arm, so that arms of one strategy (one colour) can be told apart."""
    seen: dict[str, int] = {}
    styles = {}
    for arm, (colour, _mark) in looks.items():
        styles[arm] = _LINES[seen.get(colour, 0) % len(_LINES)]
        seen[colour] = seen.get(colour, 0) + 1
    return styles


def response_ecdf(axis: "Axes", events: "pd.DataFrame", looks: Mapping[str, Look]) -> "Axes":
    """Draw the share of events answered within a time, one line for each arm, with marks at p50, p90 and p99.

    ``events`` needs the columns ``arm``, ``response_ms`` (missing: never answered) and ``kind`` (one kind only). A line
    that ends below one belongs to an arm that left events unanswered.
    """
    lines = line_styles(looks)
    for arm, look in looks.items():
        mine = events[events["arm"] == arm]
        answered = np.sort(mine["response_ms"].dropna().to_numpy(dtype=float)) / 1000
        if len(answered) == 0:
            continue
        shares = np.arange(1, len(answered) + 1) / len(mine)
        axis.step(
            np.maximum(answered, 1e-3),
            shares,
            where="post",
            color=look[0],
            linestyle=lines[arm],
            linewidth=1.4,
            label=arm,
        )
        for probability in MARKED:
            place = int(np.ceil(probability * len(mine))) - 1
            if place < len(answered):
                axis.plot(max(answered[place], 1e-3), probability, look[1], color=look[0], markersize=5)
    axis.set_xscale("log")
    axis.set_ylim(0, 1.02)
    axis.set_xlabel("response time, seconds (log scale)")
    axis.set_ylabel("share of events answered")
    for probability in MARKED:
        axis.axhline(probability, color=GREY, linewidth=0.4, linestyle=":")
    axis.grid(axis="x", linewidth=0.3)
    return axis


def draw_responses(events: "pd.DataFrame", looks: Mapping[str, Look], title: str) -> "Figure":
    """Draw one panel for each kind of event."""
    events = events[~events["is_voided"]]
    kinds = sorted(events["kind"].unique())
    rows = -(-len(kinds) // _COLUMNS)
    columns = min(_COLUMNS, len(kinds))
    figure = new_figure(5.2 * columns, 3.9 * rows + 0.9)
    axes = figure.subplots(rows, columns, squeeze=False).ravel()
    for axis, kind in zip(axes, kinds, strict=False):
        mine = events[events["kind"] == kind]
        response_ecdf(axis, mine, looks)
        axis.set_title(f"{kind} ({len(mine) // max(1, len(looks)):,} events an arm)", fontsize=10)
    for axis in axes[len(kinds) :]:
        axis.set_axis_off()
    handles, labels = axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=4, frameon=False, fontsize=9, title=title)
    return figure
