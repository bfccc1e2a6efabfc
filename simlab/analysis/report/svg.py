"""A figure as SVG text that takes its colours from the page, so that one picture serves light, dark and paper."""

import re
from io import StringIO
from typing import TYPE_CHECKING, Final

from simlab.analysis.charts.figure import mixed
from simlab.analysis.style import COLOURS, LIGHT, SHADES, themed

if TYPE_CHECKING:
    from collections.abc import Callable

    from matplotlib.figure import Figure

VARIABLES: Final = {
    LIGHT.paper: "var(--paper)",
    LIGHT.ink: "var(--ink)",
    LIGHT.muted: "var(--muted)",
    LIGHT.faint: "var(--faint)",
}
_SIZE: Final = re.compile(r'<svg [^>]*?viewBox="0 0 ([\d.]+) ([\d.]+)"[^>]*>', re.DOTALL)
_IDS: Final = re.compile(r'(id="|url\(#|href="#)')
_METADATA: Final = re.compile(r"\s*<metadata>.*?</metadata>", re.DOTALL)
_COLOUR: Final = re.compile(r"#[0-9a-f]{6}\b")


def page_svg(draw: "Callable[[], Figure]", prefix: str) -> str:
    """Draw in the light theme and return an ``svg`` element whose ids begin with ``prefix``."""
    with themed(LIGHT):
        stream = StringIO()
        draw().savefig(stream, format="svg", metadata={"Date": None})
    text = _METADATA.sub("", stream.getvalue())
    size = _SIZE.search(text)
    assert size is not None
    inside = text[size.end() : text.rindex("</svg>")]
    inside = _IDS.sub(lambda found: f"{found[1]}{prefix}-", inside)
    inside = _COLOUR.sub(lambda found: _themed(found[0]), inside)
    width = float(size[1])
    opening = f'<svg viewBox="0 0 {size[1]} {size[2]}" style="--width:{width / 72 * 96:.0f}px" aria-hidden="true">'
    return f"{opening}{inside.strip()}</svg>"


def _themed(colour: str) -> str:
    return _replacements().get(colour, colour)


def _replacements() -> dict[str, str]:
    """Return what stands for each colour: the theme's by its variable, a mixture with paper by a mixture."""
    if not _TABLE:
        _TABLE.update(VARIABLES)
        for colour in (*COLOURS, LIGHT.ink, LIGHT.muted):
            for share in SHADES:
                whole = VARIABLES.get(colour, colour.lower())
                told = f"color-mix(in srgb, {whole} {100 * share:g}%, var(--paper))"
                _TABLE.setdefault(_hex(mixed(colour, LIGHT.paper, share)), told)
    return _TABLE


_TABLE: Final[dict[str, str]] = {}


def _hex(parts: tuple[float, ...]) -> str:
    return "#" + "".join(f"{round(255 * part):02x}" for part in parts)
