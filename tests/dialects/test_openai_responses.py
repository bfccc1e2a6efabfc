import pytest

from simlab.dialects.openai_responses import check_replayed
from simlab.dialects.registry import check
from tests.dialects.judged import errors, rules
from tests.dialects.planted import function_call, item, output

DIALECT = "openai_responses"
REASONING = {"type": "reasoning", "id": "rs_1", "summary": []}


@pytest.mark.parametrize(
    "items",
    [
        [item(), function_call("a"), function_call("b"), output("b"), output("a")],
        [item(), function_call(), item(), output()],
        [{"role": "user", "content": "Go."}, function_call(), output()],
        [item(), REASONING, function_call("a", id="fc_1"), function_call("b", id="fc_2"), output("a"), output("b")],
        [item(), {"type": "reasoning", "summary": []}, item()],
        [item(), {"type": "web_search_call", "id": "ws_1", "status": "completed"}, item("assistant", "output_text")],
        [item(), {"type": "local_shell_call", "call_id": "c1", "action": {}}, output()],
        [item(), {"type": "custom_tool_call", "call_id": "c1", "input": "x"}, output(kind="custom_tool_call_output")],
        [item(), {"type": "item_reference", "id": "msg_1"}, {"type": "some_future_item"}],
    ],
)
def test_what_the_provider_takes_raises_nothing(items: list[object]) -> None:
    assert rules(DIALECT, *items) == []


def test_an_output_in_front_of_its_call_does_not_answer_it() -> None:
    assert errors(DIALECT, item(), output(), function_call()) == [("orphan_tool_result", 1), ("dangling_tool_call", 2)]


def test_a_custom_call_is_not_answered_by_a_function_output() -> None:
    custom = {"type": "custom_tool_call", "call_id": "c1", "name": "apply", "input": "x"}

    assert errors(DIALECT, item(), custom, output()) == [("dangling_tool_call", 1), ("orphan_tool_result", 2)]


@pytest.mark.parametrize("flag", ["previous_response_id", "conversation"])
def test_an_output_alone_is_right_when_the_call_is_stored_at_the_provider(flag: str) -> None:
    assert check(DIALECT, [output()], request={flag: "resp_1"}) == []


def test_calls_of_an_earlier_model_turn_are_left_behind_even_in_a_recording() -> None:
    items = [item(), function_call("a"), function_call("b"), output("a"), function_call("c")]

    assert errors(DIALECT, *items, mode="recording") == [("dangling_tool_call", 2)]


def test_reasoning_that_ends_a_recording_was_only_cut_off() -> None:
    assert errors(DIALECT, item(), REASONING, mode="recording") == []
    assert errors(DIALECT, item(), REASONING) == [("reasoning_without_item", 1)]


@pytest.mark.parametrize(
    ("output_ids", "items", "found"),
    [
        (["rs_1", "fc_1"], [item(), function_call(id="fc_1"), output()], [("item_without_reasoning", 1)]),
        (["rs_1", "fc_1"], [item(), REASONING, function_call(id="fc_1"), output()], []),
        (["rs_1", "fc_1"], [item(), function_call(), output()], []),
        (["msg_1", "fc_1"], [item(), function_call(id="fc_1"), output()], []),
        (["rs_1", "fc_1", "fc_2"], [item(), function_call(id="fc_2"), output()], [("item_without_reasoning", 1)]),
    ],
)
def test_an_item_replayed_by_id_needs_the_reasoning_it_came_with(
    output_ids: list[str], items: list[object], found: list[tuple[str, int]]
) -> None:
    replayed = check_replayed(items, [{"output": output_ids}], "request")

    assert [(one.rule, one.index) for one in replayed] == found


def test_recorded_responses_may_hold_whole_items() -> None:
    recorded = [{"output": [{**REASONING, "id": "r-77"}, {"type": "message", "id": "m-1"}]}]

    found = check_replayed([{"type": "message", "role": "assistant", "id": "m-1"}], recorded, "request")

    assert [one.provider_error for one in found] == [
        "Item 'm-1' of type 'message' was provided without its required 'reasoning' item: 'r-77'."
    ]
