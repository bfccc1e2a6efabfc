"""Inventing results: the hazard, what is built on an invention, and what is put right."""

from dataclasses import replace
from math import exp, log

import pytest

from simlab.core.messages import Wording
from simlab.core.record import FaultKind, IntentKind
from simlab.sim.faults.fabricate import Fabrication, fabrication
from simlab.sim.spec import Acts, Plan, Step
from tests.sim.faults.small import READ, SEND, certain, drawn, line, said, small, subjects
from tests.validation.building import event, run, tool

FLAT = Fabrication(explicit=0.02, terse=0.07, error=0.04, missing=0.3)


def logit(p: float) -> float:
    return log(p / (1 - p))


def test_without_covariates_the_hazard_is_the_chance_of_the_wording() -> None:
    for wording, expected in zip(Wording, (0.02, 0.07, 0.04, 0.3), strict=True):
        assert FLAT.hazard(wording, pending=1, steps_since=0) == pytest.approx(expected, abs=1e-12)


def test_the_hazard_is_the_documented_sum_of_logits() -> None:
    model = replace(
        FLAT,
        or_pending=1.3,
        or_distance=1.2,
        or_pressure=3.0,
        or_reasoning=0.5,
        or_rule=0.7,
        pressure=0.5,
        has_rule=True,
    )
    expected = logit(0.07) + log(1.3) * 2 + log(1.2) * 8 / 5 + log(3.0) * 0.5 + log(0.5) + log(0.7)
    hazard = model.hazard(Wording.TERSE, pending=3, steps_since=8)
    assert hazard == pytest.approx(1 / (1 + exp(-expected)), rel=1e-12)


def test_a_placeholder_that_says_do_not_guess_does_not_count_the_rule_twice() -> None:
    ruled = replace(FLAT, or_rule=0.7, has_rule=True)
    assert ruled.hazard(Wording.EXPLICIT, pending=1, steps_since=0) == FLAT.hazard(
        Wording.EXPLICIT, pending=1, steps_since=0
    )
    assert ruled.hazard(Wording.TERSE, pending=1, steps_since=0) < 0.07


def test_distance_counts_up_to_five_units_and_the_hazard_up_to_its_cap() -> None:
    far = replace(FLAT, or_distance=2.0)
    assert far.hazard(Wording.TERSE, pending=1, steps_since=25) == far.hazard(Wording.TERSE, pending=1, steps_since=900)
    assert replace(FLAT, or_pending=50.0).hazard(Wording.MISSING, pending=9, steps_since=0) == 0.95
    assert replace(FLAT, missing=1.0).hazard(Wording.MISSING, pending=1, steps_since=0) == 0.95
    assert replace(FLAT, terse=0.0, or_pending=50.0).hazard(Wording.TERSE, pending=9, steps_since=0) == 0.0


def test_wordings_keep_their_order_at_every_level() -> None:
    for level in ("low", "base", "high"):
        model = fabrication(level)
        assert model.explicit < model.error < model.terse < model.missing


def test_what_is_built_on_an_invention_is_contaminated_and_its_effect_is_wrong() -> None:
    record = run(small(hazards=certain(fabricate=1)), "cancel")
    assert line(record) == "U1 A[c1] P(c1 cancelled before it took effect) U2 A[c2] R(c2) A"
    assert said(record) == [("a",), ("answer:U2", "b"), ("final:U1",)]
    assert [(each.step, each.invented) for each in record.effects] == [("b", True)]
    assert record.tasks["U1"].invented
    assert [each.subject for each in drawn(record, FaultKind.FABRICATE)] == [("U1", "b", "a"), ("U1", "final", "a")]


def test_a_true_result_sets_right_what_rests_on_an_invention_but_not_the_world() -> None:
    record = run(small(hazards=certain(fabricate=1, recover=1)), "cancel-background")
    assert said(record) == [("a",), ("answer:U2", "b"), ("final:U1",), ("b",), ("final:U1",)]
    assert [(each.step, each.invented, each.duplicate) for each in record.effects] == [
        ("b", True, False),
        ("b", False, False),
    ]
    assert record.tasks["U1"].finals == 2
    assert not record.tasks["U1"].invented


def test_without_recovery_a_true_result_changes_nothing() -> None:
    record = run(small(hazards=certain(fabricate=1)), "cancel-background")
    assert said(record)[-1] == ()
    assert record.tasks["U1"].invented
    assert subjects(record, FaultKind.RECOVER) == [("U1", "b", "a"), ("U1", "final", "a")]


def test_an_invention_that_does_not_lead_to_an_act_leaves_the_world_alone() -> None:
    plain = run(small(), "cancel")
    record = run(small(hazards=certain(fabricate=1, act=0)), "cancel")
    assert line(record) == line(plain)
    assert [each.acted_ms for each in drawn(record, FaultKind.FABRICATE)] == [None]


def test_a_job_that_was_not_started_is_started_even_if_its_id_was_invented() -> None:
    start = tool("start", acts=Acts.START)
    start = replace(start, spec=replace(start.spec, prepares=True), prepare_ms=500)
    steps = (Step(id="a", tool="start", run_ms=READ.run_ms), Step(id="b", tool="send", needs=("a",)))
    spec = small(event("U2", 1_200, IntentKind.LIGHT), tools=(start, SEND), hazards=certain(fabricate=1))
    spec = replace(spec, plans={"p": Plan(steps=steps, final_needs=("a", "b", "job:a"))})
    record = run(spec, "cancel")
    assert line(record).startswith("U1 A[c1] P(c1 not started) U2 A[c2,c3]")
    assert ("U1", "b", "a") in subjects(record, FaultKind.FABRICATE)
    assert record.tasks["U1"].finished_ms is not None


def test_a_call_that_was_left_open_is_a_missing_result() -> None:
    missing = Fabrication(explicit=0.0, terse=0.0, error=0.0, missing=0.9)
    record = run(small(hazards=replace(certain(), fabricate=missing)), "hard-cancel")
    assert [each.hazard for each in record.exposures if each.kind is FaultKind.FABRICATE][:1] == [pytest.approx(0.9)]
    assert record.decision_points == []


def test_the_first_call_with_a_decision_point_decides_its_hazard() -> None:
    near = replace(FLAT, or_distance=100.0)
    record = run(small(hazards=replace(certain(), fabricate=near)), "cancel-background")
    (point,) = [each for each in record.exposures if each.kind is FaultKind.FABRICATE]
    assert point.at_ms == 5_000
    assert point.hazard == pytest.approx(0.02)
