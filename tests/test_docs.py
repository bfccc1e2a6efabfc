"""The documentation is true: examples run, links lead somewhere, generated parts are fresh."""

import re
import shlex
from pathlib import Path

import pytest

from docs import make_routing_table, make_speed
from docs.between_marks import shown
from simlab.analysis.outcome import Outcome
from simlab.analysis.tables import csv_text, detail, matrix, totals
from simlab.experiment.comparison import cells, merge_routers, run_all
from simlab.experiment.routing import find_router
from simlab.experiment.scenario import load_scenarios, read_scenario
from tests.cli.calling import call

ROOT = Path(__file__).parents[1]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
RESULTS = ROOT / "results" / "first-comparison"


def name_of(path: Path) -> str:
    return str(path.relative_to(ROOT))


def blocks(page: Path, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_relative_link_leads_to_a_file(page: Path) -> None:
    targets = re.findall(r"\]\(([^)#\s]+)", page.read_text(encoding="utf-8"))
    missing = [each for each in targets if "://" not in each and not (page.parent / each).exists()]
    assert missing == []


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_python_block_runs(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    for block in blocks(page, "python"):
        if name := re.match(r"# (\w+\.py)\n", block):  # a page that says "save it as ..." imports it later
            (tmp_path / name[1]).write_text(block, encoding="utf-8")
        exec(compile(block, str(page), "exec"), {"__name__": "example"})


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_toml_block_is_a_scenario_or_a_router(page: Path, tmp_path: Path) -> None:
    for block in blocks(page, "toml"):
        path = tmp_path / "example.toml"
        path.write_text(block, encoding="utf-8")
        if block.startswith("kind ="):
            assert find_router(str(path)).name == str(path)
        else:
            assert read_scenario(path).title


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_simlab_command_in_a_page_works(page: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for block in blocks(page, "sh"):
        for command in re.findall(r"^(?:\.venv/bin/)?simlab (.*)$", block, re.MULTILINE):
            assert call(*shlex.split(command, comments=True)) == 0, command
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_every_target_of_make_in_a_page_exists(page: Path) -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for target in re.findall(r"`make (\w+)`|^make (\w+)", page.read_text(encoding="utf-8"), re.MULTILINE):
        assert re.search(rf"^{target[0] or target[1]}:", makefile, re.MULTILINE), target


@pytest.fixture(scope="module")
def outcomes() -> list[Outcome]:
    """Run what `make demo` runs, as the Makefile says it."""
    command = (ROOT / "Makefile").read_text(encoding="utf-8").replace("\\\n", " ")
    options = re.search(r"simlab compare worked --strategies (\S+)\s+--routers (\S+) --out (\S+)", command)
    assert options is not None
    assert ROOT / options[3] == RESULTS
    todo = cells(load_scenarios(["worked"]), options[1].split(","), options[2].split(","))
    return [result.outcome for result in run_all(todo)]


def test_the_results_of_the_demo_are_fresh(outcomes: list[Outcome]) -> None:
    assert (RESULTS / "comparison.csv").read_text(encoding="utf-8") == csv_text(outcomes), "run `make demo`"
    merged = merge_routers(outcomes)
    scenarios = dict.fromkeys(each.scenario for each in outcomes)
    tables = [totals(merged), matrix(merged), *(detail(name, merged) for name in scenarios)]
    told = "\n".join(table.markdown() for table in tables)
    assert (RESULTS / "comparison.md").read_text(encoding="utf-8") == told, "run `make demo`"


def test_the_first_table_of_the_readme_is_fresh(outcomes: list[Outcome]) -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    shown = re.search(r"<!-- first table: .*? -->\n(.*?)<!-- end of first table -->", text, re.DOTALL)
    assert shown is not None
    assert shown[1] == totals(merge_routers(outcomes)).markdown()


def test_the_routing_table_of_the_readme_is_that_of_the_published_comparison() -> None:
    made = make_routing_table
    assert shown(made.README, made.MARKS) == made.table()


def test_the_figures_of_speed_are_those_of_the_record() -> None:
    assert shown(make_speed.PAGE, make_speed.MARKS) == make_speed.figures()
