"""The net has no holes: every planted bug is caught by the invariant that is named for it."""

from collections.abc import Callable

import pytest

from simlab.core.messages import ToolSpec
from simlab.core.record import RunRecord
from simlab.invariants import CATALOGUE, check
from simlab.strategies import LEAVES_CALLS_OPEN, STRATEGIES
from simlab.testing.replaying import a_run_repeats_itself
from simlab.testing.stage import Stage
from simlab.testing.walking import perform
from tests.planted.catalogue import PLANTED, Planted
from tests.planted.find import search
from tests.planted.records import RECORDS, email
from tests.planted.strategies import HasMoods

FIELD = {
    "orphan call after cancel",
    "race: interrupt between emission and execution",
    "one of two parallel calls rejected",
    "orphan result after truncation",
    "result lost -> tool run again",
    "placeholder never resolved",
    "call of a discarded generation runs",
    "message stranded in the idle window",
    "start-if-idle race",
    "pending cleared by an interrupt",
    "order reversed",
    "placeholder read as a result",
    "resume value to the wrong interrupt",
    "rollback did not stop the run",
}
"""Faults that the field reports and that an invariant can see (docs/invariants.md)."""

planted_bugs = pytest.mark.parametrize("planted", PLANTED, ids=lambda each: each.name)


def names(stage: Stage) -> set[str]:
    return {found.name for found in stage.found}


@planted_bugs
def test_the_smallest_schedule_of_a_planted_bug_is_caught_by_its_invariant(planted: Planted) -> None:
    assert planted.caught_by in names(planted.perform(planted.schedule()))


@planted_bugs
def test_no_move_of_a_smallest_schedule_can_be_left_out(planted: Planted) -> None:
    schedule = planted.schedule()
    for place in range(len(schedule)):
        stage = planted.perform(schedule[:place] + schedule[place + 1 :])
        assert planted.caught_by not in names(stage)


@planted_bugs
def test_a_random_search_finds_a_planted_bug(planted: Planted) -> None:
    assert search(planted, walks=300) is not None


@pytest.mark.parametrize("made", RECORDS, ids=lambda each: each.__name__)
def test_a_run_with_a_planted_bug_is_caught_by_its_invariant(made: Callable[[], RunRecord]) -> None:
    assert RECORDS[made] in {breach.invariant for breach in check(made())}


def test_a_strategy_that_depends_on_other_runs_does_not_repeat_itself() -> None:
    record = email(HasMoods())
    breaches = list(a_run_repeats_itself(record.trace, HasMoods(), [ToolSpec(name="search_contacts")]))
    assert [breach.invariant for breach in breaches] == ["a_run_repeats_itself"]


def test_every_fault_of_the_field_is_planted() -> None:
    assert {planted.fault for planted in PLANTED} >= FIELD


def test_every_invariant_catches_a_planted_bug() -> None:
    caught = {planted.caught_by for planted in PLANTED} | set(RECORDS.values())
    assert {entry.name for entry in CATALOGUE} <= caught


@planted_bugs
def test_the_shipped_strategies_pass_what_catches_a_planted_bug(planted: Planted) -> None:
    for name in STRATEGIES.names():
        if name not in LEAVES_CALLS_OPEN:
            assert perform(planted.schedule(), STRATEGIES.get(name)).found == [], name
