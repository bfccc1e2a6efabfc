"""Claude Code: reminders, stopping for the user, and side questions."""

from simlab.core.commands import Sleep
from simlab.core.events import EventType
from simlab.core.messages import AssistantMessage, EventMessage, Mark
from simlab.core.record import IntentKind
from simlab.invariants import check
from tests.strategies.products.kit import answered_ms, event, line, main_calls, request, run, urgent, world


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


def test_esc_fills_every_call_keeps_what_waits_and_waits_for_the_user() -> None:
    record = run("claude-esc", world([request(), event("U2", 4000), urgent("U3", 5000), event("U4", 9000)]))
    assert line(record) == "U1 A[c1] P(c1 cancelled before it took effect) U3 U2 U4 A[c2] R(c2) A"
    assert (record.events["U3"].consumed_ms, record.events["U2"].consumed_ms) == (5000, 9000)
    assert [item.waits_for_user for _, item in record.trace.records if isinstance(item, Sleep)] == [True, False]
    assert check(record) == []


def test_esc_keeps_the_partial_answer() -> None:
    record = run("claude-esc", world([request(), urgent("U2", 11_000), event("U3", 15_000)]))
    assert line(record) == "U1 A[c1] R(c1) A U2 U3 A"
    partial = record.trace.trajectory()[3]
    assert isinstance(partial, AssistantMessage)
    assert partial.cut


def test_only_a_new_word_of_a_person_ends_the_wait() -> None:
    timer = event("T", 7000, event_type=EventType.TIMER_TRIGGER, source="clock")
    record = run("claude-esc", world([request(), event("U2", 4000), urgent("U3", 5000), timer]))
    assert line(record) == "U1 A[c1] P(c1 cancelled before it took effect) U3"
    assert check(record) == []


def test_a_side_question_is_answered_at_once_and_leaves_no_trace_in_the_main_history() -> None:
    record = run("claude-side-question", world([request(), event("U2", 5000)]))
    assert line(record) == "U1 A[c1] R(c1) A"
    assert (answered_ms(record, "U2"), record.ended_ms) == (7000, 12_000)
    assert [call.side for call in record.model_calls] == [False, True, False]


def test_a_side_question_that_needs_the_main_task_reaches_it() -> None:
    record = run("claude-side-question", world([request(), event("U2", 5000, IntentKind.AMEND, task="U1")]))
    assert line(record) == "U1 A[c1] R(c1) U2 A"
