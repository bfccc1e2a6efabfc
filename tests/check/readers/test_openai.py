from pathlib import Path
from typing import Any

import pytest

from simlab.check.readers import counts, detect, read

from .files import document, lines, only, roles

CALL = {"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
MESSAGES: list[dict[str, Any]] = [
    {"role": "user", "content": "hi"},
    {"role": "assistant", "tool_calls": [CALL]},
    {"role": "tool", "tool_call_id": "c1", "content": ""},
]


def test_the_rest_of_a_body_is_kept_as_the_request(tmp_path: Path) -> None:
    conversation = only(document(tmp_path, {"model": "m", "messages": MESSAGES, "tools": []}))

    assert conversation.messages == MESSAGES
    assert conversation.request == {"model": "m", "tools": []}


@pytest.mark.parametrize(
    "envelope",
    [
        {"custom_id": "7", "method": "POST", "url": "/v1/chat/completions", "body": {"messages": MESSAGES}},
        {"time": 1, "request": {"body": {"messages": MESSAGES}}},
        {"input": {"messages": MESSAGES}, "preferred_output": []},
    ],
    ids=["batch", "proxy log", "preference"],
)
def test_a_body_is_found_inside_its_envelope(tmp_path: Path, envelope: dict[str, Any]) -> None:
    path = lines(tmp_path, envelope, envelope)

    assert detect(path) == "openai_chat"
    assert [(item.id, item.messages) for item in read(path)] == [("line 1", MESSAGES), ("line 2", MESSAGES)]


def test_a_response_is_its_first_choice(tmp_path: Path) -> None:
    conversation = only(document(tmp_path, {"id": "r", "choices": [{"message": MESSAGES[1]}, {"message": {}}]}))

    assert conversation.messages == [MESSAGES[1]]
    assert conversation.id == "r"


def test_one_message_a_line_is_one_conversation(tmp_path: Path) -> None:
    path = lines(tmp_path, *MESSAGES)

    assert detect(path) == "openai_chat"
    assert only(path).messages == MESSAGES


def test_arrays_on_lines_are_conversations_of_their_own(tmp_path: Path) -> None:
    assert [item.messages for item in read(lines(tmp_path, MESSAGES, MESSAGES))] == [MESSAGES, MESSAGES]


def test_a_broken_message_does_not_hide_the_format(tmp_path: Path) -> None:
    assert only(document(tmp_path, {"messages": [{"role": "banana"}, *MESSAGES, 7]})).format == "openai_chat"


def test_custom_and_legacy_calls_are_counted(tmp_path: Path) -> None:
    custom = {"id": "x", "type": "custom", "custom": {"name": "g", "input": "raw"}}
    legacy = {"role": "assistant", "content": None, "function_call": {"name": "f", "arguments": ""}}
    result = {"role": "function", "name": "f", "content": "1"}

    conversation = only(document(tmp_path, [{"role": "assistant", "tool_calls": [CALL, custom]}, legacy, result]))

    assert counts(conversation).calls == 3
    assert counts(conversation).results == 1


def test_an_empty_list_of_messages_is_a_conversation(tmp_path: Path) -> None:
    assert only(document(tmp_path, {"messages": []})).messages == []


def test_a_lone_prompt_is_a_responses_conversation(tmp_path: Path) -> None:
    conversation = only(document(tmp_path, {"model": "m", "input": "hi"}))

    assert conversation.dialect == "openai_responses"
    assert roles(conversation) == "u"


def test_a_response_object_is_its_output(tmp_path: Path) -> None:
    item = {"type": "function_call", "id": "fc_1", "call_id": "c1", "name": "f", "arguments": "{}"}
    conversation = only(document(tmp_path, {"object": "response", "id": "resp", "output": [item]}))

    assert conversation.messages == [item]
    assert conversation.request == {"object": "response", "id": "resp"}


def test_hosted_tools_and_reasoning_are_no_messages_and_no_calls(tmp_path: Path) -> None:
    items = [
        {"role": "user", "content": "hi"},
        {"type": "reasoning", "summary": []},
        {"type": "web_search_call", "id": "ws"},
        {"type": "mcp_call", "id": "m", "output": "x"},
        {"type": "item_reference", "id": "x"},
        {"type": "local_shell_call", "call_id": "l", "action": {}},
        {"type": "function_call_output", "call_id": "l", "output": ""},
    ]
    conversation = only(document(tmp_path, items))

    assert conversation.format == "openai_responses"
    found = counts(conversation)
    assert (found.messages, found.messages_expanded, found.calls, found.results) == (3, 3, 1, 1)
