"""OpenCode: steering with barriers, one queued item a turn, and repair at the next drain."""

from simlab.core.commands import Sleep
from simlab.core.events import EventType
from simlab.invariants import check
from tests.strategies.products.kit import event, line, main_calls, request, run, urgent, world


def test_a_barrier_splits_the_batch() -> None:
    barrier = event("B", 4500, event_type=EventType.SUPERVISOR_INSTRUCTION, source="supervisor")
    record = run("opencode-steer", world([request(), event("U2", 4000), barrier, event("U3", 5000)]))
    assert line(record) == "U1 A[c1] R(c1) U2 A B A U3 A"


def test_without_barriers_everything_enters_at_the_next_step() -> None:
    record = run("opencode-steer", world([request(), event("U2", 4000), event("U3", 5000)]))
    assert line(record) == "U1 A[c1] R(c1) U2 U3 A"
    assert main_calls(record) == 2


def test_queued_items_get_a_turn_each_and_steers_enter_at_the_next_step() -> None:
    record = run("opencode-queue", world([request(), event("Q1", 4000), event("Q2", 4500), urgent("S", 5000)]))
    assert line(record) == "U1 A[c1] R(c1) S A Q1 A Q2 A"


def test_a_steer_that_missed_the_turn_goes_with_the_next_queued_item() -> None:
    record = run("opencode-queue", world([request(), urgent("S", 12_000), event("Q1", 12_000)]))
    assert line(record) == "U1 A[c1] R(c1) A S A Q1 A"  # the turn ends at 12,000: the steer keeps it going


def test_interrupt_keeps_what_is_pending_and_fails_orphans_at_the_next_drain() -> None:
    record = run("opencode-interrupt", world([request(), event("Q1", 4000), urgent("S", 5000)]))
    assert line(record) == "U1 A[c1] P(c1 cancelled before it took effect) Q1 S A[c2] R(c2) A"
    assert next(at_ms for at_ms, item in record.trace.records if isinstance(item, Sleep)) == 5000
    assert check(record) == []
