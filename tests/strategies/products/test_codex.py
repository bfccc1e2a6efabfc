"""Codex: steering, aborting, and mail from peers."""

from simlab.core.commands import Drop, Sleep
from simlab.core.record import IntentKind
from simlab.invariants import check
from simlab.sim.spec import CancelPoints, ToolModel
from tests.strategies.products.kit import answered_ms, event, line, request, run, tool, urgent, world


def test_steer_enters_before_the_next_call_of_the_same_turn() -> None:
    record = run("codex-steer", world([request(), event("U2", 5000), event("U3", 6000)]))
    assert line(record) == "U1 A[c1] R(c1) U2 U3 A"
    assert answered_ms(record, "U3") == 12_000


def test_steer_that_waits_at_the_end_of_the_turn_keeps_it_going() -> None:
    record = run("codex-steer", world([request(), event("U2", 11_000)]))
    assert line(record) == "U1 A[c1] R(c1) A U2 A"
    assert sum(isinstance(item, Sleep) for _, item in record.trace.records) == 1


def test_the_first_call_of_a_turn_takes_nothing_but_its_message() -> None:
    record = run("codex-steer", world([request(), event("U2", 0)]))
    assert line(record) == "U1 A[c1] R(c1) U2 A"


def test_interrupt_clears_what_waits_and_goes_idle_before_the_next_turn() -> None:
    record = run("codex-interrupt", world([request(), event("U2", 4000), urgent("U3", 5000)]))
    assert line(record) == "U1 A[c1] P(c1 cancelled before it took effect) U3 A[c2] R(c2) A"
    dropped = [(at_ms, item.event_ids, item.reason) for at_ms, item in record.trace.records if isinstance(item, Drop)]
    assert dropped == [(5000, ("U2",), "cleared")]
    assert next(at_ms for at_ms, item in record.trace.records if isinstance(item, Sleep)) == 5000
    assert check(record) == []


def test_interrupt_waits_100_ms_for_a_tool_that_does_not_listen() -> None:
    deaf = ToolModel(spec=tool("t", 8000).spec, run_ms=tool("t", 8000).run_ms, cancel_points=CancelPoints.NONE)
    record = run("codex-interrupt", world([request(), urgent("U2", 5000, IntentKind.CORRECT, task="U1")], [deaf]))
    assert line(record) == "U1 A[c1] P(c1 cancelled, effect unknown) U2 A L(c1) A"
    assert record.events["U2"].consumed_ms == 5100
    assert answered_ms(record, "U2") == 7100
    assert check(record) == []
