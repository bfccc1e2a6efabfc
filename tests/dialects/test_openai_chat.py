import pytest

from simlab.dialects.openai_chat import RULES, check, parses_to_object
from tests.dialects.judged import errors, rules
from tests.dialects.planted import LONG, call, calls, says, tool, user

DIALECT = "openai_chat"


@pytest.mark.parametrize(
    "messages",
    [
        [user(), calls(call("a"), call("b")), tool("b"), tool("a")],
        [user(), calls(call(), content=""), tool()],
        [user(), calls(call(), content="Looking."), tool(content="")],
        [user(), calls(call(arguments='{"cut')), tool()],
        [user(), user(), says(), says()],
        [says("Good morning."), user()],
        [user(), says(), {"role": "developer", "content": "Be brief."}, {"role": "system", "content": "Be kind."}],
        [user(), calls(call()), tool(), user("More."), says()],
        [user(), {"role": "assistant", "content": None, "refusal": "No."}],
        [{"role": "user", "content": [{"type": "text", "text": "Look."}, {"type": "image_url", "image_url": {}}]}],
        [user(), calls({"id": "x", "type": "custom", "custom": {"name": "sh", "input": "ls"}}), tool("x")],
        [
            user(),
            {**says(), "function_call": {"name": "f", "arguments": "{}"}},
            {"role": "function", "name": "f", "content": "1"},
        ],
        [user(), {**says(), "tool_calls": None}],
    ],
)
def test_what_the_provider_takes_raises_nothing(messages: list[object]) -> None:
    assert rules(DIALECT, *messages) == []


def test_one_constant_id_for_all_calls_is_paired_in_order() -> None:
    found = errors(DIALECT, user(), calls(call("x")), tool("x"), calls(call("x")), tool("x"), calls(call("x")), user())

    assert found == [("dangling_tool_call", 5)]


def test_a_call_that_is_answered_after_the_model_has_gone_on_is_left_and_its_result_an_orphan() -> None:
    found = errors(DIALECT, user(), calls(call()), user("Wait."), says("Yes?"), tool())

    assert found == [("dangling_tool_call", 1), ("orphan_tool_result", 4)]


def test_each_message_between_call_and_result_is_named_once() -> None:
    found = errors(DIALECT, user(), calls(call("a"), call("b")), user(), tool("a"), user(), tool("b"))

    assert found == [("interleaved_message", 2), ("interleaved_message", 4)]


def test_results_behind_a_second_turn_of_calls_are_out_of_place() -> None:
    found = check([user(), calls(call("a")), calls(call("b")), tool("b"), tool("a")], {}, "request")

    assert [(one.rule, one.index, one.partner) for one in found] == [("interleaved_message", 2, 1)]


def test_a_call_is_named_by_its_path() -> None:
    found = check([user(), calls(call("a"), call("b")), tool("a"), user()], {}, "request")

    assert [one.path for one in found] == ["messages[1].tool_calls[1]"]
    assert found[0].provider_error == RULES["dangling_tool_call"].error.replace("{id}", "b")  # type: ignore[union-attr]


def test_a_second_result_names_the_first_one() -> None:
    found = check([user(), calls(call()), tool(), tool()], {}, "request")

    assert [(one.index, one.partner) for one in found] == [(3, 2)]
    assert found[0].provider_error == (
        "Invalid parameter: Duplicate value for 'tool_call_id' of 'c1', in messages[2] and messages[3]."
    )


def test_a_long_id_is_named_in_call_and_result() -> None:
    assert errors(DIALECT, user(), calls(call(LONG)), tool(LONG)) == [("bad_id_format", 1), ("bad_id_format", 2)]


def test_calls_without_ids_are_told_as_that_alone() -> None:
    assert errors(DIALECT, user(), calls(call("")), tool("")) == [("missing_call_id", 1), ("missing_call_id", 2)]


def test_the_deprecated_function_shape_is_paired_by_position_and_name() -> None:
    made = {"role": "assistant", "content": None, "function_call": {"name": "f", "arguments": "{}"}}
    other = {"role": "function", "name": "g", "content": "1"}

    assert errors(DIALECT, user(), made, user()) == [("dangling_tool_call", 1)]
    assert errors(DIALECT, user(), made, other) == [("dangling_tool_call", 1), ("orphan_tool_result", 2)]


@pytest.mark.parametrize(
    "said", ["Tool output: a.md", "[tool result] 4", "function response: {}", "Command output:\nok"]
)
def test_a_result_given_as_user_text_is_pointed_out(said: str) -> None:
    assert ("result_as_user_text", 2) in rules(DIALECT, user(), calls(call()), user(said))


@pytest.mark.parametrize("said", ["The tool failed, mind that.", "What did the function say?", "Stop."])
def test_ordinary_user_text_is_not_taken_for_a_result(said: str) -> None:
    assert rules(DIALECT, user(), calls(call()), user(said)) == [("dangling_tool_call", 1)]


@pytest.mark.parametrize(
    ("arguments", "whole"), [("{}", True), ("[1]", False), ('{"a"', False), (None, False), ({}, True)]
)
def test_arguments_are_whole_when_they_are_an_object(arguments: object, whole: bool) -> None:
    assert parses_to_object(arguments) is whole
