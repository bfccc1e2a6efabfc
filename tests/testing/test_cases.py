"""Failures on file: they hold all that the run depends on, and are refused in one line when they do not."""

from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from simlab.core.canon import canonical
from simlab.core.errors import SimlabError
from simlab.core.messages import ToolSpec
from simlab.core.record import RunRecord
from simlab.testing.cases import (
    Case,
    CaseError,
    WorldRun,
    load_case,
    make_strategy,
    replay,
    run_world,
    save_case,
    strategy_name,
)
from simlab.testing.packing import pack, unpack
from simlab.testing.schedule import parse_schedule
from simlab.testing.worlds import random_world
from tests.planted.strategies import LeavesCallsOpen, Raises


def test_random_worlds_come_back_from_a_file_as_they_were(tmp_path: Path) -> None:
    for number in range(40):
        run = WorldRun(world=random_world(Random(number)), router="oracle", seed=number, replication=2)
        path = save_case(Case(strategy="cancel", run=run, found="nothing"), tmp_path)
        assert load_case(path).run == run


def test_a_world_from_a_file_runs_to_the_same_bytes(tmp_path: Path) -> None:
    run = WorldRun(world=random_world(Random(3)), seed=5)
    first, _ = run_world(run, make_strategy("routed"))
    again, _ = replay(load_case(save_case(Case(strategy="routed", run=run, found="nothing"), tmp_path)))
    assert isinstance(first, RunRecord)
    assert isinstance(again, RunRecord)
    assert canonical(first) == canonical(again)


def test_a_strategy_that_raises_in_a_world_is_found_without_a_traceback() -> None:
    record, found = run_world(WorldRun(world=random_world(Random(1))), Raises())
    assert record is None
    assert [each.name for each in found] == ["strategy_answers_what_it_is_asked"]


def test_a_strategy_is_named_by_its_registered_name_or_its_place() -> None:
    assert strategy_name(make_strategy("cancel")) == "cancel"
    place = strategy_name(LeavesCallsOpen())
    assert place == "tests.planted.strategies:LeavesCallsOpen"
    assert type(make_strategy(place)) is LeavesCallsOpen


@pytest.mark.parametrize("name", ["nobody", "no.such:Thing", "simlab.core.events:Nothing", "simlab.core.events:Event"])
def test_a_strategy_that_is_none_is_refused(name: str) -> None:
    with pytest.raises((SimlabError, TypeError)):
        make_strategy(name)


def test_equal_cases_have_equal_names(tmp_path: Path) -> None:
    case = Case(strategy="cancel", run=parse_schedule("U1 arrives user.input from user"), found="x")
    assert save_case(case, tmp_path) == save_case(case, tmp_path)
    assert save_case(replace(case, found="y"), tmp_path) != save_case(case, tmp_path)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "no JSON"),
        ("[]", "no saved failure"),
        ('{"form": "other"}', "its form must be 'simlab case 1'"),
        ('{"form": "simlab case 1"}', "KeyError: 'world'"),
        ('{"form": "simlab case 1", "schedule": ["U1"]}', "no move: 'U1'"),
        ('{"form": "simlab case 1", "world": {"class": "os:path"}}', "no class of simlab: 'os:path'"),
        ('{"form": "simlab case 1", "world": {"class": "simlab.core.agent:Agent"}}', "no value class"),
        ('{"form": "simlab case 1", "world": [1]}', "world: no world"),
    ],
)
def test_a_file_that_is_no_case_is_refused_in_one_line(text: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "case.json"
    path.write_text(text)
    with pytest.raises(CaseError) as raised:
        load_case(path)
    assert str(raised.value).startswith(f"{path}: ")
    assert message in str(raised.value)
    assert "\n" not in str(raised.value)


def test_a_file_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(CaseError, match="cannot be read: No such file"):
        load_case(tmp_path / "gone.json")


def test_values_are_packed_without_their_defaults_and_functions_are_refused() -> None:
    world = random_world(Random(2))
    assert unpack(pack(world)) == world
    assert pack(ToolSpec(name="t")) == {"class": "simlab.core.messages:ToolSpec", "name": "t"}
    with pytest.raises(SimlabError, match="cannot be written to a file"):
        pack(print)
