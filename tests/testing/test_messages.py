"""Which requests a provider of the OpenAI Chat format would refuse."""

import pytest

from simlab.testing.contract import Message, assistant_message
from simlab.testing.messages import judge_messages

USER: Message = {"role": "user", "content": "do it"}
CALLS = assistant_message("I start", [("x", "work", {}), ("y", "work", {})])


def result(call_id: str) -> Message:
    return {"role": "tool", "tool_call_id": call_id, "content": "done"}


@pytest.mark.parametrize(
    "messages",
    [
        [USER],
        [USER, CALLS, result("y"), result("x")],
        [USER, CALLS, result("x"), result("y"), USER, USER, assistant_message("done", [])],
    ],
)
def test_calls_answered_directly_behind_in_any_order_are_accepted(messages: list[Message]) -> None:
    assert judge_messages([messages]) == []


@pytest.mark.parametrize(
    ("messages", "rules"),
    [
        ([USER, CALLS, result("x"), USER], [("dangling_tool_call", "y", 1)]),
        ([USER, CALLS, result("x")], [("dangling_tool_call", "y", 1)]),
        ([USER, CALLS, result("x"), USER, result("y")], [("interleaved_message", "message 1", 3)]),
        ([USER, CALLS, result("x"), result("x"), result("y")], [("duplicate_tool_result", "x", 3)]),
        ([USER, result("x")], [("orphan_tool_result", "x", 1)]),
    ],
)
def test_a_breach_names_its_rule_call_and_message(messages: list[Message], rules: list[tuple[str, str, int]]) -> None:
    found = judge_messages([[USER], messages])
    assert [(breach.request, breach.message, breach.rule) for breach in found] == [
        (1, at, rule) for rule, _, at in rules
    ]
    assert all(named in breach.why for breach, (_, named, _) in zip(found, rules, strict=True))
