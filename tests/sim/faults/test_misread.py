"""Taking an event for another intent."""

import pytest

from simlab.core.record import FaultKind, IntentKind
from simlab.sim.faults.misread import TAKEN_FOR
from tests.sim.faults.small import certain, said, small, subjects
from tests.validation.building import event, run

MISREADS = certain(misread=1)


def test_a_request_taken_for_a_remark_is_answered_and_not_done() -> None:
    record = run(small(hazards=MISREADS), "queue")
    assert said(record) == [("answer:U1",), ("answer:U2",)]
    assert record.events["U1"].first_answer_ms == 1_000
    assert record.events["U1"].acted_ms is None
    assert record.tasks["U1"].finished_ms is None


@pytest.mark.parametrize("kind", [IntentKind.LIGHT, IntentKind.NOTICE])
def test_remarks_and_notices_are_read_as_they_are(kind: IntentKind) -> None:
    assert kind not in TAKEN_FOR
    record = run(small(event("U2", 5_000, kind), hazards=MISREADS), "queue")
    assert subjects(record, FaultKind.MISREAD) == [("U1",)]


def test_every_intent_is_taken_for_another_one() -> None:
    for kind, others in TAKEN_FOR.items():
        assert others
        assert kind not in others
