"""Taking an unmarked side exchange for a step of the main task."""

from simlab.analysis.receipts import receipts
from simlab.core.record import FaultKind, IntentKind
from simlab.sim.spec import Step
from tests.sim.faults.small import UnmarkedParallel, certain, said, small, subjects
from tests.validation.building import event, run

CONFUSES = certain(confuse=1)


def test_a_marked_exchange_is_no_opportunity() -> None:
    assert subjects(run(small(hazards=CONFUSES), "parallel"), FaultKind.CONFUSE) == []


def test_the_next_step_is_never_carried_out_and_claimed_all_the_same() -> None:
    record = run(small(hazards=CONFUSES), UnmarkedParallel())
    assert said(record) == [("a",), ("final:U1",)]
    assert record.effects == []
    assert record.tasks["U1"].invented
    assert [(each.step, each.kind) for each in receipts(record).unfounded] == [("b", FaultKind.CONFUSE)]


def test_an_exchange_while_no_step_is_next_confuses_nothing() -> None:
    spec = small(event("U2", 5_000, IntentKind.LIGHT), steps=(Step(id="a", tool="read"),), hazards=CONFUSES)
    record = run(spec, UnmarkedParallel())
    assert subjects(record, FaultKind.CONFUSE) == []
    assert record.tasks["U1"].finished_ms == 10_000
