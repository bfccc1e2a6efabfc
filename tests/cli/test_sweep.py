"""``simlab sweep``, ``best``, ``query`` and ``rerun`` as a user meets them."""

from pathlib import Path

import pytest

from tests.cli.calling import call
from tests.experiment.sweeps import TINY, design_file


def test_a_sweep_is_made_asked_and_made_again(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    design, out = str(design_file(tmp_path)), str(tmp_path / "x")
    assert call("sweep", design, "--out", out, "--jobs", "1") == 0
    assert capsys.readouterr().out.splitlines() == [
        f"6 chunks made, 0 found; 48 runs in {out}, complete",
        "0 runs failed, 0 breaches of invariants",
    ]
    assert call("sweep", design, "--out", out, "--jobs", "1") == 0
    assert capsys.readouterr().out.startswith("0 chunks made, 6 found; 48 runs")
    assert call("query", out, "SELECT strategy, count(*) AS runs FROM runs GROUP BY ALL ORDER BY ALL") == 0
    assert [line.split() for line in capsys.readouterr().out.splitlines()] == [
        ["strategy", "runs"],
        ["cancel", "24"],
        ["queue", "24"],
    ]
    assert call("query", out, "SELECT 1 AS a, 'b,c' AS d", "--csv") == 0
    assert capsys.readouterr().out == 'a,d\n1,"b,c"\n'
    assert call("rerun", out, "--jobs", "1", "--chunks", "2") == 0
    assert capsys.readouterr().out == "2 chunks made again: the same bytes\n"


def test_a_difference_is_an_account_and_exit_code_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    design, out = str(design_file(tmp_path)), str(tmp_path / "x")
    assert call("sweep", design, "--out", out, "--jobs", "1") == 0
    monkeypatch.setattr("simlab.analysis.metrics.overtakes", lambda _record: 7)
    capsys.readouterr()
    assert call("rerun", out, "--jobs", "1") == 1
    told = capsys.readouterr().out.splitlines()
    assert told[0] == "6 of 6 chunks made again differ"
    assert told[1] == "  runs 00000-00000: 8 rows now, 8 then; differing: overtakes in 8"


def test_shards_say_that_the_rest_is_missing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    design, out = str(design_file(tmp_path)), str(tmp_path / "x")
    assert call("sweep", design, "--out", out, "--jobs", "1", "--shard", "1/2") == 0
    assert "3 chunks made, 0 found; 24 runs" in (told := capsys.readouterr().out)
    assert "not complete" in told
    assert call("query", out, "SELECT 1") == 2
    assert "start it again with the same command" in capsys.readouterr().err


def test_the_best_is_named_with_its_probability(capsys: pytest.CaptureFixture[str]) -> None:
    options = ("--metric", "main_calls", "--indifference", "0.3", "--jobs", "1")
    assert call("best", str(TINY), "--strategies", "queue,cancel", *options) == 0
    told = capsys.readouterr().out.splitlines()
    assert told[0].split()[0] == "strategy"
    assert told[-1].startswith("best: queue (")
    assert "With probability 0.95" in told[-1]


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("sweep", "none.toml"), "none.toml: cannot be read: No such file"),
        (("sweep", "{design}", "--shard", "3/2"), "--shard '3/2': k/N is expected"),
        (("sweep", "{design}", "--jobs", "0"), "--jobs 0: at least 1"),
        (("sweep", "{design}", "--backend", "moon"), "--backend 'moon': known: serial, processes, dask"),
        (("query", "nowhere", "SELECT 1"), "nowhere: holds no results"),
        (("rerun", "nowhere"), "nowhere: holds no complete sweep"),
        (("best", str(TINY), "-s", "queue", "-m", "tasks", "--indifference", "1"), "needs at least two"),
        (("best", str(TINY), "-s", "queue,cancel", "-m", "tasks", "--indifference", "0"), "--indifference 0: expected"),
        (("best", str(TINY), "-s", "a,b", "-m", "tasks", "--indifference", "nan"), "--indifference nan: expected"),
        (
            ("best", str(TINY), "-s", "a,b", "-m", "tasks", "--indifference", "1", "--confidence", "1"),
            "--confidence 1: expected a probability between 0.5 and 1",
        ),
        (("best", str(TINY), "-s", "queue,cancel", "-m", "task", "--indifference", "1", "-j", "1"), "no metric 'task'"),
    ],
)
def test_a_mistake_is_one_line_and_exit_code_two(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: tuple[str, ...],
    told: str,
) -> None:
    design = design_file(tmp_path)
    monkeypatch.chdir(tmp_path)
    assert call(*(word.format(design=design) for word in arguments)) == 2
    error = capsys.readouterr().err
    assert told in error
    assert error.count("\n") == 1
