"""One colour for a strategy, wherever it appears; colours that everybody can tell apart, on light and dark paper."""

from itertools import combinations

import numpy as np
import pytest

from simlab.analysis.style import COLOURS, DARK, LIGHT, THEMES, Theme, looks, looks_of, strokes, themed
from simlab.strategies import STRATEGIES

Vector = np.ndarray[tuple[int, ...], np.dtype[np.float64]]

# G. Machado, M. Oliveira and L. Fernandes, IEEE TVCG 15 (2009) 1291-1298, severity 1.
EYES: dict[str, Vector] = {
    "all cones": np.eye(3),
    "no red cones": np.array(
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
    ),
    "no green cones": np.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
    ),
    "no blue cones": np.array(
        [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]]
    ),
}
TO_XYZ: Vector = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])


def linear(colour: str) -> Vector:
    shares = np.array([int(colour[at : at + 2], 16) for at in (1, 3, 5)]) / 255
    return np.where(shares <= 0.04045, shares / 12.92, ((shares + 0.055) / 1.055) ** 2.4)


def lab(light: Vector) -> Vector:
    x, y, z = np.cbrt(np.clip(TO_XYZ @ np.clip(light, 0, 1) / np.array([0.9505, 1.0, 1.089]), 1e-9, None))
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


def contrast(one: str, other: str) -> float:
    dark, bright = sorted(float(TO_XYZ[1] @ linear(colour)) for colour in (one, other))
    return (bright + 0.05) / (dark + 0.05)


def test_a_strategy_keeps_its_colour_whatever_it_is_compared_with() -> None:
    alone = looks([("cancel", "cancel")])
    among = looks([("queue", "queue"), ("mine", "mine"), ("cancel", "cancel")])
    assert alone[0] == among[2]


@pytest.mark.parametrize("strategy", [*STRATEGIES.names(), "of-my-own"])
def test_the_colour_does_not_depend_on_company_or_order(strategy: str) -> None:
    names = STRATEGIES.names()
    alone = looks_of([strategy])[strategy][0]
    assert looks_of([*names, strategy])[strategy][0] == looks_of([strategy, *reversed(names)])[strategy][0] == alone


def test_arms_of_one_strategy_share_its_colour_and_differ_in_mark_and_stroke() -> None:
    one, two, other = looks([("routed", "routed (a)"), ("routed", "routed (b)"), ("queue", "queue")])
    assert one[0] == two[0] != other[0]
    assert len({one[1], two[1], other[1]}) == 3
    assert strokes({"a": one, "b": two, "c": other}) == {"a": "-", "b": "--", "c": "-"}


def test_unknown_strategies_get_looks_of_their_own() -> None:
    found = looks([(name, name) for name in ("queue", "p1", "p2", "cancel")])
    assert len({mark for _, mark in found}) == 4
    assert not {found[1][0], found[2][0]} & {found[0][0], found[3][0]}


@pytest.mark.parametrize("eyes", EYES)
def test_any_two_colours_differ_clearly_for_every_kind_of_eyes(eyes: str) -> None:
    seen = [lab(EYES[eyes] @ linear(colour)) for colour in COLOURS]
    assert min(float(np.linalg.norm(a - b)) for a, b in combinations(seen, 2)) > 10


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=lambda theme: theme.name)
def test_text_has_the_contrast_that_wcag_asks_for_and_marks_can_be_seen(theme: Theme) -> None:
    assert contrast(theme.ink, theme.paper) > 7
    assert contrast(theme.muted, theme.paper) > 4.5
    assert min(contrast(colour, theme.paper) for colour in COLOURS) > 2.2


def test_a_theme_holds_inside_its_with_only() -> None:
    import matplotlib as mpl

    before = mpl.rcParams["axes.facecolor"]
    with themed("dark") as theme:
        assert theme is THEMES["dark"]
        assert mpl.rcParams["axes.facecolor"] == DARK.paper
    assert mpl.rcParams["axes.facecolor"] == before
