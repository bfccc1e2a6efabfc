"""Where tokens and tool time went, as stacks whose parts add up to everything that was spent."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

import numpy as np

from simlab.analysis.charts.figure import mixed, rows
from simlab.analysis.style import Look, ink, paper

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

HATCHES: Final = ("", "////", "xxxx", "....")
_MANY: Final = 10_000
_SHADES: Final = (0.95, 0.55, 0.35, 0.15)


def waste(axis: "Axes", frame: "pd.DataFrame", looks: Mapping[str, Look], *, unit: str) -> "Axes":
    """Draw a bar for each arm, in its colour, cut into parts; each part has its own shade and hatch.

    ``frame`` needs the columns ``arm``, ``part`` and ``mean`` (per run, in ``unit``); parts are stacked in the order in
    which they first stand there, and what was useful comes first.
    """
    parts = list(dict.fromkeys(frame["part"]))
    table = frame.pivot(index="arm", columns="part", values="mean").reindex(list(looks))[parts]
    left = np.zeros(len(table))
    for number, part in enumerate(parts):
        values = table[part].to_numpy(dtype=float)
        for place, (colour, _) in enumerate(looks.values()):
            axis.barh(
                place,
                values[place],
                left=left[place],
                height=0.62,
                facecolor=mixed(colour, paper(axis), _SHADES[number % len(_SHADES)]),
                edgecolor=colour,
                hatch=HATCHES[number % len(HATCHES)],
                linewidth=0.8,
            )
        axis.fill_between(
            [],
            [],
            facecolor=mixed(ink(axis), paper(axis), _SHADES[number % len(_SHADES)]),
            edgecolor=ink(axis),
            hatch=HATCHES[number % len(HATCHES)],
            label=part,
        )
        left = left + values
    rows(axis, list(looks))
    axis.set_xlim(0, float(left.max()) * 1.03 or 1)
    if float(left.max()) >= _MANY:
        from matplotlib.ticker import EngFormatter

        axis.xaxis.set_major_formatter(EngFormatter(sep=""))
    axis.set_xlabel(f"{unit} per run, mean")
    return axis
