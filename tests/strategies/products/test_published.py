"""Published figures and counting arguments: t3code's answer times, and what a message costs in model calls."""

import pytest

from simlab.core.record import IntentKind
from tests.strategies.products.kit import answered_ms, event, main_calls, request, run, tool, urgent, world

PING = tool("t", 39_000)  # ping -c 40: forty probes, one second apart
ASKED_MS = 2100 + 5900  # replies take 2,100 ms; the message comes 5.9 s after the tool's start


@pytest.mark.parametrize(
    ("name", "answer_ms"),
    [
        ("claude-reminder", 35_200),
        ("codex-steer", 35_200),
        ("queue", 35_200),
        ("cancel", 2100),
        ("openclaw-interrupt", 2100),
    ],
)
def test_t3code_waits_35_2_s_for_the_tool_or_answers_in_2_1_s(name: str, answer_ms: int) -> None:
    record = run(name, world([request(), event("U2", ASKED_MS)], [PING], call_ms=2100))
    acted = answered_ms(record, "U2")
    assert acted is not None
    assert acted - ASKED_MS == answer_ms


def _extra(name: str, at_ms: int, *, stops: bool = False, kind: IntentKind = IntentKind.LIGHT) -> tuple[int, int]:
    """Return how many more main calls are started and kept than without the message. Calls: 0-2,000; 10,000-12,000."""
    bare = run(name, world([request()]))
    task = "U1" if kind is IntentKind.CORRECT else None
    second = urgent("U2", at_ms, kind, task=task) if stops else event("U2", at_ms, kind, task=task)
    record = run(name, world([request(), second]))
    kept = sum(call.kept and not call.side for call in record.model_calls)
    return main_calls(record) - main_calls(bare), kept - sum(call.kept for call in bare.model_calls)


@pytest.mark.parametrize("name", ["queue", "codex-steer", "claude-reminder", "opencode-steer", "pi-v2-steer"])
@pytest.mark.parametrize(("at_ms", "extra"), [(5000, 0), (11_000, 1), (1000, 0)])
def test_a_waiting_message_costs_a_call_only_when_it_comes_in_the_final_one(name: str, at_ms: int, extra: int) -> None:
    assert _extra(name, at_ms) == (extra, extra)


@pytest.mark.parametrize("name", ["book-cancel", "cancel", "deepagents-interrupt", "codex-interrupt"])
def test_an_interrupt_in_a_call_starts_one_more_and_keeps_none_more(name: str) -> None:
    assert _extra(name, 11_000, stops=True) == (1, 0)


@pytest.mark.parametrize("name", ["book-cancel", "cancel", "codex-interrupt"])
def test_an_interrupt_in_tools_keeps_one_more_unless_it_voids_the_task(name: str) -> None:
    assert _extra(name, 5000, stops=True) == (1, 1)
    assert _extra(name, 5000, stops=True, kind=IntentKind.CORRECT) == (0, 0)


@pytest.mark.parametrize("name", ["langgraph-enqueue", "queue-turn"])
@pytest.mark.parametrize("at_ms", [1000, 5000, 11_000])
def test_one_turn_for_each_message_costs_a_call_each(name: str, at_ms: int) -> None:
    assert _extra(name, at_ms) == (1, 1)
