"""Every sample of a saved format and every case, through the command that people use."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.check.cases import CASES, FOLDER, PATHS, Case, load
from tests.check.readers.test_samples import VERDICTS, expected, sample
from tests.cli.calling import call

KEYS = ["file", "format", "target", "mode", "valid", "findings"]
FINDING = ["rule", "severity", "index", "path", "partner", "message", "provider_error", "repair"]


def judged(capsys: pytest.CaptureFixture[str], path: Path, mode: str) -> dict[str, Any]:
    """Return the one object that ``--json`` prints for a file, after its form and the exit code were looked at."""
    code = call("check", str(path), "--mode", mode, "--json")
    printed = capsys.readouterr()
    assert printed.err == ""
    (found,) = [json.loads(line) for line in printed.out.splitlines()]
    assert list(found) == KEYS
    assert found["mode"] == mode
    assert code == (0 if found["valid"] else 1)
    for one in found["findings"]:
        assert list(one)[: len(FINDING)] == FINDING
        assert one["severity"] in ("error", "warning", "info")
    return dict(found)


@pytest.mark.parametrize("verdict", VERDICTS, ids=lambda path: path.name.removesuffix(".expect.json"))
def test_a_sample_is_judged_as_is_written_beside_it(verdict: Path, capsys: pytest.CaptureFixture[str]) -> None:
    want = expected(verdict)
    found = judged(capsys, sample(verdict), want["mode"])
    assert (found["format"], found["valid"]) == (want["format"], want["valid"])
    assert sorted({one["rule"] for one in found["findings"]}) == sorted(want["rules"])
    for item in want.get("conversations", []):
        of_it = [one for one in found["findings"] if one["conversation"] == f"line {item['line']}"]
        assert sorted({one["rule"] for one in of_it}) == sorted(item["rules"])


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_a_case_gets_both_its_verdicts(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    case = load(path)
    for mode, want in (("request", case.expect), ("strict", case.strict)):
        found = judged(capsys, path, mode)
        assert found["format"] == "case"
        assert found["valid"] == want["valid"]
        assert set(want["rules"]) <= {one["rule"] for one in found["findings"]}
        errors = {one["rule"] for one in found["findings"] if one["severity"] == "error"}
        assert errors <= set(want["rules"]) | case.accepted


def test_a_case_is_judged_as_a_request_unless_told_otherwise(capsys: pytest.CaptureFixture[str]) -> None:
    assert call("check", str(FOLDER / "an01_interrupt_dangling.json"), "--json") == 1
    assert json.loads(capsys.readouterr().out)["mode"] == "request"


@pytest.mark.parametrize("case", [case for case in CASES if not case.expect["valid"]], ids=lambda case: case.name)
def test_what_is_reported_is_repaired_by_the_command(
    case: Case, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    once, twice = tmp_path / "once.json", tmp_path / "twice.json"
    assert call("repair", str(FOLDER / f"{case.name}.json"), "-o", str(once)) == 0
    assert call("check", str(once)) == 0
    assert call("repair", str(once), "-o", str(twice)) == 0
    assert once.read_bytes() == twice.read_bytes()
    assert capsys.readouterr().err == ""
