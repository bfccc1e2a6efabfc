"""Pictures that take their colours from the page."""

import re
from xml.etree import ElementTree

from simlab.analysis.report.svg import page_svg
from simlab.analysis.style import LIGHT
from tests.analysis.charts.pictures import PICTURES


def test_the_colours_of_the_theme_are_variables_of_the_page() -> None:
    for name, draw in PICTURES.items():
        text = page_svg(draw, name)
        for colour in (LIGHT.paper, LIGHT.ink, LIGHT.muted, LIGHT.faint):
            assert colour not in text, name
        assert "var(--ink)" in text


def test_it_is_well_formed_and_its_ids_begin_with_the_prefix_and_are_all_there() -> None:
    for name, draw in PICTURES.items():
        text = page_svg(draw, name)
        ElementTree.fromstring(text.replace("<svg ", '<svg xmlns:xlink="http://www.w3.org/1999/xlink" ', 1))
        ids = set(re.findall(r'id="([^"]+)"', text))
        assert all(each.startswith(f"{name}-") for each in ids)
        assert {*re.findall(r"url\(#([^)]+)\)", text), *re.findall(r'href="#([^"]+)"', text)} <= ids


def test_text_stays_text_and_mixtures_stay_mixtures() -> None:
    text = page_svg(PICTURES["waste"], "w")
    assert "tool seconds per run" in text
    assert "color-mix(in srgb, #0072b2 55%, var(--paper))" in text


def test_the_same_figure_gives_the_same_text() -> None:
    assert page_svg(PICTURES["pareto"], "p") == page_svg(PICTURES["pareto"], "p")
