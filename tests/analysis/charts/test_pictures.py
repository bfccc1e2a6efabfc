"""Every chart looks as it did when somebody last looked at it, in light and in dark."""

from itertools import combinations
from pathlib import Path

import pytest
from matplotlib.figure import Figure
from matplotlib.testing.compare import compare_images
from matplotlib.text import Text
from matplotlib.transforms import Bbox

from simlab.analysis.charts.figure import save
from simlab.analysis.style import themed
from tests.analysis.charts.pictures import IMAGES, LOOKS, PICTURES, THEMES, draw

TOLERANCE = 2.0
"""Root mean square over pixels, of 255: letters may be rendered a little differently elsewhere, nothing may move."""


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("name", PICTURES)
def test_a_chart_looks_as_it_did(name: str, theme: str, tmp_path: Path) -> None:
    drawn = draw(name, theme, tmp_path)
    difference = compare_images(str(IMAGES / drawn.name), str(drawn), tol=TOLERANCE)
    assert difference is None, difference


def test_a_moved_mark_would_be_noticed(tmp_path: Path) -> None:
    with themed("light"):
        figure = PICTURES["pareto"]()
        figure.axes[0].lines[2].set_ydata([20.0])
        save(figure, tmp_path / "moved.png")
    assert compare_images(str(IMAGES / "pareto-light.png"), str(tmp_path / "moved.png"), tol=TOLERANCE) is not None


def shown_texts(figure: Figure) -> list[tuple[str, Bbox]]:
    """Return every text that is drawn, with its box in pixels; labels of ticks beyond the limits are not drawn."""
    figure.canvas.draw()
    beyond: set[int] = set()
    for axes in figure.axes:
        for axis, (low, high) in ((axes.xaxis, sorted(axes.get_xlim())), (axes.yaxis, sorted(axes.get_ylim()))):
            ticks = zip(axis.get_ticklocs(), axis.get_ticklabels(), strict=False)
            beyond.update(id(label) for place, label in ticks if not low <= place <= high)
    texts = [text for text in figure.findobj(Text) if isinstance(text, Text) and id(text) not in beyond]
    boxes = [(text.get_text(), text.get_window_extent()) for text in texts if text.get_visible()]
    return [(text, box) for text, box in boxes if text.strip()]


@pytest.mark.parametrize("name", PICTURES)
def test_no_text_is_cut_and_no_two_texts_overlap(name: str) -> None:
    with themed("light"):
        figure = PICTURES[name]()
        drawn = shown_texts(figure)
    width, height = figure.canvas.get_width_height()
    page = Bbox([[-1, -1], [width + 1, height + 1]])
    assert [text for text, box in drawn if not (page.contains(*box.min) and page.contains(*box.max))] == []
    pairs = combinations(drawn, 2)
    assert [(a, b) for (a, one), (b, other) in pairs if one.padded(-1.5).overlaps(other.padded(-1.5))] == []


def test_overlapping_and_cut_texts_would_be_noticed() -> None:
    figure = PICTURES["pareto"]()
    figure.text(0.5, 0.5, "one")
    figure.text(0.51, 0.5, "other")
    figure.text(0.99, 0.9, "out of the page")
    drawn = dict(shown_texts(figure))
    assert drawn["one"].overlaps(drawn["other"])
    assert drawn["out of the page"].x1 > figure.canvas.get_width_height()[0]


@pytest.mark.parametrize("name", PICTURES)
def test_every_axis_has_a_label_or_a_list_of_names(name: str) -> None:
    for axis in PICTURES[name]().axes:
        assert any(other.get_xlabel() for other in axis.get_shared_x_axes().get_siblings(axis))
        assert axis.get_ylabel() or {*LOOKS, "inbox"} & {label.get_text() for label in axis.get_yticklabels()}
