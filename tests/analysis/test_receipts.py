"""Receipts: ledger against trajectory."""

from collections.abc import Mapping, Sequence

from simlab.analysis.metrics import run_row, tool_time
from simlab.analysis.receipts import receipts, risks
from simlab.core.decisions import Closing, Keep, LatePolicy, Moment
from simlab.core.plugins import Traits
from simlab.core.record import FaultKind, IntentKind, RunRecord
from simlab.core.state import OpenCall
from simlab.core.view import View
from simlab.sim.interfaces import asynchronous
from simlab.sim.spec import Step
from simlab.strategies.cancel import CancelBackground
from tests.sim.faults.small import POST_THEN_SEND, certain, small
from tests.validation.building import event, run


class DropsLate(CancelBackground):
    """Never tells what became of a call that it left behind."""

    name = "drops-late"
    traits = Traits(points=CancelBackground.traits.points)

    def on_open_calls(self, _view: View, calls: Sequence[OpenCall], _moment: Moment) -> Mapping[str, Closing]:
        return {call.call.id: Keep(late=LatePolicy.DROP) for call in calls}


def steps(found: tuple[object, ...]) -> list[str]:
    return [getattr(each, "step") for each in found]  # noqa: B009


def test_an_effect_that_no_result_tells_of_is_unknown_to_the_model() -> None:
    record = run(small(steps=POST_THEN_SEND), DropsLate())
    assert steps(receipts(record).unknown) == ["a"]
    assert run_row(record).effects_unknown == 1


def test_an_effect_that_its_result_or_its_acknowledgement_tells_of_is_known() -> None:
    for strategy in ("queue", "cancel-background"):
        assert receipts(run(small(steps=POST_THEN_SEND), strategy)).unknown == ()
    late = event("U2", 7_500, IntentKind.LIGHT)
    record = run(small(late, steps=POST_THEN_SEND), "cancel")
    assert "cancelled after it took effect" in [str(getattr(each, "state", "")) for each in record.trace.trajectory()]
    assert receipts(record).unknown == ()


def test_the_report_of_a_job_tells_of_its_effect() -> None:
    record = run(asynchronous(small(steps=POST_THEN_SEND), "post"), "queue")
    assert steps(tuple(record.effects)) == ["a", "b"]
    assert receipts(record).unknown == ()


def test_mistaken_effects_after_the_correction_are_listed() -> None:
    correction = event("U2", 5_000, IntentKind.CORRECT, task="U1")
    record = run(small(correction, steps=(Step(id="a", tool="post"),)), "queue")
    assert steps(receipts(record).after_correction) == ["a"]


def test_a_claim_that_a_later_answer_takes_back_does_not_count() -> None:
    spec = small(steps=(Step(id="a", tool="post"),), hazards=certain(fabricate=1, recover=1))
    record = run(spec, "cancel-background")
    assert [each.step for each in record.claims] == ["a"]
    assert record.tasks["U1"].finals == 2
    assert receipts(record).unfounded == ()


def test_a_claimed_effect_that_was_cancelled_before_it_took_place_never_happened() -> None:
    record = run(small(steps=(Step(id="a", tool="post"),), hazards=certain(fabricate=1)), "cancel")
    assert record.effects == []
    assert steps(receipts(record).unfounded) == ["a"]


def test_the_row_has_the_three_numbers_and_keeps_them_apart() -> None:
    record = run(small(hazards=certain(fabricate=1, forget=0.25)), "cancel")
    row = run_row(record)
    assert (row.fabricate_exposure, row.fabricate_expected, row.fabricate_sampled) == (2, 2.0, 2)
    assert (row.forget_exposure, row.forget_expected) == (1, 0.25)
    assert row.forget_sampled == risks(record)[FaultKind.FORGET].sampled
    assert (row.effects_invented, row.tasks_invented) == (1, 1)


def test_without_hazards_there_are_no_opportunities() -> None:
    assert all(risk.exposure == 0 for risk in risks(run(small(), "cancel")).values())


def test_the_time_of_a_tool_that_was_run_on_an_invention_and_then_again_is_thrown_away() -> None:
    record: RunRecord = run(small(hazards=certain(fabricate=1, recover=1)), "cancel-background")
    time = tool_time(record.tool_runs, record.ended_ms)
    assert (time.used_ms, time.thrown_ms, time.doubled_ms) == (9_000, 1_000, 0)
