from pathlib import Path
from typing import Any

import pytest

from simlab.check.readers import counts, detect

from .files import document, lines, only, roles

USE = {"type": "tool_use", "id": "t1", "name": "f", "input": {}}
RESULT = {"type": "tool_result", "tool_use_id": "t1"}
TEXT = [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "yes"}]


@pytest.mark.parametrize(
    "body",
    [
        {"messages": [{"role": "assistant", "content": [USE]}]},
        {"messages": TEXT, "system": "be brief"},
        {"messages": TEXT, "tools": [{"name": "f", "input_schema": {}}]},
        {"messages": TEXT, "anthropic_version": "bedrock-2023-05-31"},
        [{"role": "user", "content": [RESULT]}],
        {"type": "message", "role": "assistant", "content": [USE], "stop_reason": "tool_use"},
    ],
    ids=["tool_use", "system", "input_schema", "version", "array", "response"],
)
def test_a_body_is_told_from_one_of_chat_completions(tmp_path: Path, body: Any) -> None:
    assert detect(document(tmp_path, body)) == "anthropic_messages"


def test_one_clear_line_among_plain_ones_tells_the_format(tmp_path: Path) -> None:
    bodies = [{"messages": TEXT}] * 10 + [{"messages": [{"role": "assistant", "content": [USE]}]}]

    assert detect(lines(tmp_path, *bodies)) == "anthropic_messages"
    assert detect(lines(tmp_path, *bodies[:10])) == "openai_chat"


def test_server_tools_are_no_calls(tmp_path: Path) -> None:
    server = {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {}}
    content = [server, {"type": "web_search_tool_result", "tool_use_id": "s", "content": []}, USE]
    messages = [{"role": "assistant", "content": content}, {"role": "user", "content": [RESULT, RESULT]}]

    conversation = only(document(tmp_path, {"messages": messages}))

    assert (counts(conversation).calls, counts(conversation).results) == (1, 2)
    assert roles(conversation) == "a1 t t"


def test_the_system_prompt_goes_with_the_request(tmp_path: Path) -> None:
    assert only(document(tmp_path, {"messages": TEXT, "system": "be brief"})).request == {"system": "be brief"}
