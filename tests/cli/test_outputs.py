"""Whatever a command writes: a place that cannot be written is told in one line, and before the work is done."""

from pathlib import Path

import pytest
import typer

from simlab.cli import app
from tests.cli.calling import call

PLACES = {"out", "pairs", "perfetto", "otel"}
SWEEP = 'scenarios = ["01-email-weather"]\nstrategies = ["queue"]\nreplications = 2\n'

CALLS = {
    "compare": ("01-email-weather", "-s", "queue", "--out"),
    "phase": ("01-email-weather", "-s", "queue", "--event", "U2", "--out"),
    "run": ("01-email-weather", "-s", "queue", "--dialect", "anthropic", "-o"),
    "map": (
        *("coding-assistant", "-s", "queue,cancel", "--x", "hazards.fabricate=0,1", "--y", "hazards.forget=0,1"),
        *("--metric", "main_calls", "-n", "2", "--out"),
    ),
    "timeline": ("01-email-weather", "-s", "queue", "--perfetto"),
    "router-eval": ("shipped", "-r", "rules", "-n", "2", "--out"),
    "league": ("payments", "-s", "queue,cancel", "-n", "2", "--out"),
    "sweep": ("{sweep}", "--out"),
    "fuzz": ("-s", "queue", "--runs", "2", "--out"),
    "runtimes": ("plain", "--limit", "2", "--out"),
    "report": ("{results}", "-o"),
    "repair": ("{case}", "-o"),
}


def test_every_command_that_writes_is_called() -> None:
    commands = typer.main.get_command(app).commands  # type: ignore[attr-defined]
    writing = {name for name, each in commands.items() if PLACES & {option.name for option in each.params}}
    assert writing == set(CALLS)


@pytest.fixture(scope="module")
def inputs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Make what some commands read; return the places by name."""
    folder = tmp_path_factory.mktemp("inputs")
    places = {name: str(folder / name) for name in ("sweep", "results", "case")}
    Path(places["sweep"]).write_text(SWEEP, encoding="utf-8")
    call("compare", "01-email-weather", "-s", "queue,cancel", "-n", "2", "--out", places["results"])
    call("run", "01-email-weather", "-s", "hard-cancel", "--dialect", "anthropic", "-o", places["case"])
    return places


@pytest.mark.parametrize("name", CALLS)
def test_a_place_that_cannot_be_written_is_told_in_one_line(
    name: str, inputs: dict[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").touch()
    capsys.readouterr()
    wanted = [each.format(**inputs) for each in CALLS[name]]
    assert call(name, *wanted, str(tmp_path / "file" / "it.svg")) == 2
    told = capsys.readouterr().err
    assert told.startswith("simlab: ")
    assert "cannot be written" in told
    assert told.count("\n") == 1
