"""Dropping the plan over a message that was flushed in the middle of it."""

from simlab.core.record import FaultKind, IntentKind
from simlab.strategies import STRATEGIES
from simlab.strategies.mitigations import Mitigations, mitigated
from tests.sim.faults.small import certain, line, small, subjects
from tests.validation.building import event, run

DERAILS = certain(derail=1)


def test_a_message_flushed_between_two_steps_makes_the_model_drop_the_rest() -> None:
    record = run(small(hazards=DERAILS), "queue")
    assert line(record) == "U1 A[c1] R(c1) U2 A"
    assert subjects(record, FaultKind.DERAIL) == [("U1", "U2")]


def test_a_message_that_waits_for_the_end_of_the_turn_derails_nothing() -> None:
    record = run(small(hazards=DERAILS), "queue-turn")
    assert subjects(record, FaultKind.DERAIL) == []
    assert record.tasks["U1"].finished_ms is not None


def test_an_interruption_is_an_opportunity_to_forget_and_not_to_be_derailed() -> None:
    record = run(small(hazards=DERAILS), "cancel")
    assert subjects(record, FaultKind.DERAIL) == []
    assert record.tasks["U1"].finished_ms is not None


def test_a_message_about_the_task_derails_nothing() -> None:
    record = run(small(event("U2", 5_000, IntentKind.AMEND, task="U1"), hazards=DERAILS), "queue")
    assert subjects(record, FaultKind.DERAIL) == []


def test_a_reminder_keeps_the_plan() -> None:
    record = run(small(hazards=DERAILS), mitigated(STRATEGIES.get("queue"), Mitigations(reminder=True)))
    assert subjects(record, FaultKind.DERAIL) == []
    assert record.tasks["U1"].finished_ms == 12_000
