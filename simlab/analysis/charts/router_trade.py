"""Routers by what they cost and how often they are right: accuracy against latency."""

from typing import TYPE_CHECKING

from simlab.analysis.charts.figure import lines
from simlab.analysis.style import COLOURS, MARKS, muted

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes


def router_trade(axis: "Axes", frame: "pd.DataFrame", *, outcome_label: str = "") -> "Axes":
    """Draw each router at its mean latency and its accuracy with its interval; the text beside it is what came of it.

    ``frame`` needs the columns ``router``, ``latency_s``, ``accuracy``, ``accuracy_low`` and ``accuracy_high``, and may
    have ``outcome``, ``outcome_low`` and ``outcome_high``, a metric described by ``outcome_label``.
    """
    for number, row in enumerate(lines(frame)):
        colour, mark = COLOURS[number % len(COLOURS)], MARKS[number % len(MARKS)]
        limits = [row.accuracy_low, row.accuracy_high]
        axis.plot([row.latency_s, row.latency_s], limits, color=colour, linewidth=1.4)
        label = str(row.router)
        if "outcome" in frame:
            label += f": {row.outcome:.3g} [{row.outcome_low:.3g}, {row.outcome_high:.3g}]"
        axis.plot(row.latency_s, row.accuracy, mark, color=colour, markersize=9, label=label, linestyle="none")
    axis.axhline(1, color=muted(axis), linewidth=0.8, linestyle=":")
    axis.set_ylim(min(0.0, float(frame["accuracy_low"].min())), 1.05)
    axis.set_xlabel("mean latency of a verdict, seconds")
    axis.set_ylabel("share of verdicts that are right")
    axis.margins(x=0.12)
    axis.grid(visible=True)
    if outcome_label:
        axis.set_title(outcome_label)
    return axis
