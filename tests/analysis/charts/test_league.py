"""The figure of the league: what colour a cell gets."""

import math
from dataclasses import replace

import pytest

from simlab.analysis.charts.league import draw_league, tone
from simlab.analysis.league import Standing
from simlab.analysis.stats.paired import paired_means
from simlab.analysis.stats.verdict import Outcome

CELL = Standing(
    scenario="s",
    policy="p",
    measure="urgent",
    value=20.0,
    baseline=10.0,
    open_share=0.0,
    paired=paired_means([20.0, 21.0, 19.0], [10.0, 10.0, 10.0]),
    outcome=Outcome.WORSE,
)


def test_twice_the_baseline_is_a_third_of_the_way_to_red_and_half_as_far_to_blue() -> None:
    assert tone(CELL) == pytest.approx(1 / 3)
    assert tone(replace(CELL, value=5.0)) == pytest.approx(-1 / 3)
    assert tone(replace(CELL, value=10_000.0)) == 1


def test_harm_is_told_by_its_difference_and_nothing_by_white() -> None:
    assert tone(replace(CELL, measure="harm")) == 1
    assert math.isnan(tone(replace(CELL, outcome=None)))


def test_every_policy_has_a_row_and_every_undecided_cell_a_dot() -> None:
    cells = [CELL, replace(CELL, policy="q", outcome=Outcome.UNDECIDED)]
    figure = draw_league(cells, ["p", "q"], ["s"], "title")
    urgent = figure.axes[0]
    assert [label.get_text() for label in urgent.get_yticklabels()] == ["p", "q"]
    (dots,) = urgent.get_lines()
    assert dots.get_xydata().tolist() == [[0, 1]]  # type: ignore[union-attr]
