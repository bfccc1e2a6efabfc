"""The commands, on case files."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from simlab.cli import app, main
from tests.check.cases import FOLDER
from tests.dialects.planted import call, calls, says, tool, user

BROKEN = {"dialect": "openai_chat", "messages": [user(), calls(call()), user("Stop.")]}
FINE = {"dialect": "openai_chat", "messages": [user(), calls(call()), tool(), user("More."), says()]}
TAIL = {"dialect": "openai_chat", "messages": [user(), calls(call())]}


def saved(folder: Path, *cases: dict[str, Any], name: str = "log.json") -> str:
    path = folder / name
    path.write_text("\n".join(json.dumps(case) for case in cases), encoding="utf-8")
    return str(path)


def run(*arguments: str) -> Result:
    return CliRunner().invoke(app, list(arguments))


def test_check_says_well_formed_and_exits_with_0(tmp_path: Path) -> None:
    done = run("check", saved(tmp_path, FINE))

    assert (done.exit_code, "well formed for openai_chat" in done.stdout) == (0, True)


def test_check_reports_findings_and_exits_with_1(tmp_path: Path) -> None:
    done = run("check", saved(tmp_path, BROKEN))

    assert done.exit_code == 1
    assert "dangling_tool_call at messages[1].tool_calls[0]" in done.stdout


def test_check_goes_on_behind_a_file_that_cannot_be_read_and_exits_with_2(tmp_path: Path) -> None:
    done = run("check", str(tmp_path / "none.json"), saved(tmp_path, BROKEN))

    assert done.exit_code == 2
    assert "dangling_tool_call" in done.stdout
    assert len(done.stderr.splitlines()) == 1


def test_check_judges_for_every_target_that_is_named(tmp_path: Path) -> None:
    done = run("check", saved(tmp_path, FINE), "--target", "openai_chat, mistral,bedrock", "--json")

    objects = [json.loads(line) for line in done.stdout.splitlines()]
    assert [(one["target"], one["valid"]) for one in objects] == [
        ("openai_chat", True),
        ("mistral", False),
        ("bedrock", False),
    ]
    assert done.exit_code == 1


@pytest.mark.parametrize(("mode", "code"), [("recording", 0), ("request", 1), ("strict", 1)])
def test_an_open_tail_depends_on_the_mode(tmp_path: Path, mode: str, code: int) -> None:
    assert run("check", saved(tmp_path, TAIL), "--mode", mode).exit_code == code


def test_an_unknown_target_is_told_in_one_line_and_exits_with_2(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["simlab", "check", saved(tmp_path, FINE), "--target", "gpt"])

    with pytest.raises(SystemExit) as left:
        main()

    assert left.value.code == 2
    assert capsys.readouterr().err == (
        "simlab: --target: no dialect 'gpt'; "
        "known: openai_chat, openai_responses, anthropic, gemini, bedrock, mistral, compatible\n"
    )


def test_check_writes_one_sarif_log(tmp_path: Path) -> None:
    done = run("check", saved(tmp_path, BROKEN), saved(tmp_path, FINE, name="fine.json"), "--sarif")

    log = json.loads(done.stdout)
    assert [one["ruleId"] for one in log["runs"][0]["results"]] == ["dangling_tool_call"]


def test_ground_truth_in_a_case_is_judged_in_strict_mode() -> None:
    done = run("check", str(FOLDER / "oc27_tool_started_after_cancel.json"), "--mode", "strict", "--json")

    (one,) = [json.loads(line) for line in done.stdout.splitlines()]
    assert [found["rule"] for found in one["findings"]] == ["execution_after_cancel"]


def test_explain_maps_an_error_to_rule_cause_and_fix() -> None:
    done = run("explain", "No tool output found for function call call_X1.")

    assert done.exit_code == 0
    assert done.stdout.startswith("dangling_tool_call (openai_responses, call_X1)\n")
    assert "  fix: Close the call" in done.stdout


def test_explain_reads_from_standard_input_and_writes_json() -> None:
    done = CliRunner().invoke(app, ["explain", "-", "--json"], input='messages: first message must use the "user" role')

    assert json.loads(done.stdout)["rule"] == "first_message_role"


def test_explain_of_an_unknown_text_exits_with_1() -> None:
    done = run("explain", "It does not work.")

    assert (done.exit_code, done.stdout) == (1, "")


def test_repair_writes_a_copy_that_passes_and_says_what_the_model_would_believe(tmp_path: Path) -> None:
    log, out = saved(tmp_path, BROKEN), tmp_path / "out.json"
    before = Path(log).read_bytes()

    done = run("repair", log, "-o", str(out))

    assert done.exit_code == 0
    assert "close: message 1: call 'c1' gets the result" in done.stdout
    assert "the model would believe:" in done.stdout
    assert Path(log).read_bytes() == before
    assert json.loads(out.read_text())["messages"][2]["role"] == "tool"


def test_repairing_twice_changes_nothing(tmp_path: Path) -> None:
    once, twice = tmp_path / "once.json", tmp_path / "twice.json"
    run("repair", saved(tmp_path, BROKEN, FINE), "-o", str(once), "--target", "mistral")

    done = run("repair", str(once), "-o", str(twice), "--target", "mistral")

    assert once.read_text() == twice.read_text()
    assert [line.endswith(" 0 steps for mistral") for line in done.stdout.splitlines()] == [True, True]


def test_repair_never_overwrites_its_file(tmp_path: Path) -> None:
    log = saved(tmp_path, BROKEN)

    done = run("repair", log, "-o", log)

    assert done.exit_code != 0
    assert "name another one with -o" in str(done.exception)
    assert json.loads(Path(log).read_text()) == BROKEN


def test_cuts_lists_the_indexes(tmp_path: Path) -> None:
    done = run("cuts", saved(tmp_path, FINE))

    assert done.stdout.splitlines()[-1].endswith(": 1 3 4")


def test_cuts_for_another_target_are_indexes_of_the_file(tmp_path: Path) -> None:
    done = run("cuts", saved(tmp_path, FINE), "--target", "anthropic")

    assert done.stdout.splitlines()[-1].endswith(": 3")


def test_only_one_target_can_be_repaired_for(tmp_path: Path) -> None:
    done = run("repair", saved(tmp_path, FINE), "-o", str(tmp_path / "o.json"), "--target", "mistral,gemini")

    assert "one dialect at a time" in str(done.exception)
