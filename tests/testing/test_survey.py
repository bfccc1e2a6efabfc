"""The survey: rows, tables, and what is said when a runtime is missing."""

import json
from pathlib import Path

import pytest

from simlab.testing.errors import StormError
from simlab.testing.survey import ADAPTERS, Adapter, adapters_named, survey, write_survey

PLAIN = ADAPTERS[0]


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
    assert "| plain |  | 4/8 malformed" in texts[0][1]


def test_a_runtime_that_is_not_installed_names_its_extra() -> None:
    missing = Adapter("nothing", "nowhere:Nothing", "simlab-no-such-package", "1.0")
    with pytest.raises(StormError, match=r"simlab-no-such-package is not installed; pip install 'simlab\[nothing\]'"):
        list(survey(missing))


def test_adapters_are_found_by_name_and_all_are_meant_by_none() -> None:
    assert adapters_named([]) == list(ADAPTERS)
    assert adapters_named(["plain"]) == [PLAIN]
    with pytest.raises(StormError, match="no such adapter; known: plain, pydantic-ai"):
        adapters_named(["gradio"])
