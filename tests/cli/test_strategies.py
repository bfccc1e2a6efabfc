"""``simlab strategies`` and ``simlab axes``."""

import pytest

from simlab.strategies import STRATEGIES
from simlab.strategies.points import POINTS
from tests.cli.calling import call


def test_every_strategy_is_shown_with_what_it_declares(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    assert call("strategies") == 0
    out = capsys.readouterr().out
    assert all(f" {name} " in out for name in STRATEGIES)
    row = next(line for line in out.splitlines() if " langgraph-rollback " in line)
    assert "Any event cancels the run" in row
    assert "rewinds history" in row


def test_every_point_is_shown_with_its_switches(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "250")
    assert call("strategies", "--axes") == 0
    lines = capsys.readouterr().out.splitlines()
    assert all(any(f" {name} " in line for line in lines) for name in POINTS)
    row = next(line for line in lines if " langgraph-reject " in line)
    assert "drain_at: nowhere" in row
    assert "cap: 0" in row


def test_axes_reports_differences_with_limits_and_what_has_no_effect(capsys: pytest.CaptureFixture[str]) -> None:
    assert call("axes", "chat-ops", "-n", "2", "--only", "cap,on_model") == 0
    out = capsys.readouterr().out
    assert "one switch at a time from queue, routed by_type, 2 replications, seed 0" in out
    assert "model calls (base" in out
    assert "on_model = cancel, discard, on_model = cancel, keep partial" in out  # a queue stops nothing


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--base", "quick"), "no policy 'quick' in the space"),
        (("--only", "speed"), "no axis 'speed'"),
        (("--router", "psychic"), "no router 'psychic'"),
        (("-n", "1"), "replications: 1; an interval needs at least 2"),
    ],
)
def test_a_mistake_is_told_in_one_line(
    arguments: tuple[str, ...], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert call("axes", "chat-ops", *arguments) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1
