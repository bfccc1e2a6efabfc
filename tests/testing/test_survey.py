"""The survey: rows, tables, and what is said when a runtime is missing."""

import json
import platform
from pathlib import Path
from typing import Any

import pytest

from simlab.core.version import VERSION
from simlab.testing.contract import POLICIES
from simlab.testing.errors import StormError
from simlab.testing.survey import ADAPTERS, Adapter, adapters_named, as_markdown, survey, write_survey

PLAIN = ADAPTERS[0]
PUBLISHED = Path(__file__).parents[2] / "results" / "runtimes"


def test_a_row_has_its_counts_its_replay_and_what_the_real_clock_said() -> None:
    rows = list(survey(PLAIN, limit=12))
    (dangling,) = [row for row in rows if row["policy"] == "interrupt" and row["grade"] == "malformed"]
    assert (dangling["rule"], dangling["confirmed"], dangling["schedules"]) == ("dangling_tool_call", True, 12)
    assert dangling["replay"].startswith(
        "simlab storm --replay 'simlab.testing.adapters.plain:Plain/interrupt/message@"
    )
    (queue,) = [row for row in rows if row["policy"] == "queue"]
    assert queue["grade"] is None


def test_the_written_survey_is_the_same_twice(tmp_path: Path) -> None:
    for name in ("one", "two"):
        write_survey(tmp_path / name, [PLAIN], date="2026-11-30", limit=8, note=lambda _line: None)
    texts = [
        [(tmp_path / name / file).read_text() for file in ("findings.json", "findings.md")] for name in ("one", "two")
    ]
    assert texts[0] == texts[1]
    assert json.loads(texts[0][0])["date"] == "2026-11-30"
    assert json.loads(texts[0][0])["python"] == platform.python_version()
    (overview,) = [line for line in texts[0][1].splitlines() if line.startswith(f"| plain | {VERSION} |")]
    cells = overview.strip("| ").split(" | ")[2:]
    assert cells == ["4/8 malformed, loss (vague, refused)", "0/8 (refused)", "0/8 (refused)", "0/8", "6/8 malformed"]


def test_a_runtime_that_is_not_installed_names_its_extra() -> None:
    missing = Adapter("nothing", "nowhere:Nothing", "simlab-no-such-package", "1.0")
    with pytest.raises(StormError, match=r"simlab-no-such-package is not installed; pip install 'simlab\[nothing\]'"):
        list(survey(missing))


def test_adapters_are_found_by_name_and_all_are_meant_by_none() -> None:
    assert adapters_named([]) == list(ADAPTERS)
    assert adapters_named(["plain"]) == [PLAIN]
    with pytest.raises(StormError, match="no such adapter; known: plain, pydantic-ai"):
        adapters_named(["gradio"])


def published() -> dict[str, Any]:
    found: dict[str, Any] = json.loads((PUBLISHED / "findings.json").read_text())
    return found


def test_every_adapter_is_published_under_every_policy_with_every_place_of_its_pinned_release() -> None:
    rows = published()["rows"]
    assert published()["limit"] is None
    wanted = {(one.name, policy) for one in ADAPTERS for policy in POLICIES}
    assert {(row["runtime"], row["policy"]) for row in rows} == wanted
    assert all(row["schedules"] == row["places"] >= 40 for row in rows)
    releases = {(row["runtime"], row["release"]) for row in rows}
    assert releases == {(one.name, one.pinned or VERSION) for one in ADAPTERS}
    assert all(isinstance(row["confirmed"], bool) for row in rows if row["grade"] and row["fault"])


def test_the_published_tables_are_those_of_the_published_rows() -> None:
    found = published()
    assert (PUBLISHED / "findings.md").read_text() == as_markdown(found["rows"], found["date"], found["python"])


def test_the_published_rows_of_the_plain_loop_are_found_again() -> None:
    found = published()
    if found["python"].rpartition(".")[0] != platform.python_version().rpartition(".")[0]:
        pytest.skip("places are counted in iterations of the event loop, which another Python may make differently")
    again = [{**row, "confirmed": None} for row in survey(PLAIN, confirm=False)]
    assert again == [{**row, "confirmed": None} for row in found["rows"] if row["runtime"] == PLAIN.name]
