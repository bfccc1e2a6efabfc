"""A page of a real report in a real browser. Skipped where there is none, unless SIMLAB_NEEDS_BROWSER is set."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.browser.chrome import Page, browser, find_browser
from tests.cli.calling import call

ROOT = Path(__file__).parents[2]
AXE = ROOT / ".browser" / "node_modules" / "axe-core" / "axe.min.js"


def _missing(what: str) -> None:
    """Skip, or fail where the browser's tests must run."""
    if os.environ.get("SIMLAB_NEEDS_BROWSER"):
        pytest.fail(what)
    pytest.skip(what)


@pytest.fixture(scope="session")
def report(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a report as users do: two scenarios, one of which breaks an invariant, and variants."""
    folder = tmp_path_factory.mktemp("results")
    scenarios = ["coding-assistant", "02-stop-said-it-wrong"]
    options = ["-s", "queue,cancel,hard-cancel", "-n", "8", "--tool-cap", "120"]
    assert call("compare", *scenarios, *options, "--out", str(folder)) in {0, 1}
    path = folder / "report.html"
    assert call("report", str(folder), "-o", str(path)) == 0
    return path


@pytest.fixture(scope="session")
def tab() -> Iterator[Page]:
    """Start the browser once."""
    path = find_browser()
    if path is None:
        _missing("no Chromium: `apt-get install chromium` (or Chrome) lets this test run")
    assert path is not None
    with browser(path) as page:
        yield page


@pytest.fixture
def page(tab: Page, report: Path) -> Page:
    """Open the report in a desktop's window."""
    tab.resize(1280, 900)
    tab.open(report)
    return tab


@pytest.fixture
def axe() -> str:
    """Return the accessibility checker."""
    if not AXE.is_file():
        _missing("no axe-core: `make browser` installs it with npm")
    return AXE.read_text(encoding="utf-8")
