"""How much of an answer hangs on the tail of the tool times: the estimate against the tools' time-out."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from simlab.analysis.style import Look, muted, strokes

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes


def tail_sensitivity(axis: "Axes", frame: "pd.DataFrame", looks: Mapping[str, Look], *, label: str) -> "Axes":
    """Draw an estimate with its interval against the cap on tool times, one line for each arm.

    ``frame`` needs the columns ``arm``, ``cap_s`` (inf: as declared, without a further cap), ``value``, ``low`` and
    ``high`` in the unit that ``label`` names. Lines that cross, or that leave zero, are verdicts that hang on the cap.
    """
    caps = sorted(frame["cap_s"].unique())
    dashes = strokes(looks)
    arms = [arm for arm in looks if (frame["arm"] == arm).any()]
    for number, arm in enumerate(arms):
        colour, mark = looks[arm]
        mine = frame[frame["arm"] == arm].sort_values("cap_s")
        shift = (number - (len(arms) - 1) / 2) * 0.09
        places = [caps.index(cap) + shift for cap in mine["cap_s"]]
        axis.plot(places, mine["value"], marker=mark, color=colour, linestyle=dashes[arm], linewidth=1.4, label=arm)
        for place, low, high in zip(places, mine["low"], mine["high"], strict=True):
            axis.plot([place, place], [low, high], color=colour, linewidth=1)
    if (frame["low"] <= 0).any():
        axis.axhline(0, color=muted(axis), linewidth=0.9, zorder=1)
    axis.set_xticks(range(len(caps)), labels=["as declared" if cap == float("inf") else f"{cap:g}" for cap in caps])
    axis.set_xlim(-0.5, len(caps) - 0.5)
    axis.set_xlabel("time-out of tools, seconds")
    axis.set_ylabel(label)
    axis.grid(axis="y")
    return axis
