"""Products with one policy each: Cline, Copilot, docker agent, ARE, Inspect, Foundry, Revisable by Design."""

import dataclasses

import pytest

from simlab.analysis.metrics import run_row
from simlab.core.commands import Drop, Refuse, Rewind
from simlab.core.events import EventType
from simlab.core.messages import EventMessage, Mark, ToolKind, ToolSpec
from simlab.core.record import IntentKind
from simlab.invariants import check
from simlab.sim.laws import Constant
from simlab.sim.spec import ToolModel
from simlab.strategies.products.docker_steer import CAP
from tests.strategies.products.kit import answered_ms, event, line, plan_of, request, run, tool, urgent, world

CHAIN = [tool("a", 4000), tool("b", 4000)]
ONE_AFTER_THE_OTHER = plan_of("a", ("b", "a"))


def test_cline_inserts_at_the_front_and_takes_one_before_each_call() -> None:
    events = [event("U2", 3000), event("U3", 4000), event("U4", 5000)]
    record = run("cline-steer-front", world([request(), *events], CHAIN, ONE_AFTER_THE_OTHER))
    assert line(record) == "U1 A[c1] R(c1) U4 A[c2] R(c2) U3 A U2 A"


def test_cline_merges_a_message_of_the_same_text() -> None:
    record = run(
        "cline-steer-front", world([request(), event("U2", 3000, text="hurry"), event("U3", 4000, text="hurry")])
    )
    assert line(record) == "U1 A[c1] R(c1) U3 A"
    assert check(record) == []


def test_copilot_immediate_enters_before_the_next_call_and_overtakes_the_queue() -> None:
    record = run("copilot-immediate", world([request(), event("Q1", 4000), urgent("S", 5000)]))
    assert line(record) == "U1 A[c1] R(c1) S A Q1 A"


def test_copilot_immediate_that_missed_the_turn_is_first_in_the_queue_with_a_turn_of_its_own() -> None:
    record = run("copilot-immediate", world([request(), event("Q1", 4000), urgent("S", 11_000)]))
    assert line(record) == "U1 A[c1] R(c1) A S A Q1 A"
    assert answered_ms(record, "S") == 14_000


def test_docker_refuses_the_sixth_steer() -> None:
    events = [event(f"E{number}", 3000 + number) for number in range(CAP + 1)]
    record = run("docker-steer", world([request(), *events]))
    assert CAP == 5
    assert [item.event_id for _, item in record.trace.records if isinstance(item, Refuse)] == ["E5"]
    assert line(record) == "U1 A[c1] R(c1) E0 E1 E2 E3 E4 A"
    marks = {message.mark for message in record.trace.trajectory()[3:] if isinstance(message, EventMessage)}
    assert marks == {Mark.REMINDER}


def test_docker_keeps_the_loop_alive_for_a_steer_in_the_last_call() -> None:
    assert line(run("docker-steer", world([request(), event("U2", 11_000)]))) == "U1 A[c1] R(c1) A U2 A"


def test_docker_without_draining_at_entry_strands_a_steer_until_the_next_tools() -> None:
    stranded = world([request(), event("U2", 11_000), event("U3", 20_000), request("U4", 30_000)])
    record = run("docker-steer-no-entry", stranded)
    assert line(record) == "U1 A[c1] R(c1) A U3 A U4 A[c2] R(c2) U2 A"


def test_are_pulls_one_block_a_step_and_filters_a_class() -> None:
    noise = event("N", 3000, event_type=EventType.EXTERNAL_TRIGGER, source="app")
    record = run("are-step-pull", world([request(), noise, event("U2", 4000), event("U3", 5000)]))
    assert line(record) == "U1 A[c1] R(c1) U2+U3 A"
    assert [(item.event_ids, item.reason) for _, item in record.trace.records if isinstance(item, Drop)] == [
        (("N",), "filtered")
    ]


def test_are_reacts_after_its_end_only_at_the_next_wake() -> None:
    timer = event("T", 13_000, event_type=EventType.TIMER_TRIGGER, source="clock")
    record = run("are-step-pull", world([request(), timer, event("U2", 20_000)]))
    assert line(record) == "U1 A[c1] R(c1) A T+U2 A"
    assert record.events["T"].consumed_ms == 20_000


def test_inspect_fills_blocks_for_the_operator_and_joins_the_posts() -> None:
    events = [event("P1", 3000), urgent("O", 5000), event("P2", 9000), event("P3", 9000)]
    record = run("inspect-stop-and-wait", world([request(), *events]))
    assert line(record) == "U1 A[c1] P(c1 cancelled before it took effect) O P1+P2+P3 A[c2] R(c2) A"
    assert record.events["P1"].consumed_ms == 9000
    assert check(record) == []


def test_foundry_yields_between_stream_items_and_keeps_the_partial_answer() -> None:
    record = run("foundry-cooperative", world([request(), event("U2", 10_500)], thinking_share=0.5))
    assert line(record) == "U1 A[c1] R(c1) A U2 A"  # the item of the call 10,000-12,000 ends at 11,000
    assert (record.events["U2"].consumed_ms, answered_ms(record, "U2")) == (11_000, 13_000)
    assert check(record) == []


def test_foundry_finishes_its_tools_first_and_refuses_what_it_cannot_reach_in_time() -> None:
    record = run("foundry-cooperative", world([request(), event("U2", 3000)], [tool("t", 60_000)]))
    assert line(record) == "U1 A[c1] R(c1) A"
    refused = [(at_ms, item.event_id) for at_ms, item in record.trace.records if isinstance(item, Refuse)]
    assert refused == [(33_000, "U2")]
    assert line(run("foundry-cooperative", world([request(), event("U2", 3000)]))) == "U1 A[c1] R(c1) U2 A"


def _effect(name: str, undo: str) -> ToolModel:
    spec = ToolSpec(name=name, kind=ToolKind.EFFECT, undo=undo, irreversible=undo == "none")
    return ToolModel(spec=spec, run_ms=Constant(value=4000.0), commit_share=0.5)


def test_a_revision_cuts_history_at_the_conflict_and_undoes_what_can_be_undone() -> None:
    revision = event("U2", 10_000, IntentKind.AMEND, task="U1")
    tools = [_effect("a", "undo"), tool("b", 4000)]
    record = run("rollback-to-conflict", world([request(), revision], tools, ONE_AFTER_THE_OTHER))
    assert line(record) == "U1 U2 A[c3] R(c3) A[c4] R(c4) A"  # a: 2,000-6,000; b cancelled at 10,000
    assert record.tool_runs[0].undone_ms == 10_000
    assert [effect.duplicate for effect in record.effects] == [False, False]
    assert check(record) == []


def test_an_irreversible_step_stays_in_history() -> None:
    revision = event("U2", 10_000, IntentKind.AMEND, task="U1")
    tools = [_effect("a", "none"), tool("b", 4000)]
    record = run("rollback-to-conflict", world([request(), revision], tools, ONE_AFTER_THE_OTHER))
    assert line(record) == "U1 A[c1] R(c1) U2 A[c3] R(c3) A"
    assert [item.length for _, item in record.trace.records if isinstance(item, Rewind)] == [3]
    assert len(record.effects) == 1


def test_the_holding_reply_comes_at_once_and_the_answer_when_the_round_has_closed() -> None:
    spec = dataclasses.replace(world([request(), event("U2", 5000)]), acknowledge_ms=Constant(value=700.0))
    record = run("holding-reply", spec)
    assert line(record) == "U1 A[c1] R(c1) U2 A"
    assert (record.events["U2"].acknowledged_ms, answered_ms(record, "U2")) == (5700, 12_000)


def test_a_companion_queue_that_flushes_only_at_tools_strands_what_comes_in_the_last_call() -> None:
    record = run("book-queue-no-flush", world([request(), event("U2", 5000), event("U3", 11_000)]))
    assert line(record) == "U1 A[c1] R(c1) U2 A"
    assert record.events["U3"].consumed_ms is None


def test_each_holding_reply_has_its_price() -> None:
    spec = world([request(), event("U2", 5000), event("U3", 5500)])
    paid = run("holding-reply", dataclasses.replace(spec, acknowledge_usd=0.0002))
    free = run("holding-reply", spec)
    assert paid.acknowledge_cost_usd == 2 * 0.0002
    assert run_row(paid).model_cost_usd - run_row(free).model_cost_usd == pytest.approx(0.0004)
