"""The figure and the table of a phase response: one panel for each measure."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from simlab.experiment.output import write_set
from simlab.experiment.phases import MEASURES, Phase, Point

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure


def frame_of(points: Sequence[Point]) -> "pd.DataFrame":
    """Return the points as a tidy frame: arm, at_ms, measure, value."""
    import pandas as pd

    rows = [(each.arm, each.at_ms, each.measure, each.value) for each in points]
    return pd.DataFrame(rows, columns=["arm", "at_ms", "measure", "value"]).astype({"value": float})


def draw_phase(points: Sequence[Point], phases: Sequence[Phase], *, title: str) -> "Figure":
    """Draw one panel for each measure against the instant of the arrival."""
    from simlab.analysis.charts.figure import new_figure
    from simlab.analysis.charts.phase_response import phase_response
    from simlab.analysis.style import looks_of

    frame = frame_of(points)
    looks = looks_of(each.arm for each in points)
    figure = new_figure(12, 7.5)
    axes = figure.subplots(2, 2, sharex=True).ravel()
    for axis, (measure, label) in zip(axes, MEASURES.items(), strict=True):
        phase_response(axis, frame[frame["measure"] == measure], looks, label=label, phases=phases)
    handles, labels = axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=6, frameon=False, title=title)
    return figure


def write_phase(folder: Path, points: Sequence[Point], phases: Sequence[Phase], *, title: str) -> list[Path]:
    """Write ``phase.png`` and ``phase.csv`` into a folder."""
    from simlab.analysis.charts.figure import writer

    return write_set(
        folder,
        {
            "phase.csv": lambda path: frame_of(points).to_csv(path, index=False),
            "phase.png": writer(lambda: draw_phase(points, phases, title=title)),
        },
    )
