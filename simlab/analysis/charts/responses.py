"""How long people wait for an answer: the distribution, by kind of event and strategy."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

import numpy as np

from simlab.analysis.charts.figure import legend_above, log_scale, panels
from simlab.analysis.style import Look, muted, strokes

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MARKED: Final = (0.5, 0.9, 0.99)
_COLUMNS: Final = 2
_MOST_POINTS: Final = 300
_LEAST_S: Final = 1e-3


def response_ecdf(axis: "Axes", events: "pd.DataFrame", looks: Mapping[str, Look]) -> "Axes":
    """Draw the share of events answered within a time, one line for each arm, with marks at p50, p90 and p99.

    ``events`` needs the columns ``arm``, ``response_ms`` (missing: never answered) and ``kind`` (one kind only). A line
    that ends below one belongs to an arm that left events unanswered.
    """
    dashes = strokes(looks)
    for arm, look in looks.items():
        mine = events[events["arm"] == arm]
        answered = np.sort(mine["response_ms"].dropna().to_numpy(dtype=float)) / 1000
        if len(answered) == 0:
            continue
        shares = np.arange(1, len(answered) + 1) / len(mine)
        kept = _thinned(len(answered))
        axis.step(
            np.maximum(answered[kept], _LEAST_S),
            shares[kept],
            where="post",
            color=look[0],
            linestyle=dashes[arm],
            linewidth=1.5,
        )
        marked = [int(np.ceil(probability * len(mine))) - 1 for probability in MARKED]
        places = [(max(answered[at], _LEAST_S), p) for at, p in zip(marked, MARKED, strict=True) if at < len(answered)]
        xs, ys = [x for x, _ in places], [y for _, y in places]
        axis.plot(xs, ys, look[1], color=look[0], markersize=5.5, linestyle="none")
        axis.plot([], [], look[1], color=look[0], linestyle=dashes[arm], label=arm)
    log_scale(axis)
    axis.set_ylim(0, 1.02)
    axis.set_xlabel("seconds until the first answer (log scale)")
    axis.set_ylabel("share answered")
    for probability in MARKED:
        axis.axhline(probability, color=muted(axis), linewidth=0.6, linestyle=":", zorder=0)
        axis.annotate(
            f"p{100 * probability:g}",
            (1, probability),
            xycoords=("axes fraction", "data"),
            xytext=(2, 0),
            textcoords="offset points",
            va="center",
            fontsize=8.5,
            color=muted(axis),
        )
    axis.grid(axis="x")
    return axis


def _thinned(size: int) -> "np.ndarray[tuple[int], np.dtype[np.int64]]":
    """Return the places of at most 300 points of a line, first and last among them; the eye sees no difference."""
    return np.unique(np.linspace(0, size - 1, min(size, _MOST_POINTS)).round().astype(np.int64))


def draw_responses(events: "pd.DataFrame", looks: Mapping[str, Look], title: str) -> "Figure":
    """Draw one panel for each kind of event; requests that a correction voided are left out."""
    events = events[~events["is_voided"]]
    kinds = sorted(events["kind"].unique())
    figure, axes = panels(len(kinds), columns=_COLUMNS, width_inches=4.6, height_inches=3.4)
    for axis, kind in zip(axes, kinds, strict=True):
        mine = events[events["kind"] == kind]
        response_ecdf(axis, mine, looks)
        axis.set_title(f"{kind} ({len(mine) // max(1, len(looks)):,} events an arm)")
    legend_above(figure, axes[0], title=title)
    return figure
