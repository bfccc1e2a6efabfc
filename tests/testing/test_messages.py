"""Which requests a provider of the OpenAI Chat format would refuse."""

import pytest

from simlab.testing.contract import Message, assistant_message
from simlab.testing.messages import Malformed, judge_messages

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
        (
            [USER, CALLS, result("x"), USER, result("y")],
            [("dangling_tool_call", "y", 1), ("orphan_tool_result", "y", 4)],
        ),
        ([USER, CALLS, result("x"), result("x"), result("y")], [("duplicate_tool_result", "x", 3)]),
        ([USER, result("x")], [("orphan_tool_result", "x", 1)]),
    ],
)
def test_a_breach_names_its_rule_call_and_message(messages: list[Message], rules: list[tuple[str, str, int]]) -> None:
    assert judge_messages([[USER], messages]) == [Malformed(1, index, rule, call) for rule, call, index in rules]
