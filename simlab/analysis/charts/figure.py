"""A figure without a screen, saved with the same bytes every time."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DOTS_PER_INCH: Final = 110


def new_figure(width_inches: float, height_inches: float) -> "Figure":
    """Return an empty figure with a constrained layout, not tied to any window system."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width_inches, height_inches), dpi=DOTS_PER_INCH, layout="constrained")
    FigureCanvasAgg(figure)
    return figure


def writer(draw: "Callable[[], Figure]") -> Callable[[Path], Any]:
    """Return a function that draws and saves to a path; the format follows from the path's ending."""

    def write(path: Path) -> None:
        draw().savefig(path, format=path.suffix.removeprefix("."), metadata={"Software": None})

    return write
