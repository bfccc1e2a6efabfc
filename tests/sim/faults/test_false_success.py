"""Claiming an effect although the tool has failed."""

from dataclasses import replace

from simlab.analysis.receipts import receipts
from simlab.core.record import FaultKind
from tests.sim.faults.small import READ, SEND, certain, small, subjects
from tests.validation.building import run

FAILING = (READ, replace(SEND, failure=1.0))


def test_a_failed_effect_is_claimed() -> None:
    record = run(small(tools=FAILING, hazards=certain(false_success=1)), "queue")
    assert record.effects == []
    assert [(each.step, each.kind) for each in receipts(record).unfounded] == [("b", FaultKind.FALSE_SUCCESS)]


def test_an_honest_answer_claims_nothing() -> None:
    record = run(small(tools=FAILING, hazards=certain()), "queue")
    assert subjects(record, FaultKind.FALSE_SUCCESS) == [("U1", "b", "")]
    assert record.claims == []


def test_a_step_that_worked_is_no_opportunity() -> None:
    assert subjects(run(small(hazards=certain(false_success=1)), "queue"), FaultKind.FALSE_SUCCESS) == []


def test_a_claim_is_right_by_luck_where_a_tool_timed_out_after_it_had_acted() -> None:
    slow = replace(SEND, run_ms=READ.run_ms, timeout_ms=6_000)
    record = run(small(tools=(READ, slow), hazards=certain(false_success=1)), "queue")
    assert len(record.claims) == 1
    assert receipts(record).unfounded == ()
    assert len(receipts(record).unknown) == 3
