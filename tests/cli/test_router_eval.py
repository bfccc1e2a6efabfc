"""``simlab router-eval`` from the command line."""

from pathlib import Path

import pytest

from tests.cli.calling import call

ROWS = "text,handling,predicted\nstop,cancel,cancel\nlater,queue,cancel\nwhat time is it,parallel,parallel\n"


def test_the_shipped_messages_are_measured_and_the_tables_written(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code = call("router-eval", "shipped", "-r", "keyword", "-n", "4", "--out", str(tmp_path))
    out = capsys.readouterr().out
    assert code == 0
    assert "urgent recall" in out
    assert "false-aside" in out
    text = (tmp_path / "keyword.md").read_text(encoding="utf-8")
    assert "break-even accuracy" in text
    assert "| cancel | 68 |" in text


def test_a_files_own_predictions_need_no_router(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "mine.csv"
    path.write_text(ROWS)
    assert call("router-eval", str(path), "-n", "3", "--latency-ms", "600", "--scenario", "customer-desk") == 0
    out = capsys.readouterr().out
    assert "mine: 3 messages" in out
    assert "600" in out


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["nowhere.csv"], "nowhere.csv: cannot be read"),
        (["shipped", "-r", "quick"], "no router 'quick'"),
        (["shipped", "-r", "rules", "--split", "third"], "--split 'third': no such row"),
        (["shipped"], "predicted: missing in 225 of 225 rows"),
        (["shipped", "-r", "rules", "--scenario", "nowhere"], "nowhere: no such scenario"),
    ],
)
def test_a_mistake_is_one_line(arguments: list[str], says: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert call("router-eval", *arguments) == 2
    error = capsys.readouterr().err
    assert says in error
    assert error.count("\n") == 1
