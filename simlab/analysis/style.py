"""One look for all figures: a colour and a mark for each strategy, the same everywhere, safe for colour-blind eyes.

The first six colours are those of Okabe and Ito ("Color Universal Design", 2008); their black and yellow, which vanish
on a dark and on a light page, are replaced by a grey and a brown. Marks tell strategies apart without colour, and arms
that share a colour have different strokes.
"""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from itertools import count
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final
from zlib import crc32

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COLOURS: Final = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#777777", "#8C564B")
MARKS: Final = ("o", "s", "^", "D", "v", "P", "X", "*", "<", ">")
STROKES: Final = ("-", "--", ":", "-.")
SHADES: Final = (0.95, 0.8, 0.55, 0.35, 0.25, 0.15, 0.12)
"""Shares of a colour in its mixtures with the paper; a page that follows the theme knows them."""

_FIXED: Final = ("queue", "cancel", "parallel", "routed", "queue-turn", "cancel-background", "queue-first-return")
_OWN_PLACES: Final = (7, 6, 4)
GREY: Final = "#666666"
INCHES_PER_ROW: Final = 0.42

Look = tuple[str, str]
"""A colour and a mark."""


# --- who looks how ----------------------------------------------------------------------------------------------------


def looks(arms: Iterable[tuple[str, str]]) -> list[Look]:
    """Return the look of each arm (strategy, label): the strategy's colour, and a mark that no other arm has."""
    listed = list(arms)
    places = [_place(strategy) for strategy, _ in listed]
    marks = _spread([place % len(COLOURS) for place in places])
    return [
        (COLOURS[place % len(COLOURS)], MARKS[mark % len(MARKS)]) for place, mark in zip(places, marks, strict=True)
    ]


def looks_of(arms: Iterable[str]) -> dict[str, Look]:
    """Return the look of each arm by its label (``strategy`` or ``strategy / router``)."""
    listed = list(dict.fromkeys(arms))
    return dict(zip(listed, looks((arm.partition(" / ")[0], arm) for arm in listed), strict=True))


def strokes(arms: Mapping[str, Look]) -> dict[str, str]:
    """Return the stroke of each arm's line: solid, or another where arms share a colour."""
    seen: dict[str, int] = {}
    found = {}
    for arm, (colour, _) in arms.items():
        found[arm] = STROKES[seen.get(colour, 0) % len(STROKES)]
        seen[colour] = seen.get(colour, 0) + 1
    return found


def _place(strategy: str) -> int:
    """Return a strategy's place in the row of colours: fixed for those that ship, by name for all others."""
    places = _shipped_places()
    if strategy in places:
        return places[strategy]
    return _OWN_PLACES[crc32(strategy.encode()) % len(_OWN_PLACES)]


@cache
def _shipped_places() -> Mapping[str, int]:
    from simlab.strategies import STRATEGIES

    others = (name for name in STRATEGIES.names() if name not in _FIXED)
    return MappingProxyType({name: place for place, name in enumerate((*_FIXED, *others))})


def _spread(wanted: list[int]) -> list[int]:
    """Give each its wanted number, or the next one that nobody has or wants."""
    free = (number for number in count() if number not in wanted)
    taken: set[int] = set()
    given = []
    for number in wanted:
        given.append(next(free) if number in taken else number)
        taken.add(number)
    return given


# --- light and dark ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Theme:
    """The colours that are not a strategy's. ``good``, ``bad`` and ``doubt`` also differ in lightness."""

    name: str
    paper: str
    ink: str
    muted: str
    faint: str


LIGHT: Final = Theme(name="light", paper="#ffffff", ink="#1c1e21", muted="#5d6168", faint="#d4d7dc")
DARK: Final = Theme(name="dark", paper="#15171c", ink="#e9eaec", muted="#a5abb5", faint="#3b4049")
THEMES: Final = MappingProxyType({theme.name: theme for theme in (LIGHT, DARK)})


def rc(theme: Theme) -> dict[str, Any]:
    """Return matplotlib's settings for a theme. Text in SVG files stays text."""
    return {
        "figure.facecolor": theme.paper,
        "savefig.facecolor": theme.paper,
        "axes.facecolor": theme.paper,
        "axes.edgecolor": theme.muted,
        "axes.labelcolor": theme.ink,
        "axes.titlecolor": theme.ink,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.axisbelow": True,
        "axes.titlesize": 11,
        "axes.labelsize": 10,
        "text.color": theme.ink,
        "xtick.color": theme.muted,
        "ytick.color": theme.muted,
        "xtick.labelcolor": theme.ink,
        "ytick.labelcolor": theme.ink,
        "xtick.labelsize": 9.5,
        "ytick.labelsize": 9.5,
        "grid.color": theme.faint,
        "grid.linewidth": 0.6,
        "legend.frameon": False,
        "legend.fontsize": 9.5,
        "hatch.linewidth": 0.7,
        "svg.fonttype": "none",
        "svg.hashsalt": "simlab",
        "font.size": 10,
    }


@contextmanager
def themed(theme: Theme | str = LIGHT) -> Iterator[Theme]:
    """Draw in a theme: what is drawn inside the ``with`` has its colours."""
    from matplotlib import rc_context

    chosen = THEMES[theme] if isinstance(theme, str) else theme
    settings: Any = rc(chosen)
    with rc_context(settings):
        yield chosen


def ink(axis: "Axes") -> Any:
    """Return the colour of text on these axes."""
    return axis.xaxis.label.get_color()


def muted(_axis: "Axes") -> Any:
    """Return the colour for reference lines and notes."""
    from matplotlib import rcParams

    return rcParams["xtick.color"]


def paper(axis: "Axes") -> Any:
    """Return the colour behind these axes, for hollow marks."""
    return axis.get_facecolor()
