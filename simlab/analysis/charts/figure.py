"""A figure without a screen, saved with the same bytes every time; and what charts have in common."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from simlab.analysis.style import LIGHT, Theme, ink, themed

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

DOTS_PER_INCH: Final = 110
WIDTH_INCHES: Final = 6.4
"""Of a chart of one panel: text of 9 to 11 points stays readable at half of it."""


def new_figure(width_inches: float, height_inches: float) -> "Figure":
    """Return an empty figure with a constrained layout, not tied to any window system."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width_inches, height_inches), dpi=DOTS_PER_INCH, layout="constrained")
    FigureCanvasAgg(figure)
    return figure


def writer(draw: "Callable[[], Figure]", theme: Theme = LIGHT) -> Callable[[Path], Any]:
    """Return a function that draws in a theme and saves to a path; the format follows from the path's ending."""

    def write(path: Path) -> None:
        with themed(theme):
            save(draw(), path)

    return write


def save(figure: "Figure", path: Path) -> None:
    """Save a figure; nothing of the clock goes into the file."""
    kind = path.suffix.removeprefix(".")
    figure.savefig(path, format=kind, metadata={"Date": None} if kind == "svg" else {"Software": None})


def chart(
    draw: "Callable[[Axes], object]",
    *,
    height_inches: float = 4.0,
    width_inches: float = WIDTH_INCHES,
    columns: int = 3,
) -> "Figure":
    """Return a figure of one chart with a legend above it, if the chart names anything."""
    figure = new_figure(width_inches, height_inches)
    axis = figure.subplots()
    draw(axis)
    legend_above(figure, axis, columns=columns)
    return figure


def legend_above(figure: "Figure", axis: "Axes", *, columns: int = 3, title: str = "") -> None:
    """Put a title and the legend of an axis above all panels, out of the way of the data."""
    handles, labels = axis.get_legend_handles_labels()
    if handles:
        made = figure.legend(
            handles, labels, loc="outside upper center", ncols=min(columns, len(labels)), title=title or None
        )
        made.get_title().set_fontsize(11)


def lines(frame: "pd.DataFrame") -> Iterator[Any]:
    """Return the rows of a frame, each with its columns as attributes."""
    yield from frame.itertuples(index=False)


def mixed(colour: Any, ground: Any, share: float) -> tuple[float, ...]:
    """Mix two colours; unlike transparency this leaves a hatch clear."""
    from matplotlib.colors import to_rgb

    pairs = zip(to_rgb(colour), to_rgb(ground), strict=True)
    return tuple(share * one + (1 - share) * other for one, other in pairs)


def log_scale(axis: "Axes") -> None:
    """Make the horizontal axis logarithmic, with numbers as people write them."""
    from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter

    axis.set_xscale("log")
    low, high = axis.get_xlim()
    narrow = high / low < 100
    axis.xaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0) if narrow else (1.0,), numticks=12))
    axis.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,g}"))
    axis.xaxis.set_minor_formatter(NullFormatter())


def rows(axis: "Axes", names: Sequence[str]) -> None:
    """Make the vertical axis a list of names, the first on top."""
    axis.set_yticks(range(len(names)), labels=list(names))
    axis.tick_params(axis="y", length=0, labelcolor=ink(axis))
    axis.set_ylim(len(names) - 0.5, -0.5)
    axis.grid(axis="x")
    axis.spines["left"].set_visible(False)


def panels(count: int, *, columns: int, width_inches: float, height_inches: float) -> "tuple[Figure, list[Axes]]":
    """Return a figure with ``count`` panels of the given size; what is left of the grid is switched off."""
    columns = max(1, min(columns, count))
    lines = -(-count // columns)
    figure = new_figure(width_inches * columns, height_inches * lines + 0.6)
    axes = list(figure.subplots(lines, columns, squeeze=False).ravel())
    for axis in axes[count:]:
        axis.set_axis_off()
    return figure, axes[:count]
