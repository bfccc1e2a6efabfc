from pathlib import Path
from typing import Any

import pytest

from . import judge
from .files import document, only, roles

Part = dict[str, Any]
USER = {"id": "1", "role": "user", "parts": [{"type": "text", "text": "hi"}]}
STEP = {"type": "step-start"}


def tool(call_id: str, **more: Any) -> Part:
    return {"type": "tool-f", "toolCallId": call_id, "input": {"n": 1}, **more}


def chat(*parts: Part) -> list[Part]:
    return [USER, {"id": "2", "role": "assistant", "parts": list(parts)}]


@pytest.mark.parametrize(
    ("state", "answered"),
    [
        ({"state": "input-streaming"}, False),
        ({"state": "input-available"}, False),
        ({"state": "approval-requested"}, False),
        ({"state": "approval-responded", "approval": {"id": "x", "approved": True}}, False),
        ({"state": "output-available", "output": None}, True),
        ({"state": "output-available", "output": 1, "preliminary": True}, False),
        ({"state": "output-error", "errorText": "no"}, True),
        ({"state": "output-denied", "approval": {"id": "x", "approved": False, "reason": "no"}}, True),
        ({}, False),
    ],
)
def test_a_state_says_whether_there_is_a_result(tmp_path: Path, state: Part, answered: bool) -> None:
    conversation = only(document(tmp_path, chat(STEP, tool("a", **state))))

    assert roles(conversation) == ("u a1 t" if answered else "u a1")


def test_each_step_is_a_model_message_with_its_results(tmp_path: Path) -> None:
    done = {"state": "output-available", "output": 1}
    text = {"type": "text", "text": "ok"}
    conversation = only(
        document(tmp_path, chat(STEP, tool("a", **done), tool("b", **done), STEP, tool("c", **done), STEP, text))
    )

    assert roles(conversation) == "u a2 t t a1 t a"
    assert judge.rules(conversation) == set()


def test_a_dynamic_tool_is_named_beside_its_type(tmp_path: Path) -> None:
    dynamic = {"type": "dynamic-tool", "toolName": "g", "toolCallId": "a", "state": "input-available", "input": {}}
    conversation = only(document(tmp_path, chat(dynamic)))

    assert conversation.messages[1]["tool_calls"][0]["function"] == {"name": "g", "arguments": "{}"}


def test_a_tool_that_the_provider_ran_is_no_call(tmp_path: Path) -> None:
    conversation = only(document(tmp_path, chat(tool("a", state="output-available", providerExecuted=True), STEP)))

    assert roles(conversation) == "u a"


def test_invocations_of_version_4_are_calls_in_steps(tmp_path: Path) -> None:
    invocations = [
        {"state": "result", "step": 0, "toolCallId": "a", "toolName": "f", "args": {}, "result": 1},
        {"state": "result", "step": 0, "toolCallId": "b", "toolName": "f", "args": {}, "result": 2},
        {"state": "call", "step": 1, "toolCallId": "c", "toolName": "f", "args": {}},
    ]
    bare = [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "", "toolInvocations": invocations}]
    parts = [{"type": "tool-invocation", "toolInvocation": item} for item in invocations]

    assert roles(only(document(tmp_path, bare), "vercel_ui")) == "u a2 t t a1"
    assert roles(only(document(tmp_path, chat(STEP, *parts[:2], STEP, parts[2])))) == "u a2 t t a1"
    assert only(document(tmp_path, bare)).format == "vercel_ui"


def test_a_final_text_of_version_4_follows_the_results(tmp_path: Path) -> None:
    invocation = {"state": "result", "step": 0, "toolCallId": "a", "toolName": "f", "args": {}, "result": 1}
    bare = [USER, {"role": "assistant", "content": "done", "toolInvocations": [invocation]}]

    assert roles(only(document(tmp_path, bare))) == "u a1 t a"


def test_files_of_a_user_message_are_kept(tmp_path: Path) -> None:
    files = [
        {"type": "file", "mediaType": "image/png", "url": "data:x"},
        {"type": "file", "mediaType": "text/plain", "url": "data:y", "filename": "a.txt"},
        {"type": "data-weather", "data": {}},
    ]
    conversation = only(document(tmp_path, [{"id": "1", "role": "user", "parts": [*USER["parts"], *files]}]))

    assert [part["type"] for part in conversation.messages[0]["content"]] == ["text", "image_url", "file"]
