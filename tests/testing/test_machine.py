"""One line tests a plug-in against every legal order of inputs."""

from pathlib import Path

import pytest

from simlab.strategies import STRATEGIES
from simlab.testing.cases import load_case, replay
from simlab.testing.machine import StrategyFailure, check_strategy
from tests.planted.catalogue import BY_NAME
from tests.planted.strategies import HasMoods, LeavesCallsOpen

CHECKED = ("queue", "cancel", "routed", "pi-v1-steer-seq", "openclaw-collect")


@pytest.mark.parametrize("name", CHECKED)
def test_a_shipped_strategy_passes(name: str, tmp_path: Path) -> None:
    check_strategy(lambda: STRATEGIES.get(name), examples=25, folder=tmp_path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.nightly
@pytest.mark.parametrize("name", [name for name in STRATEGIES.names() if "hard" not in name])
def test_every_shipped_strategy_passes_a_long_search(name: str, tmp_path: Path) -> None:
    if name != "langgraph-interrupt":
        check_strategy(lambda: STRATEGIES.get(name), examples=1_000, folder=tmp_path)


def test_a_failure_is_told_with_its_smallest_schedule_and_the_command_that_replays_it(tmp_path: Path) -> None:
    with pytest.raises(StrategyFailure) as raised:
        check_strategy(LeavesCallsOpen, folder=tmp_path)
    told = str(raised.value)
    (path,) = tmp_path.iterdir()
    assert "every_call_is_closed_once [strategy]" in told
    assert "U1 arrives user.input from user\nU1 is-routed queue\n" in told
    assert told.endswith(f"replay: simlab replay {path}")
    case = load_case(path)
    assert case.strategy == "tests.planted.strategies:LeavesCallsOpen"
    _, found = replay(case)
    assert case.found in {each.name for each in found}
    assert case.what in told


def test_a_strategy_that_depends_on_other_runs_is_caught(tmp_path: Path) -> None:
    with pytest.raises(StrategyFailure, match="a_run_repeats_itself"):
        check_strategy(HasMoods, folder=tmp_path)


@pytest.mark.parametrize("name", ["raises", "talks-nonsense", "calls-for-ever", "never-lets-go"])
def test_a_strategy_that_raises_errs_or_never_ends_is_blamed_with_its_schedule(name: str, tmp_path: Path) -> None:
    planted = BY_NAME[name]
    with pytest.raises(StrategyFailure, match=r"U1 arrives user\.input from user"):
        check_strategy(planted.make, folder=tmp_path)
