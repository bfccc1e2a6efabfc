"""pi: steering by skipping (version 1), after the whole batch (version 2), and follow-ups."""

from simlab.invariants import check
from tests.strategies.products.kit import answered_ms, event, line, main_calls, plan_of, request, run, tool, world

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
