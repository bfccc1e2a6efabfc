from pathlib import Path
from typing import Any

import pytest

from simlab.check.readers import detect, read

from . import judge
from .files import document, lines, only, roles

Fields = dict[str, Any]

CALL = {"name": "f", "args": {"n": 1}, "id": "c1", "type": "tool_call"}
AI: Fields = {"content": "", "type": "ai", "tool_calls": [CALL], "invalid_tool_calls": []}
TOOL: Fields = {"content": "ok", "type": "tool", "tool_call_id": "c1"}
HUMAN: Fields = {"content": "hi", "type": "human", "id": "h"}
WRITTEN: list[dict[str, Any]] = [
    {"role": "user", "content": "hi"},
    {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "f", "arguments": '{"n": 1}'}}],
    },
    {"role": "tool", "tool_call_id": "c1", "content": "ok"},
]


def constructor(name: str, fields: Fields) -> Fields:
    kwargs = {key: value for key, value in fields.items() if key != "type"}
    return {"lc": 1, "type": "constructor", "id": ["langchain_core", "messages", name], "kwargs": kwargs}


ENCODINGS = {
    "model_dump": [HUMAN, AI, TOOL],
    "messages_to_dict": [{"type": fields["type"], "data": fields} for fields in (HUMAN, AI, TOOL)],
    "constructor": [
        constructor("HumanMessage", HUMAN),
        constructor("AIMessageChunk", AI),
        constructor("ToolMessage", TOOL),
    ],
    "mixed with provider dicts": [{"role": "user", "content": "hi"}, AI, constructor("ToolMessage", TOOL)],
    "chunks": [HUMAN, {**AI, "type": "AIMessageChunk"}, TOOL],
}


@pytest.mark.parametrize("messages", ENCODINGS.values(), ids=ENCODINGS)
def test_every_encoding_says_the_same(tmp_path: Path, messages: list[Fields]) -> None:
    conversation = only(document(tmp_path, {"messages": messages}))

    assert conversation.format == "langgraph"
    assert conversation.messages == WRITTEN


def test_a_call_that_is_repeated_elsewhere_counts_once(tmp_path: Path) -> None:
    block = {"type": "tool_use", "id": "c1", "name": "f", "input": {"n": 1}}
    kwargs = {"tool_calls": WRITTEN[1]["tool_calls"]}

    conversation = only(document(tmp_path, [HUMAN, {**AI, "content": [block], "additional_kwargs": kwargs}, TOOL]))

    assert conversation.messages == WRITTEN


def test_an_older_message_has_its_calls_in_additional_kwargs(tmp_path: Path) -> None:
    older = {"content": "", "type": "ai", "additional_kwargs": {"tool_calls": WRITTEN[1]["tool_calls"]}}

    assert only(document(tmp_path, [HUMAN, older, TOOL])).messages == WRITTEN


def test_an_invalid_call_is_a_call_whose_arguments_are_cut(tmp_path: Path) -> None:
    invalid = {"name": "f", "args": '{"n"', "id": "c2", "error": "x", "type": "invalid_tool_call"}

    conversation = only(document(tmp_path, [HUMAN, {**AI, "invalid_tool_calls": [invalid]}, TOOL]))

    assert conversation.messages[1]["tool_calls"][1]["function"]["arguments"] == '{"n"'
    assert judge.rules(conversation) == {"open_tail"}


def test_a_removed_message_is_gone(tmp_path: Path) -> None:
    remove = {"type": "remove", "content": "", "id": "h"}
    remove_all = {**remove, "id": "__remove_all__"}

    assert roles(only(document(tmp_path, [HUMAN, AI, remove, TOOL]))) == "a1 t"
    assert roles(only(document(tmp_path, [HUMAN, AI, remove_all, HUMAN]))) == "u"


def test_what_is_not_a_message_is_skipped(tmp_path: Path) -> None:
    foreign = {"lc": 1, "type": "not_implemented", "id": []}

    assert roles(only(document(tmp_path, {"messages": [HUMAN, foreign, 7, AI]}))) == "u a1"


def test_a_checkpoint_and_a_state_history_are_read(tmp_path: Path) -> None:
    checkpoint = {"channel_values": {"messages": [HUMAN, AI]}}
    history = [{"values": {"messages": [HUMAN, AI]}}, {"values": {"messages": [HUMAN]}}]

    assert roles(only(document(tmp_path, {"checkpoint": checkpoint}))) == "u a1"
    assert [roles(item) for item in read(document(tmp_path, history))] == ["u a1", "u"]


def run(name: str, start: Any, given: Any, outputs: Any, **more: Any) -> Fields:
    return {
        "id": name,
        "run_type": "llm",
        "start_time": start,
        "inputs": {"messages": given},
        "outputs": outputs,
        **more,
    }


def test_the_run_that_saw_most_of_a_trace_is_the_conversation(tmp_path: Path) -> None:
    answer = {"generations": [[{"message": AI}]]}
    early = run("1", "2026-02-02T02:02:02Z", [[HUMAN]], answer, trace_id="t")
    late = run("2", "2026-02-02T02:02:09Z", [[HUMAN, AI, TOOL]], {"generations": [[{"message": HUMAN}]]}, trace_id="t")
    other = run("3", 1770000000000, [HUMAN], {"choices": [{"message": WRITTEN[1]}]}, trace_id="u")
    path = lines(tmp_path, late, other, early)

    assert detect(path) == "langsmith"
    assert [(item.id, roles(item)) for item in read(path)] == [("2", "u a1 t u"), ("3", "u a1")]


def test_a_chain_over_a_graph_state_is_not_added_to_its_input(tmp_path: Path) -> None:
    chain = run("1", 0, [HUMAN], {"messages": [HUMAN, AI, TOOL]}) | {"run_type": "chain"}

    assert roles(only(document(tmp_path, chain))) == "u a1 t"


def test_an_ingest_batch_is_joined_by_id(tmp_path: Path) -> None:
    post = run("1", 0, [[HUMAN]], None)
    patch = {"id": "1", "outputs": {"generations": [[{"message": AI}]]}, "inputs": None}

    assert roles(only(document(tmp_path, {"post": [post], "patch": [patch]}))) == "u a1"
