"""``simlab timeline``."""

import json
from pathlib import Path

import pytest

from tests.cli.calling import call

CASE = "13-background-correction"


def test_a_picture_and_both_trace_files_are_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    picture, trace, spans = (tmp_path / name for name in ("a.svg", "a.json", "o.json"))
    command = ["timeline", CASE, "--strategy", "queue,cancel", "-o", str(picture)]
    assert call(*command, "--perfetto", str(trace), "--otel", str(spans)) == 0
    assert "queue, routed by_type" in picture.read_text(encoding="utf-8")
    assert json.loads(trace.read_text(encoding="utf-8"))["traceEvents"]
    assert json.loads(spans.read_text(encoding="utf-8"))["resourceSpans"]
    out = capsys.readouterr().out
    assert "queue: 9 slices" in out
    assert str(spans) in out


def test_the_same_command_writes_the_same_bytes(tmp_path: Path) -> None:
    for name in ("a.svg", "b.svg", "c.png", "d.png"):
        assert call("timeline", CASE, "-s", "queue", "-o", str(tmp_path / name), "--theme", "dark") == 0
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()
    assert (tmp_path / "c.png").read_bytes() == (tmp_path / "d.png").read_bytes()


def test_without_any_file_named_a_picture_is_left_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert call("timeline", CASE, "-s", "queue", "--from", "2", "--to", "8") == 0
    assert [path.name for path in tmp_path.iterdir()] == ["timeline.svg"]


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["-o", "a.gif"], "--out a.gif: a picture is written as .svg or .png"),
        (["--theme", "pink"], "--theme 'pink': known: light, dark"),
        (["--from", "9", "--to", "2"], "--from 9 --to 2: the second must be later than the first"),
        (["-o", "no/such/folder/a.png"], "no/such/folder/a.png: cannot be written: No such file or directory"),
        (["--perfetto", "no/such/a.json"], "no/such/a.json: cannot be written: No such file or directory"),
    ],
)
def test_a_mistake_is_one_line(options: list[str], told: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert call("timeline", CASE, "-s", "queue", *options) == 2
    assert capsys.readouterr().err == f"simlab: {told}\n"
