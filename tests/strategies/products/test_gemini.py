"""Gemini CLI: joined when idle, and hints with an acknowledgement."""

import dataclasses

from simlab.core.messages import EventMessage, Mark
from simlab.sim.laws import Constant
from simlab.strategies.products.gemini_hint import ACKNOWLEDGE_MS
from tests.strategies.products.kit import answered_ms, event, line, request, run, world


def test_what_waits_becomes_one_message_when_the_agent_is_idle() -> None:
    record = run("gemini-idle-join", world([request(), event("U2", 4000), event("U3", 11_000)]))
    assert line(record) == "U1 A[c1] R(c1) A U2+U3 A"
    assert answered_ms(record, "U2") == 14_000


def test_a_hint_stands_before_the_results_and_is_acknowledged_within_1_2_s() -> None:
    slow = dataclasses.replace(world([request(), event("U2", 4000)]), acknowledge_ms=Constant(value=3000.0))
    record = run("gemini-hint", slow)
    assert line(record) == "U1 A[c1] R(c1) U2 A"
    assert record.events["U2"].acknowledged_ms == 5200
    assert ACKNOWLEDGE_MS == 1200
    hint = record.trace.trajectory()[3]
    assert isinstance(hint, EventMessage)
    assert hint.mark is Mark.IN_RESULT


def test_a_quick_acknowledgement_is_sent_when_it_is_ready() -> None:
    record = run("gemini-hint", world([request(), event("U2", 4000)]))
    assert record.events["U2"].acknowledged_ms == 5000
