"""Pieces of HTML: everything that comes from data is escaped here."""

import math
from collections.abc import Iterable, Sequence
from html import escape

from simlab.analysis.report.values import Cell, Grid, Paragraph, Picture
from simlab.analysis.style import Look

_BROAD = 6
SIGNS = {"better": "▲", "worse": "▼", "equivalent": "=", "undecided": "?"}
"""Beside the colour of a verdict, so that it is not the only sign."""


def paragraphs(texts: Iterable[str], kind: str = "") -> str:
    """Return a paragraph for each text."""
    attribute = f' class="{kind}"' if kind else ""
    return "".join(f"<p{attribute}>{escape(text)}</p>" for text in texts)


def points(listed: Sequence[Paragraph]) -> str:
    """Return a list of heads, each with what is said of it."""
    if not listed:
        return ""
    inside = "".join(f"<div><dt>{escape(each.head)}</dt><dd>{escape(each.text)}</dd></div>" for each in listed)
    return f'<dl class="points">{inside}</dl>'


def legend(arms: Iterable[tuple[str, Look]]) -> str:
    """Return the arms with the colours that they have in every chart."""
    inside = "".join(
        f'<li><span class="swatch" style="background:{look[0]}" aria-hidden="true"></span>{escape(arm)}</li>'
        for arm, look in arms
    )
    return f'<ul class="legend" aria-label="Colours of the strategies">{inside}</ul>'


def picture(each: Picture, ident: str) -> str:
    """Return a figure whose picture is described in words for those who do not see it, and below it for all."""
    svg = f'<div role="img" aria-labelledby="{ident}-title" aria-describedby="{ident}-alt">{each.svg}</div>'
    if each.wide:
        label = escape(f"{ident}: {each.title}, scrolls")
        svg = f'<div class="scroller" tabindex="0" role="region" aria-label="{label}">{svg}</div>'
    return (
        f'<figure id="{ident}">{svg}<figcaption><strong id="{ident}-title">{escape(each.title)}</strong>'
        f"{escape(each.caption)}</figcaption>"
        f'<details class="alt"><summary>In words</summary><p id="{ident}-alt">{escape(each.alt)}</p></details></figure>'
    )


def commands(listed: Sequence[str]) -> str:
    """Return commands to copy."""
    return "<pre><code>" + escape("\n".join(listed)) + "</code></pre>"


def table(grid: Grid) -> str:
    """Return a table with its controls; on a narrow screen each row becomes a card."""
    head = "".join(f'<th scope="col">{escape(name)}</th>' for name in grid.head)
    body = "".join(
        "<tr>" + "".join(_cell(cell, name) for cell, name in zip(row, grid.head, strict=True)) + "</tr>"
        for row in grid.rows
    )
    inside = (
        f"<table><caption>{escape(grid.caption)}</caption><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    )
    frame = "tall" if grid.tall else "broad" if len(grid.head) > _BROAD else ""
    if frame:
        label = f"{grid.ident}: table of {len(grid.rows)} rows, scrolls"
        inside = f'<div class="{frame}" tabindex="0" role="region" aria-label="{escape(label)}">{inside}</div>'
    return f'<div class="table" id="{grid.ident}">{_controls(grid)}{inside}</div>'


def _cell(cell: Cell, label: str) -> str:
    number = "" if cell.number is None else f' data-number="{_number(cell.number)}"'
    kind = ' class="number"' if cell.number is not None and not cell.tone else ""
    text = escape(cell.text)
    if cell.tone:
        sign = SIGNS.get(cell.tone, "")
        word, _, rest = text.partition(" ")
        sign = f'<span aria-hidden="true">{sign}&nbsp;</span>'
        text = f'<span><span class="tone tone-{cell.tone}">{sign}{word}</span> {rest}</span>'
    value = f' data-value="{escape(cell.text)}"'
    return f'<td{kind}{number}{value} data-label="{escape(label)}">{text}</td>'


def _number(value: float) -> str:
    """Write a number for the script: nothing for one that does not exist, so that it sorts last."""
    if math.isnan(value):
        return ""
    if math.isinf(value):
        return "1e308" if value > 0 else "-1e308"
    return f"{value:.10g}"


def _controls(grid: Grid) -> str:
    inside = ""
    if grid.filters:
        inside += f'<label>Filter <input type="search" placeholder="words" aria-controls="{grid.ident}"></label>'
    if grid.chosen_by:
        column = list(grid.head).index(grid.chosen_by)
        values = sorted({row[column].text for row in grid.rows})
        options = "".join(f"<option>{escape(value)}</option>" for value in values)
        inside += (
            f'<label>{escape(grid.chosen_by.capitalize())} <select data-column="{column}" aria-controls="{grid.ident}">'
            f'<option value="">all</option>{options}</select></label>'
        )
    if not inside:
        return ""
    return f'<div class="controls" hidden>{inside}<span class="count" role="status"></span></div>'
