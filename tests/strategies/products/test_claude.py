"""Claude Code: reminders, stopping for the user, and side questions."""

from simlab.core.messages import EventMessage, Mark
from tests.strategies.products.kit import answered_ms, event, line, main_calls, request, run, world


def test_a_message_while_busy_travels_as_a_reminder_with_the_results_at_no_extra_call() -> None:
    record = run("claude-reminder", world([request(), event("U2", 4000), event("U3", 5000)]))
    assert line(record) == "U1 A[c1] R(c1) U2 U3 A"
    marks = [message.mark for message in record.trace.trajectory() if isinstance(message, EventMessage)]
    assert marks == [Mark.PLAIN, Mark.REMINDER, Mark.REMINDER]
    assert main_calls(record) == 2


def test_what_comes_in_the_last_call_begins_a_new_turn() -> None:
    record = run("claude-reminder", world([request(), event("U2", 11_000)]))
    assert line(record) == "U1 A[c1] R(c1) A U2 A"
    assert answered_ms(record, "U2") == 14_000
    marks = [message.mark for message in record.trace.trajectory() if isinstance(message, EventMessage)]
    assert marks == [Mark.PLAIN, Mark.PLAIN]
