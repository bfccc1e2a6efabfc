"""The published comparisons: the page says what the files say, and everything that it shows is there."""

import re
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest

from simlab.experiment.report import build_report, read_results
from tests.test_docs import blocks

RESULTS = Path(__file__).parents[1] / "results"
README = RESULTS / "README.md"
SPEC = spec_from_file_location("publish", RESULTS / "publish.py")
assert SPEC is not None
assert SPEC.loader is not None
publish = module_from_spec(SPEC)
SPEC.loader.exec_module(publish)


def test_the_page_is_fresh() -> None:
    assert README.read_text(encoding="utf-8") == publish.readme(), "run `make results`"


def test_every_link_and_picture_is_there() -> None:
    targets = re.findall(r"\]\(([^)#\s]+)", README.read_text(encoding="utf-8"))
    assert [each for each in targets if "://" not in each and not (RESULTS / each).exists()] == []
    assert len([each for each in targets if each.endswith(".png")]) == len(publish.PUBLISHED)


@pytest.mark.parametrize("name", publish.PUBLISHED)
def test_each_was_made_by_the_command_that_make_results_runs(name: str) -> None:
    makefile = (RESULTS.parent / "Makefile").read_text(encoding="utf-8")
    told = read_results(RESULTS / name).manifest
    strategies = ",".join(told["strategies"])
    assert f"-n {told['replications']}" in makefile
    assert strategies in makefile
    assert ",".join(told["routers"]) in makefile or told["routers"] == ["by_type"]
    assert told["failures"] == []


def test_a_report_of_a_published_comparison_can_be_made() -> None:
    (command,) = blocks(README, "sh")
    folder = command.split()[2]
    report = build_report(read_results(RESULTS.parent / folder), worst=0)
    assert report.parts[0].pictures
