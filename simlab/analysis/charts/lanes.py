"""The timeline of a run as a picture: lanes over one clock, a strategy under the other."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from simlab.analysis.charts.figure import mixed, new_figure
from simlab.analysis.lanes import LaneKind, Lanes, Mark, MarkKind, Slice, packed
from simlab.analysis.style import Look, ink, muted, paper

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

WIDTH_INCHES: Final = 11.0
_ROW_INCHES: Final = 0.27
_LABEL_INCHES: Final = 0.075  # of a letter of a label, about
_HEIGHT: Final = 0.72  # of a slice, of its row


@dataclass(frozen=True, slots=True, kw_only=True)
class _Glyph:
    marker: str
    size: float
    filled: bool = True


GLYPHS: Final[Mapping[MarkKind, _Glyph]] = {
    MarkKind.ARRIVAL: _Glyph(marker=">", size=5),
    MarkKind.SAFE_POINT: _Glyph(marker="|", size=7),
    MarkKind.CANCEL: _Glyph(marker="x", size=6),
    MarkKind.PLACEHOLDER: _Glyph(marker="$P$", size=7),
    MarkKind.LATE_RESULT: _Glyph(marker="$L$", size=7),
    MarkKind.NOTICE: _Glyph(marker="$N$", size=7),
    MarkKind.REFUSED: _Glyph(marker="4", size=8),
    MarkKind.DROPPED: _Glyph(marker="1", size=8),
    MarkKind.REWIND: _Glyph(marker="<", size=6),
    MarkKind.EFFECT: _Glyph(marker="^", size=7, filled=False),
    MarkKind.BAD_EFFECT: _Glyph(marker="^", size=8),
}
_SHADES: Final = {
    LaneKind.INBOX: 0.0,
    LaneKind.ROUTER: 0.35,
    LaneKind.MODEL: 1.0,
    LaneKind.TOOL: 0.55,
    LaneKind.SIDE: 0.8,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Place:
    """Where a lane stands: its first row and how many it has."""

    first: int
    count: int


def draw_lanes(
    runs: Sequence[Lanes], looks: Mapping[str, Look], *, window_ms: tuple[int, int] | None = None
) -> "Figure":
    """Draw runs under one another on the same clock, with a legend below. ``looks`` are by strategy."""
    window = window_ms or (0, max(1, *(run.ended_ms for run in runs)))
    heights = [sum(place.count for place in _places(run).values()) for run in runs]
    figure = new_figure(WIDTH_INCHES, _ROW_INCHES * sum(heights) + 0.5 * len(runs) + 1.1)
    axes = figure.subplots(len(runs), 1, sharex=True, squeeze=False, height_ratios=heights)[:, 0]
    for axis, run in zip(axes, runs, strict=True):
        timeline(axis, run, looks[run.strategy], window_ms=window)
    for axis in axes[:-1]:
        axis.set_xlabel("")
    used = {mark.kind for run in runs for mark in run.marks}
    _legend(figure, axes[0], used)
    return figure


def timeline(axis: "Axes", run: Lanes, look: Look, *, window_ms: tuple[int, int] | None = None) -> "Axes":
    """Draw one run. Hatched: nothing of it was used; hollow bars in the inbox: an event waits until it is read."""
    low_ms, high_ms = window_ms or (0, max(1, run.ended_ms))
    axis.set_xlim((low_ms - 0.01 * (high_ms - low_ms)) / 1000, (high_ms + 0.01 * (high_ms - low_ms)) / 1000)
    places = _places(run)
    middles: dict[tuple[LaneKind, str, str], float] = {}
    for lane, place in places.items():
        for number, each in _packed(run, lane):
            middles[each.kind, each.lane_name, each.ident] = place.first + number
            if each.end_ms > each.start_ms:
                _draw_slice(axis, each, place.first + number, look, (low_ms, high_ms))
    _draw_flows(axis, run, middles)
    told: list[tuple[float, Mark]] = []
    for mark in run.marks:
        row = middles.get((mark.lane, mark.lane_name, mark.ident), float(places[mark.lane, mark.lane_name].first))
        _draw_mark(axis, mark, row)
        if mark.kind in _TOLD:
            told.append((row, mark))
    _tell_marks(axis, told, (low_ms, high_ms))
    _dress(axis, run, places)
    return axis


def _packed(run: Lanes, lane: tuple[LaneKind, str]) -> list[tuple[int, Slice]]:
    return packed(each for each in run.slices if (each.kind, each.lane_name) == lane)


def _places(run: Lanes) -> dict[tuple[LaneKind, str], _Place]:
    places, first = {}, 0
    for lane in run.rows:
        count = 1 + max((row for row, _ in _packed(run, lane)), default=0)
        places[lane] = _Place(first=first, count=count)
        first += count
    return places


def _draw_slice(axis: "Axes", each: Slice, row: float, look: Look, window_ms: tuple[int, int]) -> None:
    waits = each.kind is LaneKind.INBOX
    shown = max(0, min(each.end_ms, window_ms[1]) - max(each.start_ms, window_ms[0]))
    inches = shown / (window_ms[1] - window_ms[0]) * (WIDTH_INCHES - 1.6)
    solid = each.kind is LaneKind.MODEL and not each.wasted and inches > 0.05
    axis.barh(
        row,
        (each.end_ms - each.start_ms) / 1000,
        left=each.start_ms / 1000,
        height=0.3 if waits else _HEIGHT,
        facecolor=mixed(look[0], paper(axis), 0.12 if each.wasted else _SHADES[each.kind]),
        edgecolor=paper(axis) if solid else muted(axis) if waits else look[0],
        hatch="/////" if each.wasted else "",
        linewidth=0.8,
        zorder=2,
    )
    if not waits and inches > _LABEL_INCHES * (len(each.label) + 1):
        dark = not each.wasted and _SHADES[each.kind] > 0.7
        axis.annotate(each.label, ((each.start_ms + each.end_ms) / 2000, row), ha="center", va="center", fontsize=8,
                      color=_readable(look[0]) if dark else ink(axis), zorder=4, clip_on=True,
                      bbox=_ground(axis) if each.wasted else None)  # fmt: skip


def _ground(axis: "Axes") -> dict[str, Any]:
    return {"boxstyle": "square,pad=0.1", "facecolor": paper(axis), "edgecolor": "none", "alpha": 0.85}


def _draw_flows(axis: "Axes", run: Lanes, middles: Mapping[tuple[LaneKind, str, str], float]) -> None:
    """Draw a line down from an event to the call or session that reads it."""
    for flow in run.flows:
        top = middles.get((LaneKind.INBOX, "", flow.event_id))
        bottom = middles.get((flow.consumer, "", flow.to))
        if top is not None and bottom is not None:
            axis.plot([flow.consumed_ms / 1000, flow.read_ms / 1000], [top, bottom - _HEIGHT / 2], color=muted(axis),
                      linewidth=0.9, linestyle=":", zorder=1)  # fmt: skip


def _draw_mark(axis: "Axes", mark: Mark, row: float) -> None:
    glyph = GLYPHS[mark.kind]
    colour = ink(axis)
    if mark.kind is MarkKind.CANCEL:
        row -= _HEIGHT / 2  # a placeholder of the same instant must not hide it
    if glyph.marker.startswith("$"):
        axis.plot(mark.at_ms / 1000, row, "o", markersize=11, markeredgecolor=colour, markerfacecolor=paper(axis),
                  markeredgewidth=0.8, zorder=5)  # fmt: skip
    axis.plot(
        mark.at_ms / 1000,
        row,
        marker=glyph.marker,
        markersize=glyph.size,
        markeredgecolor=colour,
        markerfacecolor=colour if glyph.filled else paper(axis),
        markeredgewidth=1.4 if glyph.marker == "x" else 0.9,
        linestyle="none",
        zorder=5,
    )


_TOLD: Final = frozenset({MarkKind.ARRIVAL, MarkKind.EFFECT, MarkKind.BAD_EFFECT, MarkKind.REFUSED, MarkKind.DROPPED})


def _tell_marks(axis: "Axes", marks: Sequence[tuple[float, Mark]], window_ms: tuple[int, int]) -> None:
    """Write beside marks what they are, left or right, where no other mark or label is in the way."""
    span_ms = window_ms[1] - window_ms[0]
    rows: dict[float, list[Mark]] = {}
    for row, mark in marks:
        if window_ms[0] <= mark.at_ms <= window_ms[1]:
            rows.setdefault(row, []).append(mark)
    for row, here in rows.items():
        taken_ms = -span_ms * 1.0
        for number, mark in enumerate(here):
            width_ms = _LABEL_INCHES * (len(mark.label) + 2) / (WIDTH_INCHES - 1.6) * span_ms
            next_ms = here[number + 1].at_ms if number + 1 < len(here) else window_ms[1]
            if mark.at_ms >= taken_ms and mark.at_ms + width_ms <= next_ms:
                _tell(axis, mark, row, to_the_left=False)
                taken_ms = mark.at_ms + width_ms
            elif mark.at_ms - width_ms >= max(taken_ms, window_ms[0]):
                _tell(axis, mark, row, to_the_left=True)
                taken_ms = mark.at_ms + 0.01 * span_ms
            else:
                taken_ms = max(taken_ms, mark.at_ms + 0.01 * span_ms)


def _tell(axis: "Axes", mark: Mark, row: float, *, to_the_left: bool) -> None:
    axis.annotate(mark.label, (mark.at_ms / 1000, row), xytext=(-7 if to_the_left else 7, 0), va="center", fontsize=8,
                  textcoords="offset points", ha="right" if to_the_left else "left", color=ink(axis), zorder=5,
                  bbox=_ground(axis))  # fmt: skip


def _dress(axis: "Axes", run: Lanes, places: Mapping[tuple[LaneKind, str], _Place]) -> None:
    total = sum(place.count for place in places.values())
    names = [f"tool {name}" if kind is LaneKind.TOOL and name else kind.value for kind, name in places]
    axis.set_yticks([place.first + (place.count - 1) / 2 for place in places.values()], labels=names)
    axis.tick_params(axis="y", length=0, labelsize=8.5)
    axis.set_ylim(total - 0.4, -0.75)
    for place in list(places.values())[1:]:
        axis.axhline(place.first - 0.5, color=muted(axis), linewidth=0.3, zorder=0)
    axis.spines["left"].set_visible(False)
    axis.set_xlabel("seconds of virtual time")
    axis.grid(axis="x")
    router = f", routed {run.router}" if run.router else ""
    axis.set_title(f"{run.strategy}{router}", loc="left", fontsize=10.5, fontweight="bold")


def _legend(figure: "Figure", axis: "Axes", used: set[MarkKind]) -> None:
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    handles: list[Any] = [
        Patch(facecolor=paper(axis), edgecolor=muted(axis), label="an event waits"),
        Patch(facecolor=muted(axis), edgecolor=muted(axis), label="model, tool or side session at work"),
        Patch(facecolor=paper(axis), edgecolor=muted(axis), hatch="/////", label="thrown away"),
    ]
    for kind, glyph in GLYPHS.items():
        if kind in used:
            face = ink(axis) if glyph.filled else paper(axis)
            handles.append(
                Line2D(
                    [],
                    [],
                    marker=glyph.marker,
                    linestyle="none",
                    markersize=glyph.size,
                    markeredgecolor=ink(axis),
                    markerfacecolor=face,
                    label=kind.value,
                )
            )
    figure.legend(handles=handles, loc="outside lower center", ncols=5, fontsize=8.5)


def _readable(colour: str) -> str:
    """Return (nearly) black or white, whichever stands out better on a colour (relative luminance of WCAG)."""
    from matplotlib.colors import to_rgb

    linear = [((part + 0.055) / 1.055) ** 2.4 if part > 0.04045 else part / 12.92 for part in to_rgb(colour)]
    luminance = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
    return "#010101" if luminance > 0.179 else "#fefefe"
