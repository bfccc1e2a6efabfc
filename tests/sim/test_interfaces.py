"""Worlds with other tools: jobs, idempotency keys, checks."""

from dataclasses import replace

import pytest

from simlab.core.errors import SimlabError
from simlab.core.record import FaultKind, IntentKind
from simlab.sim.interfaces import asynchronous, confirmed, keyed
from simlab.sim.laws import Constant
from simlab.sim.spec import Acts, RandomPlan, Step
from tests.sim.faults.small import POST, POST_THEN_SEND, READ, SEND, certain, line, said, small, subjects
from tests.validation.building import event, run, tool

CHECK = tool("check", 500, acts=Acts.CHECK)


def test_a_job_leaves_no_call_open_and_so_no_result_to_invent() -> None:
    record = run(asynchronous(small(hazards=certain(fabricate=1)), "read"), "cancel")
    assert line(record) == "U1 A[c1] R(c1) A U2 A job:U1:a A[c2] R(c2) A"
    assert subjects(record, FaultKind.FABRICATE) == []
    assert record.tasks["U1"].finished_ms == 12_000


@pytest.mark.parametrize(("at_ms", "steps"), [(3_000, []), (5_500, []), (6_500, ["a"]), (9_500, ["a"])])
def test_a_job_is_cancelled_by_its_id_when_its_task_is_withdrawn(at_ms: int, steps: list[str]) -> None:
    """The job's effect comes at 7 s; the call that cancels it takes the model a second."""
    withdrawn = event("U2", at_ms, IntentKind.CORRECT, task="U1")
    for hazards in (None, certain()):
        spec = small(withdrawn, steps=(Step(id="a", tool="post"),), hazards=hazards)
        record = run(asynchronous(spec, "post"), "queue")
        assert ("answer:U2", "cancel a") in said(record) or at_ms > 9_000
        assert [each.step for each in record.effects] == steps


def test_a_withdrawn_step_takes_its_job_along_and_leaves_the_rest() -> None:
    withdrawn = event("U2", 3_000, IntentKind.CORRECT, task="U1", step="a")
    steps = (Step(id="a", tool="post"), Step(id="b", tool="send"))
    record = run(asynchronous(small(withdrawn, steps=steps), "post", "send"), "queue")
    assert [each.step for each in record.effects] == ["b"]
    assert record.tasks["U1"].finished_ms is not None


def test_nothing_is_cancelled_before_its_job_was_started() -> None:
    withdrawn = event("U2", 500, IntentKind.CORRECT, task="U1")
    record = run(asynchronous(small(withdrawn, steps=(Step(id="a", tool="post"),)), "post"), "cancel")
    assert said(record) == [("answer:U2",)]


def test_a_check_stops_an_invention_before_anything_irreversible_is_done() -> None:
    spec = confirmed(small(hazards=certain(fabricate=1)), CHECK, "send")
    for strategy in ("cancel", "cancel-background"):
        record = run(spec, strategy)
        assert [(each.step, each.invented) for each in record.effects] == [("b", False)]
        assert not record.tasks["U1"].invented
        assert record.tasks["U1"].finished_ms is not None


def test_a_check_that_finds_an_invention_further_back_has_all_of_it_done_again() -> None:
    """c is looked up with an invented a; the check before b sees it, so c is looked up anew when a is there."""
    steps = (
        Step(id="a", tool="read"),
        Step(id="c", tool="read", needs=("a",), run_ms=Constant(value=500.0)),
        Step(id="b", tool="send", needs=("c",)),
    )
    spec = confirmed(small(steps=steps, hazards=certain(fabricate=1)), CHECK, "send")
    for strategy in ("cancel", "cancel-background"):
        record = run(spec, strategy)
        assert [(each.step, each.invented) for each in record.effects] == [("b", False)]
        assert [each.invented for each in record.tool_runs if each.step == "c"] == [True, False]
        assert [each.invented for each in record.tool_runs if each.step == "check b"] == [True, False]
        assert not record.tasks["U1"].invented


def test_a_check_costs_a_call_of_the_model_and_its_time() -> None:
    plain, checked = run(small(), "queue"), run(confirmed(small(), CHECK, "send"), "queue")
    assert len(checked.model_calls) == len(plain.model_calls) + 1
    assert (plain.tasks["U1"].finished_ms, checked.tasks["U1"].finished_ms) == (12_000, 13_500)


def test_the_time_of_a_check_is_time_for_a_correction() -> None:
    spec = small(event("U2", 10_300, IntentKind.CORRECT, task="U1"))
    (effect,) = run(spec, "queue").effects
    assert effect.after_correction
    assert run(confirmed(spec, CHECK, "send"), "queue").effects == []


def test_keys_change_only_what_a_second_call_does() -> None:
    spec = small(steps=POST_THEN_SEND)
    assert {each.spec.name: each.spec.idempotent for each in keyed(spec, "post").tools} == {
        "read": False,
        "post": True,
        "send": False,
    }


def test_mistakes_are_told_in_one_line() -> None:
    with pytest.raises(SimlabError, match="proof: no tool 'mail'; known: read, post, send"):
        keyed(small(), "mail")
    with pytest.raises(SimlabError, match="tool 'check' must act as a check, not"):
        confirmed(small(), tool("check", 500), "send")
    with pytest.raises(SimlabError, match="tool 'send' must be one that runs"):
        asynchronous(small(tools=(READ, POST, replace(SEND, failure=0.1))), "send")
    drawn = RandomPlan(rounds=Constant(value=1.0), calls=Constant(value=1.0), mix=((1.0, "send"),))
    with pytest.raises(SimlabError, match="plan 'p' is drawn anew for each request"):
        confirmed(replace(small(), plans={"p": drawn}), CHECK, "send")
