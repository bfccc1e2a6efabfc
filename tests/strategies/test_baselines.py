"""Baselines: the bounds between which products lie."""

from simlab.core.record import IntentKind
from tests.strategies.products.kit import answered_ms, event, line, request, run, tool, urgent, world


def test_the_oracle_cancels_only_what_a_correction_is_about() -> None:
    correct = run("oracle-policy", world([request(), event("U2", 5000, IntentKind.CORRECT, task="U1")]), "oracle")
    assert line(correct) == "U1 A[c1] P(c1 cancelled before it took effect) U2 A"
    other = run("oracle-policy", world([request(), urgent("U2", 5000, IntentKind.REQUEST)]), "oracle")
    assert line(other) == "U1 A[c1] P(c1 still running) U2 A L(c1) A"


def test_the_oracle_answers_light_questions_aside_and_lets_amendments_wait() -> None:
    light = run("oracle-policy", world([request(), event("U2", 5000)]), "oracle")
    assert (line(light), answered_ms(light, "U2")) == ("U1 A[c1] R(c1) S(U2) A", 7000)
    amend = run("oracle-policy", world([request(), event("U2", 5000, IntentKind.AMEND, task="U1")]), "oracle")
    assert line(amend) == "U1 A[c1] R(c1) U2 A"


def test_ignoring_until_the_end_looks_at_nothing_during_a_turn() -> None:
    record = run("ignore-until-end", world([request(), urgent("U2", 3000), event("U3", 5000)]))
    assert line(record) == "U1 A[c1] R(c1) A U2 U3 A"


def test_always_interrupting_stops_even_for_a_late_result() -> None:
    fixed = tool("t", 8000, can_be_cancelled=False)
    record = run("always-interrupt", world([request(), event("U2", 5000), event("U3", 9000)], [fixed]))
    assert line(record) == "U1 A[c1] P(c1 still running) U2 A U3 L(c1) A"
    assert [call.kept for call in record.model_calls] == [True, True, False, True]


def test_random_gives_an_event_the_same_handling_in_every_run() -> None:
    spec = world([request(), *(event(f"E{number}", 3000 + 500 * number) for number in range(12))])
    first, second = run("random", spec), run("random", spec)
    assert line(first) == line(second)
    assert {"S(", "P("} <= {part[:2] for part in line(first).split()}
