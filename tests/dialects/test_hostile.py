"""Any JSON value anywhere gives findings, never an exception, and never takes more than linear time."""

import math
from typing import Any

import pytest
from hypothesis import given

from simlab.dialects.findings import Finding
from simlab.dialects.registry import DIALECTS, MODES, check
from tests.dialects.generators import ANYTHING, NEARLY_MESSAGES, REQUESTS
from tests.timing import least_cpu_seconds


def nested(depth: int) -> Any:
    value: Any = "leaf"
    for step in range(depth):
        value = [value] if step % 2 else {"content": value}
    return value


@given(NEARLY_MESSAGES, REQUESTS)
def test_nearly_messages_give_findings_in_every_dialect_and_mode(messages: list[Any], request: dict[str, Any]) -> None:
    for dialect in DIALECTS:
        for mode in MODES:
            for found in check(dialect, messages, request=request, mode=mode):
                assert isinstance(found, Finding)
                assert found.index is None or 0 <= found.index < len(messages)


@given(ANYTHING)
def test_a_conversation_of_any_type_gives_findings(messages: Any) -> None:
    for dialect in DIALECTS:
        assert isinstance(check(dialect, messages), list)


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("field", ["content", "parts", "tool_calls", "tool_call_id", "role", "output", "call_id"])
def test_deep_nesting_is_no_recursion(dialect: str, field: str) -> None:
    deep = nested(20_000)
    messages = [{"role": "user", "content": "Go."}, {"role": "assistant", field: deep}, {"role": "tool", field: [deep]}]

    for mode in MODES:
        assert isinstance(check(dialect, messages, mode=mode), list)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_deeply_nested_arguments_are_judged(dialect: str) -> None:
    text = "[" * 100_000
    call = {"id": "Ab1Cd2Ef3", "type": "function", "function": {"name": "f", "arguments": text}}
    item = {"type": "function_call", "call_id": "c1", "name": "f", "arguments": text}

    assert isinstance(check(dialect, [{"role": "assistant", "tool_calls": [call]}, item], mode="strict"), list)


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize(
    "name", [math.nan, math.inf, 10**400, True, ["x"], {"x": 1}, "\ud800", "\x00", "x" * 1_000_000]
)
def test_odd_ids_are_findings_with_short_texts(dialect: str, name: Any) -> None:
    messages = [
        {"role": "user", "content": "Go."},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"id": name, "function": {"name": "f", "arguments": "{}"}}],
        },
        {"role": "tool", "tool_call_id": name, "content": "seen"},
        {"type": "function_call", "call_id": name},
        {"role": "assistant", "content": [{"type": "tool_use", "id": name}, {"toolUse": {"toolUseId": name}}]},
        {
            "role": "user",
            "content": [{"type": "tool_result", "tool_use_id": name}, {"toolResult": {"toolUseId": name}}],
        },
        {"role": "model", "parts": [{"functionCall": {"name": name, "id": name}}]},
        {"role": "user", "parts": [{"functionResponse": {"name": name, "id": name}}]},
    ]

    for found in check(dialect, messages):
        assert len(found.message) + len(found.provider_error or "") < 1500


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("shape", ["late results", "one huge turn"])
def test_time_grows_with_the_length_only(dialect: str, shape: str) -> None:
    make = _late_results if shape == "late results" else _huge_turn

    def seconds(size: int) -> float:
        messages = make(size)
        return least_cpu_seconds(lambda: check(dialect, messages, mode="strict"))

    seconds(500)
    short, long = seconds(1000), seconds(10_000)

    assert long < 40 * short + 0.05


def _huge_turn(size: int) -> list[Any]:
    """One turn makes all calls, without ids, and results without ids follow."""
    call = {"id": None, "function": {"name": "f", "arguments": "{}"}}
    return [
        {"role": "user", "content": [{"type": "text", "text": "Go."}, {"text": "Go."}]},
        {"role": "assistant", "content": [{"type": "tool_use", "toolUse": {}}] * size, "tool_calls": [call] * size},
        *([{"role": "tool"}] * size),
        {"role": "user", "content": [{"type": "tool_result", "toolResult": {}}] * size},
        {"role": "model", "parts": [{"functionCall": {"name": "f"}}] * size},
        {"role": "user", "parts": [{"functionResponse": {"name": "f"}}] * size},
    ]


def _late_results(size: int) -> list[Any]:
    """Every call is left open first and answered long afterwards: the worst case of pairing."""
    names = [f"C{number:08d}" for number in range(size // 4)]
    chat: list[Any] = [
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"id": name, "function": {"name": "f", "arguments": "{}"}}],
        }
        for name in names
    ]
    chat += [{"role": "tool", "tool_call_id": name, "content": "seen"} for name in names]
    chat += [{"type": "function_call", "call_id": name, "arguments": "{}"} for name in names]
    chat += [{"role": "user", "content": [{"type": "tool_result", "tool_use_id": name}]} for name in names]
    return chat
