"""What becomes of one event when it arrives at another instant of the run: a strategy's answer at a glance."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from simlab.analysis.style import Look, muted, strokes

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes


def phase_response(
    axis: "Axes",
    frame: "pd.DataFrame",
    looks: Mapping[str, Look],
    *,
    label: str,
    phases: Sequence[tuple[float, float, str]] = (),
) -> "Axes":
    """Draw an outcome against the instant of an event's arrival, one line for each arm.

    ``frame`` needs the columns ``arm``, ``at_ms`` (the arrival) and ``value`` (in the unit that ``label`` names;
    missing: there is none). ``phases`` are (from, to, name) in milliseconds: what an undisturbed run does then, as
    grey bands.
    """
    for number, (start_ms, end_ms, name) in enumerate(phases):
        if number % 2:
            axis.axvspan(start_ms / 1000, end_ms / 1000, color=muted(axis), alpha=0.12, linewidth=0, zorder=0)
        axis.annotate(name, ((start_ms + end_ms) / 2000, 1.0), xycoords=("data", "axes fraction"), xytext=(0, 3),
                      textcoords="offset points", ha="center", fontsize=8.5, color=muted(axis))  # fmt: skip
    dashes = strokes(looks)
    for number, (arm, (colour, mark)) in enumerate(looks.items()):
        mine = frame[frame["arm"] == arm].sort_values("at_ms")
        values = mine["value"].to_numpy(dtype=float, na_value=np.nan)
        every = max(1, len(mine) // 12)
        axis.plot(
            mine["at_ms"].to_numpy(dtype=float) / 1000,
            values,
            marker=mark,
            markevery=(number * every // max(1, len(looks)), every),
            color=colour,
            linestyle=dashes[arm],
            linewidth=1.6,
            markersize=5,
            label=arm,
        )
    axis.set_xlabel("the event arrives at, seconds")
    axis.set_ylabel(label)
    low, high = frame["value"].min(), frame["value"].max()  # missing ones are left out
    axis.set_ylim(bottom=0.0 if np.isnan(low) else min(0.0, low), top=None if high > 0 else 1.0)
    axis.grid(visible=True)
    return axis
