"""``simlab compare``."""

import csv
from io import StringIO
from pathlib import Path

import pytest

from tests.cli.calling import call


def test_one_scenario_is_shown_in_detail(capsys: pytest.CaptureFixture[str]) -> None:
    assert call("compare", "05-weather-during-analysis", "--strategies", "queue,cancel") == 0
    out = capsys.readouterr().out
    rows = [line.split() for line in out.splitlines()]
    assert ["queue", "24.0", "24.0", "34.0", "2", "0", "0", "0.0", "0", "0"] in rows
    assert ["cancel", "2.0", "2.0", "44.0", "3", "0", "0", "8.0", "0", "1"] in rows
    assert "2 runs; invariants breached in none" in out


def test_several_scenarios_are_shown_as_a_matrix_and_in_total(capsys: pytest.CaptureFixture[str]) -> None:
    scenarios = ["01-email-weather", "05-weather-during-analysis"]
    assert call("compare", *scenarios, "-s", "queue,routed", "-r", "by_type,oracle") == 0
    rows = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert ["01-email-weather", "7.0", "7.0", "2.0"] in rows
    assert ["05-weather-during-analysis", "24.0", "24.0", "2.0"] in rows
    assert ["routed", "(oracle)", "2.0", "2.0", "23.0", "0", "4", "2", "0.0", "0", "0"] in rows


def test_no_cell_of_a_table_is_cut_however_narrow_the_terminal(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    assert call("compare", "worked", "-s", "queue,cancel-background,queue-first-return") == 0
    out = capsys.readouterr().out
    assert "…" not in out
    assert "02-stop-said-it-wrong-at-5500" in out


def test_a_breach_is_shown_with_a_replay_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert call("compare", "02-stop-said-it-wrong", "-s", "hard-cancel,cancel") == 0
    out = capsys.readouterr().out
    assert "2 runs; invariants breached in 1\n" in out
    assert "worked/02-stop-said-it-wrong, hard-cancel: every_call_is_closed_once [strategy]" in out
    assert "replay: simlab run worked/02-stop-said-it-wrong --strategy hard-cancel --router by_type" in out


def test_figure_and_tables_are_left_in_the_folder(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "new" / "results"
    command = ["compare", "01-email-weather", "-s", "queue,cancel", "-r", "by_type,oracle", "--out", str(out)]
    assert call(*command) == 0
    assert sorted(path.name for path in out.iterdir()) == ["comparison.csv", "comparison.md", "comparison.png"]
    rows = list(csv.DictReader(StringIO((out / "comparison.csv").read_text())))
    assert [(row["strategy"], row["router"]) for row in rows] == [
        ("queue", "by_type"),
        ("queue", "oracle"),
        ("cancel", "by_type"),
        ("cancel", "oracle"),
    ]
    assert "| cancel | 2.0 | 2.0 | 17.0 | 3 |" in (out / "comparison.md").read_text()
    assert str(out / "comparison.png") in capsys.readouterr().out


def test_equal_calls_leave_equal_files(tmp_path: Path) -> None:
    for name in ("a", "b"):
        assert call("compare", "07-a-batch", "-s", "queue,routed", "--out", str(tmp_path / name)) == 0
    for each in ("comparison.csv", "comparison.md", "comparison.png"):
        assert (tmp_path / "a" / each).read_bytes() == (tmp_path / "b" / each).read_bytes()


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["01-email-weather", "-s", "queue,quick"], "no strategy 'quick'; known: queue, "),
        (["01-email-weather", "-s", "queue", "-r", "quick"], "no router 'quick'; known: by_type, keyword"),
        (["01-email-weather", "-s", " , "], "--strategies: names at least one"),
        (["nowhere", "-s", "queue"], "nowhere: no such scenario"),
    ],
)
def test_a_wrong_name_is_told_in_one_line_and_nothing_is_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], told: str
) -> None:
    assert call("compare", *arguments, "--out", str(tmp_path / "out")) == 2
    printed = capsys.readouterr()
    assert (printed.out, printed.err.count("\n")) == ("", 1)
    assert printed.err.startswith(f"simlab: {told}")
    assert not (tmp_path / "out").exists()


def test_a_folder_that_cannot_be_written_is_told_before_anything_runs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").write_text("kept")
    assert call("compare", "01-email-weather", "-s", "queue", "--out", str(tmp_path / "file" / "out")) == 2
    printed = capsys.readouterr()
    assert (printed.out, printed.err.count("\n")) == ("", 1)
    assert "file/out: cannot be written: " in printed.err
    assert (tmp_path / "file").read_text() == "kept"
