"""The command as a whole: quick to help, one line for a mistake."""

import os
import re
import subprocess
import sys
from collections.abc import Mapping
from typing import Any

import pytest
import typer

from simlab import __version__
from simlab.cli import app
from tests.cli.calling import call

HEAVY = ("numpy", "simpy", "pandas", "matplotlib", "scipy", "pyarrow", "pydantic")
HELP = """
import sys
from simlab.cli import main
sys.argv = ["simlab", "--help"]
try:
    main()
except SystemExit:
    """


def test_help_imports_none_of_the_heavy_libraries() -> None:
    script = HELP + f"print([name for name in {HEAVY} if name in sys.modules], file=sys.stderr)"
    child = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert "compare" in child.stdout
    assert child.stderr.strip() == "[]"


def test_help_takes_less_than_300_ms_of_processor_time() -> None:
    taken = []
    for _ in range(3):
        before = os.times()
        subprocess.run([sys.executable, "-c", HELP + "pass"], capture_output=True, check=True)
        after = os.times()
        taken.append(after.children_user + after.children_system - before.children_user - before.children_system)
    assert min(taken) < 0.3


def test_the_version_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    assert call("--version") == 0
    assert capsys.readouterr().out == f"simlab {__version__}\n"


def test_without_a_command_help_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    assert call() == 0
    assert "Usage" in capsys.readouterr().out


COMMANDS: Mapping[str, Any] = typer.main.get_command(app).commands  # type: ignore[attr-defined]


@pytest.mark.parametrize("name", COMMANDS)
def test_no_help_text_loses_what_stands_in_brackets(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    """A formatter that takes "[default: all cores]" for markup leaves it out."""
    command = COMMANDS[name]
    texts = [command.help, *(getattr(each, "help", None) for each in command.params)]
    wanted = [re.sub(r"\W+", " ", each) for text in texts if text for each in re.findall(r"\[[^\]]+\]", text)]
    assert call(name, "--help") == 0
    shown = re.sub(r"\W+", " ", capsys.readouterr().out)
    assert [each for each in wanted if each.strip() not in shown] == []


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["runn"], "No such command 'runn'."),
        (["run", "01-email-weather"], "Missing option '--strategy'"),
        (["run", "01-email-weather", "-s", "queue", "--seed", "x"], "Invalid value for '--seed'"),
        (["run", "01-email-weather", "-s", "queue", "--speed", "1"], "No such option"),
        (["compare", "01-email-weather", "-s", "queue", "-j", "0"], "Invalid value for '--jobs' / '-j'"),
        (["compare", "stress", "-s", "queue,cancel", "--margin", "nan"], "--margin nan: expected a share"),
        (["report", "results/chat-ops-routers", "--margin", "-1"], "--margin -1: expected a share"),
        (["fuzz", "-s", "queue", "-n", "0"], "Invalid value for '--runs' / '-n'"),
        (["fuzz", "-s", "queue", "-m", "0"], "Invalid value for '--minutes' / '-m'"),
        (["rerun", "x", "--chunks", "0"], "Invalid value for '--chunks'"),
        (["timeline", "01-email-weather", "-s", "queue", "--from", "nan"], "--from nan: expected seconds from 0 up"),
        (["timeline", "01-email-weather", "-s", "queue", "--to", "inf"], "--to inf: expected seconds from 0 up"),
    ],
)
def test_a_wrong_call_is_told_in_one_line(arguments: list[str], told: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert call(*arguments) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith(f"simlab: {told}")
    assert printed.err.count("\n") == 1


def test_the_module_is_the_command() -> None:
    child = subprocess.run([sys.executable, "-m", "simlab", "--version"], capture_output=True, text=True, check=True)
    assert child.stdout == f"simlab {__version__}\n"
