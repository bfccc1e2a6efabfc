"""Forgetting an interrupted task."""

from simlab.core.events import EventType
from simlab.core.record import FaultKind, IntentKind
from simlab.sim.spec import Plan, Step
from simlab.strategies import STRATEGIES
from simlab.strategies.mitigations import Mitigations, mitigated
from tests.sim.faults.small import certain, line, said, small, subjects
from tests.validation.building import event, run

FORGETS = certain(forget=1)


def test_a_forgotten_task_is_not_taken_up_again() -> None:
    record = run(small(hazards=FORGETS), "cancel")
    assert line(record) == "U1 A[c1] P(c1 cancelled before it took effect) U2 A"
    assert record.tasks["U1"].finished_ms is None


def test_a_late_result_brings_the_task_back() -> None:
    record = run(small(hazards=FORGETS), "cancel-background")
    assert said(record) == [("a",), ("answer:U2",), ("b",), ("final:U1",)]


def test_an_event_about_the_task_brings_it_back() -> None:
    asked = event("U3", 20_000, IntentKind.QUESTION, task="U1")
    record = run(small(event("U2", 5_000, IntentKind.LIGHT), asked, hazards=FORGETS), "cancel")
    assert record.tasks["U1"].finished_ms is not None


def test_an_event_about_the_task_is_no_opportunity_to_forget_it() -> None:
    record = run(small(event("U2", 5_000, IntentKind.AMEND, task="U1"), hazards=FORGETS), "cancel")
    assert subjects(record, FaultKind.FORGET) == []


def test_a_reminder_in_the_trajectory_leaves_no_opportunity() -> None:
    reminding = mitigated(STRATEGIES.get("cancel"), Mitigations(reminder=True))
    record = run(small(hazards=FORGETS), reminding)
    assert subjects(record, FaultKind.FORGET) == []
    assert record.tasks["U1"].finished_ms == run(small(), "cancel").tasks["U1"].finished_ms


def test_a_task_that_an_urgent_request_pushes_aside_may_be_forgotten_too() -> None:
    urgent = event("E2", 9_500, IntentKind.REQUEST, type_=EventType.USER_INTERRUPT, plan="p")
    spec = small(urgent, steps=(Step(id="a", tool="read"),), hazards=FORGETS)
    assert isinstance(spec.plans["p"], Plan)
    record = run(spec, "cancel")
    assert subjects(record, FaultKind.FORGET) == [("U1", "E2")]
    assert record.tasks["E2"].finished_ms is not None
    assert record.tasks["U1"].finished_ms is None


def test_one_interruption_is_one_opportunity_however_many_messages_it_brings() -> None:
    more = (event("U2", 5_000, IntentKind.LIGHT), event("U3", 5_200, IntentKind.LIGHT))
    record = run(small(*more, hazards=certain()), "cancel")
    assert subjects(record, FaultKind.FORGET) == [("U1", "U2")]
