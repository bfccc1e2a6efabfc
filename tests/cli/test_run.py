"""``simlab run``, ``simlab list`` and ``simlab schema``."""

from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from simlab.dialects.registry import DIALECTS
from simlab.experiment.scenario import load_scenario, schema_text, shipped_scenarios
from simlab.routers import ROUTERS
from simlab.strategies import STRATEGIES
from tests.cli.calling import call

GOOD = """
title = "T"
description = "D"
[[events]]
id = "U1"
at_ms = 0
type = "user.input"
intent = { kind = "request" }
"""


def one_line(capsys: pytest.CaptureFixture[str]) -> str:
    """Return what was said on standard error: one line, with nothing on standard output."""
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.count("\n") == 1
    return printed.err.removeprefix("simlab: ").rstrip("\n")


def test_a_run_is_told_with_timeline_trajectory_ledger_events_and_calls(capsys: pytest.CaptureFixture[str]) -> None:
    assert call("run", "02-stop-said-it-wrong-at-5500", "--strategy", "cancel", "--seed", "4") == 0
    printed = capsys.readouterr()
    assert printed.err == ""
    lines = printed.out.splitlines()
    assert lines[0] == (
        "Stop, I said it wrong, too late (worked/02-stop-said-it-wrong-at-5500): cancel, routed by_type, seed 4, "
        "replication 0"
    )
    for line in (
        "  5,000  c1     takes effect in the world (mistaken)",
        "  5,500  c1     has stopped: cancelled after it took effect",
        "  U1 A[c1] P(c1 cancelled after it took effect) U2 A",
        "  c1    send_email  U1    send  cancelled    2,000    5,500        5,000",
        "  U2     correct    5,500   5,500     5,500         7,500     7,500",
        "     2  5,500  7,500  a message          0               0         100      0.0000",
        "  ended by itself at 7,500 ms",
        "  no breaches",
    ):
        assert line in lines


def test_a_breach_is_shown_with_blame_and_a_command_that_replays_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert call("run", "02-stop-said-it-wrong", "-s", "hard-cancel", "--seed", "5") == 0
    out = capsys.readouterr().out
    assert "every_call_is_closed_once [strategy] at 4,000 ms (message 1, call c1)" in out
    replay = "simlab run worked/02-stop-said-it-wrong --strategy hard-cancel --router by_type --seed 5 --replication 0"
    assert f"replay: {replay}" in out
    assert call(*replay.split()[1:]) == 0
    assert capsys.readouterr().out == out


def test_a_run_cut_at_the_horizon_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "mine.toml"
    path.write_text("horizon_ms = 900" + GOOD)
    assert call("run", str(path), "-s", "queue") == 0
    out = capsys.readouterr().out
    assert "cut at the horizon, 900 ms" in out
    assert "Ledger: what tools really did (ms)\n  none\n" in out


def test_the_list_names_everything_once(capsys: pytest.CaptureFixture[str]) -> None:
    assert call("list") == 0
    names = [line.split()[0] for line in capsys.readouterr().out.splitlines() if line.startswith("  ")]
    assert names == [*shipped_scenarios(), *STRATEGIES.names(), *ROUTERS.names()]


def test_a_broken_plug_in_does_not_break_the_list(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    point = EntryPoint("broken", "simlab.nowhere:Thing", "simlab.strategies")
    monkeypatch.setattr(STRATEGIES, "_installed", lambda: {"broken": point})
    assert call("list") == 0
    words = " ".join(capsys.readouterr().out.split())
    assert "broken cannot be used: strategy 'broken' (simlab.nowhere:Thing)" in words


def test_the_schema_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert call("schema") == 0
    assert capsys.readouterr().out == schema_text()


# --- bad input --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (GOOD + "speed = 1\n", "events[0].speed: unknown key; allowed: id, type, intent,"),
        (GOOD.replace("at_ms = 0", "at_ms = -1"), "events[0].at_ms: must be greater than or equal to 0, not -1"),
        (
            GOOD + '[tools.t]\n[[plans.p.steps]]\nid = "a"\ntool = "t"\nneeds = ["a"]\n',
            "plans.p.steps: a cycle: a -> a",
        ),
    ],
)
@pytest.mark.parametrize("command", ["run", "compare"])
def test_a_bad_scenario_is_told_in_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], command: str, text: str, told: str
) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(text)
    strategy = "--strategy" if command == "run" else "--strategies"
    assert call(command, str(path), strategy, "queue") == 2
    assert one_line(capsys).startswith(f"{path}: {told}")
    assert [each.name for each in tmp_path.iterdir()] == ["mine.toml"]


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["run", "missing.toml", "-s", "queue"], "missing.toml: no such scenario, neither a file nor a name"),
        (["run", "01-email-weather", "-s", "quick"], "no strategy 'quick'; known: queue, "),
        (["run", "01-email-weather", "-s", "queue", "-r", "quick"], "no router 'quick'; known: by_type, keyword"),
        (["run", "01-email-weather", "-s", "queue", "--seed", "-1"], "seed: must be a whole number from 0 up, not -1"),
        (["run", "worked", "-s", "queue"], "worked: a folder of "),
    ],
)
def test_a_name_that_leads_nowhere_is_told_in_one_line(
    capsys: pytest.CaptureFixture[str], arguments: list[str], told: str
) -> None:
    assert call(*arguments) == 2
    assert one_line(capsys).startswith(told)


@pytest.mark.parametrize(
    ("plug_in", "told"),
    [
        ("Raises", "strategy 'raises': on_event: raised ZeroDivisionError('no idea') for event 'U1'"),
        (
            "Nonsense",
            "strategy 'nonsense': on_event: returned 'later'; a decision or a sequence of decisions is",
        ),
    ],
)
@pytest.mark.parametrize("command", ["run", "compare"])
def test_a_strategy_that_raises_or_returns_nonsense_is_named(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    command: str,
    plug_in: str,
    told: str,
) -> None:
    point = EntryPoint("mine", f"tests.strategies_for_tests:{plug_in}", "simlab.strategies")
    monkeypatch.setattr(STRATEGIES, "_installed", lambda: {"mine": point})
    out = tmp_path / "out"
    rest = ["-s", "mine"] if command == "run" else ["-s", "queue,mine", "--out", str(out)]
    assert call(command, str(load_scenario("01-email-weather").path), *rest) == 2
    assert one_line(capsys).startswith(told)
    assert not out.exists()


@pytest.mark.parametrize("dialect", DIALECTS)
def test_the_last_request_of_a_run_is_written_in_a_dialect_and_passes_its_check(
    dialect: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "request.json"
    where = ("run", "02-stop-said-it-wrong", "-s", "cancel-background", "--dialect", dialect)
    assert call(*where, "-o", str(path)) == 0
    assert call(*where) == 0
    assert capsys.readouterr().out == path.read_text(encoding="utf-8")
    assert call("check", str(path)) == 0
    assert call("check", str(path), "--mode", "strict") == 0


def test_a_request_with_an_open_call_is_refused_by_its_check(tmp_path: Path) -> None:
    path = tmp_path / "request.json"
    assert call("run", "02-stop-said-it-wrong", "-s", "hard-cancel", "--dialect", "anthropic", "-o", str(path)) == 0
    assert call("check", str(path)) == 1


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--dialect", "morse"], "no dialect 'morse'; known: openai_chat"),
        (["-o", "x.json"], "-o: names the file for a request; say with --dialect in which wire format"),
        (["--dialect", "gemini", "-o", "/nowhere/x.json"], "/nowhere/x.json: cannot be written: No such file"),
    ],
)
def test_a_request_that_cannot_be_written_is_refused_in_one_line(
    arguments: list[str], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call("run", "02-stop-said-it-wrong", "-s", "cancel", *arguments) == 2
    assert one_line(capsys).startswith(told)
