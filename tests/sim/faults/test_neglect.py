"""Passing over items of a batch."""

from dataclasses import replace

import pytest

from simlab.core.record import FaultKind, IntentKind
from simlab.sim.faults.neglect import Neglect, neglect
from tests.sim.faults.small import certain, said, small, subjects
from tests.validation.building import constant, event, request, run

BASE = neglect("base")


@pytest.mark.parametrize("size", range(1, 30))
def test_the_multipliers_of_a_batch_have_mean_one_whatever_its_size(size: int) -> None:
    values = [BASE.multiplier(place, size) for place in range(size)]
    assert sum(values) / size == pytest.approx(1.0, rel=1e-12)


def test_the_chance_grows_with_the_other_items_up_to_the_cap() -> None:
    model = Neglect(messages=0.02, joined=0.01)
    assert model.hazard(place=0, size=1) == 0.0
    assert model.hazard(place=1, size=4) == pytest.approx(0.06)
    assert model.hazard(place=1, size=4, joined=True) == pytest.approx(0.03)
    assert model.hazard(place=1, size=400) == 0.3


def test_numbered_items_are_neglected_less() -> None:
    assert BASE.hazard(place=1, size=3, numbered=True) == pytest.approx(0.5 * BASE.hazard(place=1, size=3))


REMARKS = (event("U2", 5_000, IntentKind.LIGHT), event("U3", 5_500, IntentKind.LIGHT))


def test_a_batch_of_one_is_no_opportunity() -> None:
    record = run(small(hazards=certain(neglect=1)), "queue")
    assert subjects(record, FaultKind.NEGLECT) == []
    assert record.events["U2"].first_answer_ms == 10_000


def test_a_neglected_item_is_not_addressed() -> None:
    record = run(small(*REMARKS, hazards=certain(neglect=1)), "queue")
    assert said(record) == [("a",), ("b",), ("final:U1",)]
    assert record.events["U2"].consumed_ms == 9_000
    assert record.events["U2"].first_answer_ms is None


def test_a_person_who_was_passed_over_repeats_the_message_and_is_heard_then() -> None:
    patient = replace(REMARKS[1], patience_ms=constant(20_000))
    record = run(small(REMARKS[0], patient, hazards=certain(neglect=1)), "queue")
    assert said(record)[-1] == ("answer:U3", "answer:U3~")
    assert record.events["U3~"].arrived_ms == 25_500
    assert record.events["U3"].first_answer_ms == 26_500


def test_a_neglected_request_is_done_under_its_own_name_once_it_is_repeated() -> None:
    again = replace(request(5_500, "U3"), patience_ms=constant(60_000))
    record = run(small(REMARKS[0], again, hazards=certain(neglect=1)), "queue")
    assert record.tasks["U3"].finished_ms is not None
    assert {each.task_id for each in record.tool_runs} == {"U1", "U3"}


def test_a_neglected_correction_lets_the_mistaken_work_go_on() -> None:
    correction = event("U3", 5_500, IntentKind.CORRECT, task="U1")
    assert run(small(REMARKS[0], correction), "queue").effects == []
    (effect,) = run(small(REMARKS[0], correction, hazards=certain(neglect=1)), "queue").effects
    assert effect.after_correction


def test_an_item_that_a_discarded_call_had_read_alone_meets_the_batch_of_the_next_call() -> None:
    record = run(small(*REMARKS, hazards=certain(neglect=1)), "cancel")
    assert subjects(record, FaultKind.NEGLECT) == [("U2",), ("U3",)]
    assert said(record)[1] == ("a",)
