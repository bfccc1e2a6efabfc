"""One look for all figures: a colour and a mark for each strategy, the same everywhere, safe for colour-blind eyes.

Colours are those of Okabe and Ito ("Color Universal Design", 2008). Marks tell strategies apart without colour.
"""

from collections.abc import Iterable
from itertools import count
from typing import Final

COLOURS: Final = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#F0E442")
MARKS: Final = ("o", "s", "^", "D", "v", "P", "X", "*", "<", ">")

_FIXED: Final = ("queue", "cancel", "parallel", "routed", "queue-turn", "cancel-background", "queue-first-return")
_FIXED_PLACES: Final = range(len(_FIXED))
GREY: Final = "#666666"
INCHES_PER_ROW: Final = 0.42

Look = tuple[str, str]
"""A colour and a mark."""


def looks(arms: Iterable[tuple[str, str]]) -> list[Look]:
    """Return the look of each arm (strategy, label): the strategy's colour, and a mark that no other arm has."""
    listed = list(arms)
    colours = _places(strategy for strategy, _ in listed)
    marks = _spread([colours[strategy] for strategy, _ in listed])
    return [
        (COLOURS[colours[strategy] % len(COLOURS)], MARKS[mark % len(MARKS)])
        for (strategy, _), mark in zip(listed, marks, strict=True)
    ]


def _places(strategies: Iterable[str]) -> dict[str, int]:
    """Give the first strategies the places that they have everywhere, and others the next free ones."""
    ordered = list(dict.fromkeys(strategies))
    places = {name: _FIXED.index(name) for name in ordered if name in _FIXED}
    free = (number for number in count() if number not in _FIXED_PLACES)
    return {name: places[name] if name in places else next(free) for name in ordered}


def _spread(wanted: list[int]) -> list[int]:
    """Give each its wanted number, or the next one that nobody has or wants."""
    free = (number for number in count() if number not in wanted)
    taken: set[int] = set()
    given = []
    for number in wanted:
        given.append(next(free) if number in taken else number)
        taken.add(number)
    return given
