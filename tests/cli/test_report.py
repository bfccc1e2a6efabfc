"""``simlab report``."""

from pathlib import Path

import pytest

from tests.cli.calling import call


def test_a_page_is_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder, out = tmp_path / "results", tmp_path / "report.html"
    assert call("compare", "02-stop-said-it-wrong", "-s", "queue,cancel", "-n", "2", "--out", str(folder)) == 0
    assert call("report", str(folder), "-o", str(out)) == 0
    text = out.read_text(encoding="utf-8")
    assert text.startswith("<!DOCTYPE html>")
    assert "simlab compare 02-stop-said-it-wrong -s queue,cancel -n 2" in text
    assert f"written: {out}" in capsys.readouterr().out


def test_mistakes_are_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert call("report", str(tmp_path)) == 2
    assert capsys.readouterr().err.startswith(f"simlab: {tmp_path}: no manifest.json in it; make results with ")
    folder = tmp_path / "results"
    assert call("compare", "02-stop-said-it-wrong", "-s", "queue,cancel", "-n", "2", "--out", str(folder)) == 0
    assert call("report", str(folder), "--baseline", "parallel") == 2
    assert call("report", str(folder), "-o", str(tmp_path / "no" / "a.html")) == 2
    told = capsys.readouterr().err.splitlines()
    assert told[0] == "simlab: --baseline 'parallel': not among the arms: queue, cancel"
    assert told[1].endswith("a.html: cannot be written: No such file or directory")
