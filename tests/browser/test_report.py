"""The report as its readers meet it: in a browser, on a phone, on paper, with a keyboard, with a screen reader."""

from typing import Any

import pytest

from tests.browser.chrome import Page

TABLE = "#part-0-details-table"
ROWS = f"[...document.querySelectorAll('{TABLE} tbody tr')]"
SHOWN = f"{ROWS}.filter(row => !row.hidden)"


def typed(page: Page, selector: str, text: str) -> None:
    """Put a text into a control, as a person would."""
    page.run(
        f"(() => {{ const it = document.querySelector('{selector}'); it.value = '{text}';"
        "it.dispatchEvent(new Event('input', {bubbles: true})); })()"
    )


def column(page: Page, name: str) -> list[Any]:
    """Return the numbers of a column, in the order of the rows; nothing where there is none."""
    return list(page.run(f"{SHOWN}.map(row => row.querySelector('[data-label=\"{name}\"]').dataset.number)"))


def sort_by(page: Page, name: str) -> None:
    page.run(
        f"[...document.querySelectorAll('{TABLE} th button')].find(button => button.textContent === '{name}').click()"
    )


def test_nothing_is_said_on_the_console_and_nothing_is_asked_of_the_network(page: Page) -> None:
    said = {"Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded"}
    assert [event for event in page.events if event.get("method") in said] == []
    asked = [
        event["params"]["request"]["url"] for event in page.events if event.get("method") == "Network.requestWillBeSent"
    ]
    assert [url.partition(":")[0] for url in asked] == ["file"]


def test_the_policy_of_the_page_forbids_requests_and_other_scripts(page: Page) -> None:
    blocked = (
        "new Promise(done => { document.addEventListener('securitypolicyviolation',"
        " event => done(event.violatedDirective)); %s; setTimeout(() => done('nothing'), 3000); })"
    )
    picture = "const it = new Image(); it.src = 'https://example.invalid/a.png'; document.body.append(it)"
    script = "const it = document.createElement('script'); it.textContent = 'window.bad = 1'; document.body.append(it)"
    assert page.run(blocked % picture) == "img-src"
    assert str(page.run(blocked % script)).startswith("script-src")
    assert page.run("window.bad") is None


def test_tables_sort_by_their_heads_up_and_down(page: Page) -> None:
    sort_by(page, "value")
    up = [float(number) for number in column(page, "value") if number]
    assert up == sorted(up)
    assert len(set(up)) > 10
    sort_by(page, "value")
    down = [float(number) for number in column(page, "value") if number]
    assert down == sorted(up, reverse=True)
    assert page.run(f"document.querySelector('{TABLE} th[aria-sort]').getAttribute('aria-sort')") == "descending"
    whole = column(page, "value")
    missing = [place for place, number in enumerate(whole) if not number]
    assert missing == list(range(len(whole) - len(missing), len(whole))), "what has no number comes last"


def test_tables_filter_by_words_and_by_verdict(page: Page) -> None:
    everything = page.run(f"{SHOWN}.length")
    typed(page, f"{TABLE} input", "p90 cancel")
    some = page.run(f"{SHOWN}.map(row => row.textContent)")
    assert 0 < len(some) < everything
    assert all("p90" in text and "cancel" in text for text in some)
    assert page.run(f"document.querySelector('{TABLE} .count').textContent") == f"{len(some)} of {everything} rows"
    typed(page, f"{TABLE} input", "")
    typed(page, f"{TABLE} select", "equivalent")
    chosen = page.run(f"{SHOWN}.map(row => row.querySelector('[data-label=verdict]').dataset.value)")
    assert set(chosen) == {"equivalent"}
    typed(page, f"{TABLE} select", "")
    assert page.run(f"{SHOWN}.length") == everything


@pytest.mark.parametrize("width", [360, 412, 768, 1280])
@pytest.mark.parametrize("dark", [False, True])
def test_the_page_never_scrolls_sideways(page: Page, width: int, dark: bool) -> None:
    page.resize(width, 800, dark=dark)
    assert page.run("document.documentElement.scrollWidth") <= width
    assert page.run("innerWidth") == width


def test_the_page_follows_the_theme_and_so_do_its_pictures(page: Page) -> None:
    look = "getComputedStyle(document.querySelector('%s')).%s"
    colours = {}
    for dark in (False, True):
        page.resize(1280, 800, dark=dark)
        colours[dark] = (page.run(look % ("body", "backgroundColor")), page.run(look % ("figure svg text", "fill")))
    assert colours[False][0] == "rgb(255, 255, 255)"
    assert colours[True][0] == "rgb(21, 23, 28)"
    assert colours[False][1] != colours[True][1]


def test_every_chart_has_a_name_and_a_description_with_numbers(page: Page) -> None:
    told = page.run(
        "[...document.querySelectorAll('[role=img]')].map(it => ['labelledby', 'describedby'].map("
        "kind => document.getElementById(it.getAttribute('aria-' + kind)).textContent))"
    )
    assert len(told) > 20
    for name, description in told:
        assert name
        assert any(letter.isdigit() for letter in description), name


def test_a_keyboard_reaches_the_heads_of_tables_and_sorts(page: Page) -> None:
    page.run(f"document.querySelector('{TABLE} th button').focus()")
    page.key("Enter", 13, "\r")
    assert page.run(f"document.querySelector('{TABLE} th').getAttribute('aria-sort')") == "ascending"
    page.key("Tab", 9)
    assert page.run("document.activeElement.tagName") == "BUTTON"
    outline = page.run("getComputedStyle(document.activeElement).outlineStyle")
    assert outline == "solid"


def test_the_first_stop_of_the_keyboard_leads_to_the_report(page: Page) -> None:
    page.key("Tab", 9)
    assert page.run("document.activeElement.getAttribute('href')") == "#main"


def test_every_link_inside_leads_somewhere(page: Page) -> None:
    dead = page.run(
        "[...document.querySelectorAll('a[href^=\"#\"]')].map(a => a.getAttribute('href').slice(1))"
        ".filter(id => !document.getElementById(id))"
    )
    assert dead == []


def test_no_two_things_have_the_same_name(page: Page) -> None:
    twice = page.run(
        "(() => { const seen = new Set(), twice = []; for (const it of document.querySelectorAll('[id]'))"
        "{ if (seen.has(it.id)) twice.push(it.id); seen.add(it.id); } return twice; })()"
    )
    assert twice == []


def test_on_paper_there_are_no_controls_and_all_rows(page: Page) -> None:
    page.resize(1280, 900, dark=True, print_media=True)
    assert page.run("getComputedStyle(document.querySelector('.controls')).display") == "none"
    assert page.run("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert page.run("getComputedStyle(document.querySelector('.tall')).maxHeight") == "none"
    assert page.pdf().startswith(b"%PDF")


@pytest.mark.parametrize(("width", "dark"), [(1280, False), (360, True)])
def test_axe_finds_nothing_serious(page: Page, axe: str, width: int, dark: bool) -> None:
    page.resize(width, 900, dark=dark)
    page.run(axe + "; true")
    found = page.run(
        "axe.run({exclude: [['svg']]}, {resultTypes: ['violations']}).then(result => result.violations"
        ".map(each => [each.impact, each.id, each.nodes.slice(0, 3).map(node => node.target.join(' '))]))"
    )
    assert [each for each in found if each[0] in {"serious", "critical"}] == []


def test_axe_would_find_a_picture_without_a_name(page: Page, axe: str) -> None:
    page.run("document.querySelector('[role=img]').removeAttribute('aria-labelledby')")
    page.run(axe + "; true")
    found = page.run("axe.run(document, {runOnly: ['role-img-alt']}).then(result => result.violations.map(e => e.id))")
    assert found == ["role-img-alt"]
