"""Work grows with the size of a file, not with its square: many of one thing in one conversation must not hang."""

from collections.abc import Iterator
from pathlib import Path
from time import process_time
from typing import Any

import pytest

from simlab.check.readers import counts, read

from .files import document, lines

MANY = 20_000
LIMIT_S = 5
"""Linear work takes well under a second; work by the square takes minutes."""


def claude_results() -> Iterator[Any]:
    uses = [{"type": "tool_use", "id": f"t{i}", "name": "f", "input": {}} for i in range(MANY)]
    message = {"id": "m", "role": "assistant", "content": uses}
    yield {"type": "assistant", "uuid": "a", "parentUuid": None, "message": message}
    for i in range(MANY):
        content = [{"type": "tool_result", "tool_use_id": f"t{i}", "content": ""}]
        yield {"type": "user", "uuid": f"r{i}", "parentUuid": "a", "message": {"role": "user", "content": content}}


def claude_blocks() -> Iterator[Any]:
    for i in range(MANY):
        message = {"id": "m", "role": "assistant", "content": [{"type": "text", "text": "x"}]}
        parent = f"b{i - 1}" if i else None
        yield {"type": "assistant", "uuid": f"b{i}", "parentUuid": parent, "message": message, "isSidechain": True}


def claude_queue() -> Iterator[Any]:
    operations = [("enqueue", f"m{i}") for i in range(MANY)] + [("remove", f"m{i}") for i in reversed(range(MANY))]
    for operation, content in operations:
        yield {"type": "queue-operation", "operation": operation, "content": content, "sessionId": "s"}
    yield {"type": "user", "uuid": "u", "parentUuid": None, "message": {"role": "user", "content": "hi"}}


def codex_rollbacks() -> Iterator[Any]:
    content = [{"type": "input_text", "text": "hi"}]
    user = {"type": "response_item", "payload": {"type": "message", "role": "user", "content": content}}
    back = {"type": "event_msg", "payload": {"type": "thread_rolled_back", "num_turns": 1}}
    for _ in range(MANY):
        yield from (user, user, back)


def gemini_rewinds() -> Iterator[Any]:
    yield {"sessionId": "s", "projectHash": "p"}
    for i in range(MANY):
        yield {"id": f"k{i}", "type": "user", "content": "hi"}
        yield {"id": f"x{i}", "type": "gemini", "content": "yes"}
        yield {"$rewindTo": f"x{i}"}


def nested_spans() -> Iterator[Any]:
    for i in range(MANY):
        context = {"trace_id": "t", "span_id": f"s{i}"}
        yield {"name": "chat", "context": context, "parent_id": f"s{i - 1}", "attributes": {}, "start_time": i}


def trimmed_spans() -> Iterator[Any]:
    for i in range(MANY):
        said = [{"role": "assistant", "parts": [{"type": "tool_call", "id": f"c{i}", "name": "f"}]}]
        attributes = {"gen_ai.output.messages": said}
        yield {
            "name": "chat",
            "context": {"trace_id": "t", "span_id": f"s{i}"},
            "attributes": attributes,
            "start_time": i,
        }


@pytest.mark.parametrize(
    "records",
    [claude_results, claude_blocks, claude_queue, codex_rollbacks, gemini_rewinds, nested_spans, trimmed_spans],
)
def test_many_records_are_read_in_linear_time(tmp_path: Path, records: Any) -> None:
    read_quickly(lines(tmp_path, *records()))


def cline_texts() -> Any:
    uses = [{"type": "tool_use", "id": f"t{i}", "name": f"n{i}", "input": {}} for i in range(MANY)]
    texts = [{"type": "text", "text": f"[n{i}] Result:\nx"} for i in reversed(range(MANY))]
    return [
        {"role": "user", "content": "<task>"},
        {"role": "assistant", "content": uses},
        {"role": "user", "content": texts},
    ]


def gemini_calls() -> Any:
    tools = [{"id": f"t{i}", "name": "f", "args": {}} for i in range(MANY)]
    content = [{"functionCall": {"id": f"c{i}", "name": "f"}} for i in range(MANY)]
    message = {"id": "1", "type": "gemini", "content": content, "toolCalls": tools}
    return {"sessionId": "s", "projectHash": "p", "messages": [message]}


def inspect_calls() -> Any:
    calls = [{"function": f"f{i}", "arguments": {}} for i in range(MANY)]
    results = [{"role": "tool", "content": "", "function": f"f{i}"} for i in reversed(range(MANY))]
    sample = {"id": 1, "messages": [{"role": "assistant", "content": "", "tool_calls": calls}, *results]}
    return {"eval": {}, "status": "success", "samples": [sample]}


def removed_messages() -> Any:
    human = [{"type": "human", "content": "hi", "id": str(i)} for i in range(MANY)]
    return [*human, *({"type": "remove", "content": "", "id": str(i)} for i in reversed(range(1, MANY)))]


@pytest.mark.parametrize("value", [cline_texts, gemini_calls, inspect_calls, removed_messages])
def test_many_calls_are_read_in_linear_time(tmp_path: Path, value: Any) -> None:
    read_quickly(document(tmp_path, value()))


def read_quickly(path: Path) -> None:
    began = process_time()
    for conversation in read(path):
        counts(conversation)
    assert process_time() - began < LIMIT_S
