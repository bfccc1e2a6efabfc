"""pi: steering by skipping (version 1), after the whole batch (version 2), and follow-ups."""

from simlab.core.commands import Sleep
from simlab.invariants import check
from tests.strategies.products.kit import (
    answered_ms,
    event,
    line,
    main_calls,
    plan_of,
    request,
    run,
    tool,
    urgent,
    world,
)

TWO = [tool("a", 4000), tool("b", 8000)]
BOTH = plan_of("a", "b")


def test_version_1_skips_what_has_not_started_when_a_tool_returns() -> None:
    record = run("pi-v1-steer-seq", world([request(), event("U2", 3000)], TWO, BOTH))  # a: 2,000-6,000
    assert line(record) == "U1 A[c1,c2] R(c1) P(c2 not started) U2 A[c3] R(c3) A"
    assert (answered_ms(record, "U2"), record.ended_ms) == (8000, 18_000)
    assert check(record) == []


def test_version_1_takes_one_message_at_a_time() -> None:
    record = run("pi-v1-steer-seq", world([request(), event("U2", 3000), event("U3", 3500)], TWO, BOTH))
    assert line(record) == "U1 A[c1,c2] R(c1) P(c2 not started) U2 A[c3] R(c3) U3 A"


def test_version_2_lets_the_whole_batch_run_and_needs_one_call_less() -> None:
    record = run("pi-v2-steer", world([request(), event("U2", 3000)], TWO, BOTH))  # both end by 10,000
    assert line(record) == "U1 A[c1,c2] R(c1) R(c2) U2 A"
    assert (answered_ms(record, "U2"), main_calls(record)) == (12_000, 2)


def test_version_2_takes_one_message_a_round() -> None:
    record = run("pi-v2-steer", world([request(), event("U2", 3000), event("U3", 3500)], TWO, BOTH))
    assert line(record) == "U1 A[c1,c2] R(c1) R(c2) U2 A U3 A"


def test_parallel_tools_are_skipped_between_preparation_and_launch() -> None:
    tools = [tool("a", 4000, prepare_ms=500), tool("b", 8000, prepare_ms=1500)]
    record = run("pi-v1-steer-par", world([request(), event("U2", 3000)], tools, BOTH))  # a starts 2,500; b would 3,500
    assert line(record) == "U1 A[c1,c2] P(c2 not started) R(c1) U2 A[c3] R(c3) A"
    assert [run.tool for run in record.tool_runs] == ["a", "b"]
    assert record.tool_runs[1].started_ms == 10_000  # asked for again at 6,500-8,500, prepared until 10,000


def test_parallel_tools_that_were_launched_all_run() -> None:
    record = run("pi-v1-steer-par", world([request(), event("U2", 3000)], TWO, BOTH))
    assert line(record) == "U1 A[c1,c2] R(c1) R(c2) U2 A"


def test_follow_ups_enter_only_when_the_turn_would_end_and_steers_come_first() -> None:
    record = run("pi-followup", world([request(), event("F1", 4000), event("F2", 4500), urgent("S", 5000)], TWO, BOTH))
    assert line(record) == "U1 A[c1,c2] R(c1) R(c2) S A F1 A F2 A"
    assert sum(isinstance(item, Sleep) for _, item in record.trace.records) == 1
