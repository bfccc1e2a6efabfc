"""Side effects: once for each intent."""

from dataclasses import replace

import pytest

from simlab.core.commands import Append
from simlab.core.decisions import Departure
from simlab.core.messages import ResultMessage, ToolKind, ToolResult, ToolSpec
from simlab.core.record import RunRecord
from simlab.invariants import check
from simlab.sim.laws import Constant
from simlab.sim.spec import ToolModel
from tests.strategies.products.kit import event, request, run, world


def _sends(*, idempotent: bool = False, timeout_ms: int | None = None) -> ToolModel:
    spec = ToolSpec(name="t", kind=ToolKind.EFFECT, idempotent=idempotent)
    return ToolModel(spec=spec, run_ms=Constant(value=8000.0), commit_share=0.5, timeout_ms=timeout_ms)


def _again(record: RunRecord) -> list[str | None]:
    """Return the calls whose effect was one too many."""
    return [each.call_id for each in check(record) if each.invariant == "every_effect_happens_once_per_intent"]


def _rolled_back() -> RunRecord:
    """Return a run in which c1 took effect at 6,000 and c2, after a rollback, at 14,000."""
    return run("langgraph-rollback-concat", world([request(), event("U2", 8000)], [_sends()]))


def _fails_after_its_effect(attempts: int) -> RunRecord:
    """Return a run in which every attempt takes effect and times out."""
    return run("queue", replace(world([request()], [_sends(timeout_ms=6000)]), tool_attempts=attempts))


def test_an_effect_that_happens_again_after_a_rollback_is_a_breach_with_the_second_call_as_evidence() -> None:
    (breach,) = check(_rolled_back())
    assert (breach.invariant, breach.call_id) == ("every_effect_happens_once_per_intent", "c2")
    assert breach.at_ms == 14_000


def test_an_idempotent_tool_may_run_again() -> None:
    assert (
        check(run("langgraph-rollback-concat", world([request(), event("U2", 8000)], [_sends(idempotent=True)]))) == []
    )


def test_a_call_that_the_model_makes_again_after_an_error_is_a_new_intent() -> None:
    record = _fails_after_its_effect(attempts=3)
    assert [effect.duplicate for effect in record.effects] == [False, True, True]
    assert check(record) == []


@pytest.mark.parametrize("departure", [Departure.REORDERS, Departure.WAITS])
def test_a_repetition_is_no_new_intent_in_whatever_order_a_strategy_reads_events(departure: Departure) -> None:
    record = _rolled_back()
    record.trace.departures |= {departure}
    record.tool_runs[0].task_id = record.effects[0].task_id = "U1~"
    assert _again(record) == ["c2"]


def _report(record: RunRecord, call_id: str) -> int:
    """Return the place of the record that tells the result of a call."""
    (place,) = (
        place
        for place, (_, item) in enumerate(record.trace.records)
        if isinstance(item, Append) and isinstance(item.message, ResultMessage) and item.message.call_id == call_id
    )
    return place


def test_an_error_is_no_excuse_when_a_later_attempt_is_known_to_have_succeeded() -> None:
    record = _fails_after_its_effect(attempts=3)
    place = _report(record, "c2")
    at_ms, item = record.trace.records[place]
    assert isinstance(item, Append)
    done = ResultMessage(call_id="c2", result=ToolResult(content="sent"))
    record.trace.records[place] = (at_ms, replace(item, message=done))
    assert _again(record) == ["c3"]


def test_an_error_is_no_excuse_for_a_call_that_was_made_before_it_was_reported() -> None:
    record = _fails_after_its_effect(attempts=2)
    records = record.trace.records
    _, item = records.pop(_report(record, "c1"))
    records.append((records[-1][0], item))
    assert _again(record) == ["c2"]


@pytest.mark.parametrize(("undone_ms", "again"), [(13_999, []), (14_001, ["c2"])])
def test_only_what_was_undone_before_is_a_new_intent(undone_ms: int, again: list[str]) -> None:
    record = _rolled_back()
    record.tool_runs[0].undone_ms = undone_ms
    assert _again(record) == again
