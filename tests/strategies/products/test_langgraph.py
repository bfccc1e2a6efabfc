"""LangGraph's four multitask strategies and the patch of deepagents, on one tool of 8,000 ms (2,000-10,000)."""

from simlab.core.commands import Refuse
from simlab.core.record import IntentKind
from simlab.invariants import check
from tests.strategies.products.kit import answered_ms, event, line, main_calls, plan_of, request, run, tool, world


def test_reject_refuses_at_once_and_accepts_again_when_the_run_is_over() -> None:
    record = run("langgraph-reject", world([request(), event("U2", 5000), event("U3", 13_000)]))
    assert line(record) == "U1 A[c1] R(c1) A U3 A"
    refused = [(at_ms, item.event_id) for at_ms, item in record.trace.records if isinstance(item, Refuse)]
    assert refused == [(5000, "U2")]


def test_enqueue_gives_every_message_a_turn_of_its_own() -> None:
    record = run("langgraph-enqueue", world([request(), event("U2", 5000), event("U3", 6000)]))
    assert line(record) == "U1 A[c1] R(c1) A U2 A U3 A"
    assert (answered_ms(record, "U2"), answered_ms(record, "U3")) == (14_000, 16_000)


def test_interrupt_leaves_the_cancelled_call_open_and_that_is_a_breach() -> None:
    record = run("langgraph-interrupt", world([request(), event("U2", 5000)]))
    assert line(record) == "U1 A[c1] U2 A"
    assert "every_call_is_closed_once" in {breach.invariant for breach in check(record)}


def test_interrupt_keeps_the_steps_that_were_complete() -> None:
    spec = world([request(), event("U2", 13_000)], [tool("a", 4000), tool("b", 8000)], plan_of("a", ("b", "a")))
    record = run("langgraph-interrupt", spec)  # a: 2,000-6,000; b: 8,000-16,000
    assert line(record) == "U1 A[c1] R(c1) A[c2] U2 A"


def test_the_patch_closes_the_call_behind_its_message_before_the_next_run() -> None:
    record = run("deepagents-interrupt", world([request(), event("U2", 5000)]))
    assert line(record) == "U1 A[c1] P(c1 cancelled before it took effect) U2 A[c2] R(c2) A"
    assert check(record) == []
    assert record.ended_ms == 17_000


def test_the_patch_says_unknown_of_a_tool_that_could_not_be_stopped() -> None:
    from simlab.sim.spec import CancelPoints, ToolModel

    stubborn = tool("t", 8000, can_be_cancelled=False)
    stubborn = ToolModel(spec=stubborn.spec, run_ms=stubborn.run_ms, cancel_points=CancelPoints.NONE)
    record = run("deepagents-interrupt", world([request(), event("U2", 5000)], [stubborn]))
    assert line(record) == "U1 A[c1] P(c1 cancelled, effect unknown) U2 A[c2] R(c2) A"
    assert check(record) == []


def test_rollback_deletes_the_run_and_its_first_input() -> None:
    spec = world([request(), event("U2", 8000)], [tool("t", 8000, commit_share=0.5)])  # commits at 6,000
    record = run("langgraph-rollback", spec)
    assert line(record) == "U2 A"
    assert [effect.at_ms for effect in record.effects] == [6000]
    assert record.tasks["U1"].finished_ms is None
    assert check(record) == []


def test_rollback_with_a_client_that_sends_the_request_again_repeats_the_effect() -> None:
    spec = world([request(), event("U2", 8000)], [tool("t", 8000, commit_share=0.5)])
    record = run("langgraph-rollback-concat", spec)
    assert line(record) == "U1 U2 A[c2] R(c2) A"
    assert [(effect.at_ms, effect.duplicate) for effect in record.effects] == [(6000, False), (14_000, True)]


def test_a_rollback_during_the_first_model_call_discards_it() -> None:
    record = run("langgraph-rollback", world([request(), event("U2", 1000, IntentKind.LIGHT)]))
    assert line(record) == "U2 A"
    assert main_calls(record) == 2
