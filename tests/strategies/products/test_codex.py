"""Codex: steering, aborting, and mail from peers."""

from simlab.core.commands import Drop, Sleep
from simlab.core.events import EventType
from simlab.core.record import IntentKind
from simlab.invariants import check
from simlab.sim.spec import CancelPoints, ToolModel
from simlab.strategies.products.codex_interrupt import GRACE_MS
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


def test_interrupt_has_the_grace_that_the_product_has() -> None:
    assert GRACE_MS == 100


def test_instant_interrupt_discards_the_stream_and_samples_again() -> None:
    record = run("codex-instant-interrupt", world([request(), event("U2", 11_000)]))  # the last call: 10,000-12,000
    assert line(record) == "U1 A[c1] R(c1) U2 A"
    assert [call.kept for call in record.model_calls] == [True, False, True]
    assert answered_ms(record, "U2") == 13_000


def test_instant_interrupt_is_a_steer_while_tools_run() -> None:
    assert line(run("codex-instant-interrupt", world([request(), event("U2", 5000)]))) == "U1 A[c1] R(c1) U2 A"


def test_mail_that_triggers_stops_the_stream_between_items() -> None:
    mail = event("M", 500, event_type=EventType.AGENT_INTERRUPT, source="peer")
    record = run("codex-mailbox", world([request(), mail], thinking_share=0.5))  # the item ends at 1,000
    assert line(record) == "U1 M A[c1] R(c1) A"
    assert [call.ended_ms for call in record.model_calls[:2]] == [1000, 3000]


def test_mail_that_comes_with_the_final_answer_waits_for_the_next_turn() -> None:
    mail = event("M", 11_000, event_type=EventType.AGENT_INPUT, source="peer")
    record = run("codex-mailbox", world([request(), mail, event("U2", 20_000)]))
    assert line(record) == "U1 A[c1] R(c1) A M U2 A"
    assert record.events["M"].consumed_ms == 20_000


def test_mail_without_a_trigger_starves_when_nothing_follows() -> None:
    mail = event("M", 11_000, event_type=EventType.AGENT_INPUT, source="peer")
    record = run("codex-mailbox", world([request(), mail]))
    assert record.trace.complete
    assert record.events["M"].consumed_ms is None
