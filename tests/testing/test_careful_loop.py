"""The careful loop survives every storm, and each fault planted in it is found, with the right grade."""

import inspect

import pytest

from simlab.testing.confirm import confirmed
from simlab.testing.contract import POLICIES, Policy
from simlab.testing.grades import Grade
from simlab.testing.storm import Events, assert_survives, search, sweep
from tests.testing import faults
from tests.testing.careful_loop import CarefulLoop

PLANTED: list[tuple[type[CarefulLoop], Policy, Events, Grade, str]] = [
    (faults.LostWakeUp, "steer", "one anywhere", Grade.HANG, "stranded_message"),
    (faults.DroppedInTheLastCall, "steer", "one anywhere", Grade.LOSS, "lost_message"),
    (faults.ResultDroppedOnCancel, "interrupt", "one anywhere", Grade.LOSS, "lost_result"),
    (faults.RunTwiceOnResume, "interrupt", "one anywhere", Grade.DOUBLE, "double_call"),
    (faults.StaleStopFlag, "interrupt", "one anywhere", Grade.HANG, "stranded_message"),
    (faults.SiblingOverwritten, "parallel", "one anywhere", Grade.LOSS, "lost_message"),
    (faults.PartialTextKept, "interrupt", "one anywhere", Grade.MALFORMED, "partial_text"),
    (faults.DanglingCall, "interrupt", "one anywhere", Grade.MALFORMED, "dangling_tool_call"),
    (faults.ToolsOutliveTheStop, "interrupt", "one anywhere", Grade.AFTER_STOP, "effect_after_stop"),
    (faults.RoundRolledBack, "interrupt", "one anywhere", Grade.DOUBLE, "double_effect"),
    (faults.WaiterOverwritten, "parallel", "two anywhere", Grade.HANG, "turn_never_ends"),
]


def test_the_careful_loop_is_short() -> None:
    assert len([line for line in inspect.getsource(CarefulLoop).splitlines() if line.strip()]) < 60


@pytest.mark.parametrize("events", ["one anywhere", "one stop anywhere"])
def test_the_careful_loop_survives_one_event_at_every_place(events: Events) -> None:
    reports = assert_survives(CarefulLoop, events)
    assert [report.policy for report in reports] == list(POLICIES)
    assert all(report.runs == report.places >= 60 for report in reports)
    assert {grade for report in reports for grade, _ in report.counts} == {Grade.VAGUE}


@pytest.mark.parametrize("events", ["two anywhere", "stop and message anywhere"])
def test_the_careful_loop_survives_two_events(events: Events) -> None:
    reports = assert_survives(CarefulLoop, events, limit=200)
    assert all(report.runs >= 150 for report in reports)


def test_the_careful_loop_survives_workloads_and_events_that_are_drawn() -> None:
    assert search(CarefulLoop, examples=150) is None


@pytest.mark.parametrize(("fault", "policy", "events", "grade", "rule"), PLANTED, ids=str)
def test_a_planted_fault_is_found_with_the_right_grade(
    fault: type[CarefulLoop], policy: Policy, events: Events, grade: Grade, rule: str
) -> None:
    report = sweep(fault, policy, events=events, limit=150 if events == "two anywhere" else None)
    assert report.counts[grade, rule] > 0
    assert rule in report.summary()


@pytest.mark.parametrize(("fault", "policy", "events", "grade", "rule"), PLANTED, ids=str)
def test_the_smallest_schedule_shows_the_fault_on_the_real_clock_too(
    fault: type[CarefulLoop], policy: Policy, events: Events, grade: Grade, rule: str
) -> None:
    if grade is Grade.HANG and events == "two anywhere":
        pytest.skip("a turn that never ends takes the whole horizon in real time")
    report = sweep(fault, policy, events=events)
    assert confirmed(fault, report.smallest[grade, rule].schedule, rule)


def test_a_race_of_two_loop_iterations_is_missed_by_instants_alone_and_found_by_hops() -> None:
    """The stale flag needs a stop between the last answer and the end of the turn, inside one instant."""
    report = sweep(faults.StaleStopFlag, "interrupt")
    failing = report.smallest[Grade.HANG, "stranded_message"].schedule.arrivals[0].place
    assert failing.hop > 0


def test_drawn_schedules_shrink_to_one_event_and_little_work() -> None:
    found = search(faults.DanglingCall, ["interrupt"], examples=100)
    assert found is not None
    (kind,) = [kind for kind in found.kinds() if kind[0].fails]
    smallest = found.smallest[kind].schedule
    assert len(smallest.arrivals) == 1
    assert smallest.workload.rounds_ms == ((500,),)
    assert smallest.workload.text in found.replay_command(kind)
