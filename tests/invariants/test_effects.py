"""Side effects: once for each intent."""

import dataclasses

from simlab.core.messages import ToolKind, ToolSpec
from simlab.invariants import check
from simlab.sim.laws import Constant
from simlab.sim.spec import ToolModel
from tests.strategies.products.kit import event, request, run, world


def _sends(*, idempotent: bool = False, timeout_ms: int | None = None) -> ToolModel:
    spec = ToolSpec(name="t", kind=ToolKind.EFFECT, idempotent=idempotent)
    return ToolModel(spec=spec, run_ms=Constant(value=8000.0), commit_share=0.5, timeout_ms=timeout_ms)


def test_an_effect_that_happens_again_after_a_rollback_is_a_breach_with_the_second_call_as_evidence() -> None:
    (breach,) = check(run("langgraph-rollback-concat", world([request(), event("U2", 8000)], [_sends()])))
    assert (breach.invariant, breach.call_id) == ("every_effect_happens_once_per_intent", "c2")
    assert breach.at_ms == 14_000


def test_an_idempotent_tool_may_run_again() -> None:
    assert (
        check(run("langgraph-rollback-concat", world([request(), event("U2", 8000)], [_sends(idempotent=True)]))) == []
    )


def test_a_call_that_the_model_makes_again_after_an_error_is_a_new_intent() -> None:
    spec = dataclasses.replace(world([request()], [_sends(timeout_ms=6000)]), tool_attempts=2)
    record = run("queue", spec)
    assert [effect.duplicate for effect in record.effects] == [False, True]
    assert check(record) == []
