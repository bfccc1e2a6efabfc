"""Pieces of HTML: whatever comes from data is escaped, and numbers are there to sort by."""

import math

from simlab.analysis.report.html import commands, paragraphs, picture, points, table
from simlab.analysis.report.values import Cell, Grid, Paragraph, Picture

NASTY = '<script>alert("x & y")</script>'
SAFE = "&lt;script&gt;alert(&quot;x &amp; y&quot;)&lt;/script&gt;"


def test_text_from_data_is_escaped_wherever_it_stands() -> None:
    grid = Grid(
        ident="t", caption=NASTY, head=[NASTY], rows=[[Cell(text=NASTY, tone="worse")]], chosen_by=NASTY, filters=True
    )
    shown = Picture(title=NASTY, svg="<svg></svg>", alt=NASTY, caption=NASTY, wide=True)
    for made in (
        table(grid),
        picture(shown, "p"),
        paragraphs([NASTY]),
        points([Paragraph(head=NASTY, text=NASTY)]),
        commands([NASTY]),
    ):
        assert "<script>" not in made
        assert "alert(&quot;x &amp; y&quot;)" in made or SAFE in made


def test_numbers_are_there_to_sort_by_and_what_is_missing_says_so() -> None:
    cells = [Cell(text="1,234", number=1234), Cell(text="-", number=math.nan), Cell(text=">= 9", number=math.inf)]
    made = table(Grid(ident="t", caption="", head=["a", "b", "c"], rows=[cells]))
    assert 'data-number="1234"' in made
    assert 'data-number=""' in made
    assert 'data-number="1e308"' in made


def test_a_verdict_is_told_by_a_word_and_a_sign_and_not_by_colour_alone() -> None:
    made = table(Grid(ident="t", caption="", head=["a"], rows=[[Cell(text="worse +3", number=3, tone="worse")]]))
    assert "▼" in made
    assert ">worse<" in made.replace("&nbsp;</span>", ">")


def test_a_table_without_controls_has_none() -> None:
    assert "controls" not in table(Grid(ident="t", caption="", head=["a"], rows=[]))
