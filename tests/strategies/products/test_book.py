"""The source book's own strategies."""

from simlab.core.record import IntentKind
from tests.strategies.products.kit import answered_ms, event, line, request, run, tool, urgent, world


def test_cancel_flushes_the_backlog_and_appends_the_urgent_event_last() -> None:
    record = run("book-cancel", world([request(), event("U2", 4000), urgent("U3", 5000)]))
    assert line(record) == "U1 A[c1] P(c1 cancelled before it took effect) U2 U3 A[c2] R(c2) A"
    assert (answered_ms(record, "U2"), answered_ms(record, "U3")) == (7000, 7000)


def test_cancel_discards_the_output_of_a_model_call() -> None:
    record = run("book-cancel", world([request(), urgent("U2", 11_000)]))
    assert line(record) == "U1 A[c1] R(c1) U2 A"
    assert [call.kept for call in record.model_calls] == [True, False, True]


def test_the_result_of_a_tool_that_cannot_be_cancelled_comes_late_as_an_event() -> None:
    fixed = tool("t", 8000, can_be_cancelled=False)
    record = run("book-cancel", world([request(), urgent("U2", 5000, IntentKind.LIGHT)], [fixed]))
    assert line(record) == "U1 A[c1] P(c1 still running) U2 A L(c1) A"
