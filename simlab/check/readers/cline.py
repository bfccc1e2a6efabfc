"""Cline and its forks: Anthropic style messages, with three ways to write a result.

A result is a ``tool_result`` block, plain text behind a prompt-based call (XML in the text), or a text block
``[<tool> ...] Result:`` that answers a ``tool_use`` block in call order. The last is turned into a ``tool_result``
here: the client sends it so on purpose. Source: cline/cline, apps/vscode/src/shared/messages/content.ts and
docs/messages-contract-v1.md; a real history of mike4567/MRA04242026.
"""

from collections import deque
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, TypeAlias

from simlab.check.readers.anthropic import has_anthropic_blocks, saved_messages, with_joined_results
from simlab.check.readers.saved import NotThisFormatError, SavedConversation
from simlab.check.readers.values import as_text, list_of, object_of, objects_of, text_or_none

FORMAT = "cline"

_OpenCalls: TypeAlias = dict[str, deque[Any]]
"""The ids of open calls by the name of their tool, in call order."""

_EXTRA_KEYS = {"ts", "modelInfo", "metrics", "conversationHistoryIndex"}
_INJECTED = ("<task>", "<environment_details>", "[TASK RESUMPTION]", "<user_message>")


def looks_like(value: Any) -> bool:
    """Whether a value is a history of the extension or a session of the newer core."""
    if isinstance(value, dict):
        return (
            "sessionId" in value
            and "version" in value
            and all(isinstance(message.get("content"), list) for message in objects_of(value.get("messages")))
            and "messages" in value
        )
    messages = objects_of(value)
    if not messages or not all("role" in message and "content" in message for message in messages[:8]):
        return False
    return any(_EXTRA_KEYS & message.keys() for message in messages[:8]) or _begins_a_task(messages[0])


def _begins_a_task(message: dict[str, Any]) -> bool:
    content = message.get("content")
    texts = [content] if isinstance(content, str) else [block.get("text") for block in objects_of(content)]
    return any(isinstance(text, str) and text.startswith(_INJECTED) for text in texts)


def read(value: Any, at: str | None) -> Iterator[SavedConversation]:
    """Read one task."""
    messages = value.get("messages") if isinstance(value, dict) else value
    if not isinstance(messages, list):
        raise NotThisFormatError("no list of messages")
    prompt = text_or_none(object_of(value).get("system_prompt"))
    written = [_plain(message) for message in messages]
    if has_anthropic_blocks(written):
        _write_results(written)
    request = {"system": prompt} if prompt else {}
    name = at or text_or_none(object_of(value).get("sessionId"))
    places = [f"messages[{index}]" for index in range(len(written))]
    joined, kept = with_joined_results(written, places)
    yield replace(saved_messages(FORMAT, joined, request, name), units=len(written), places=kept)


def _plain(message: Any) -> Any:
    """Only the keys that go to the provider; a result of query objects becomes text."""
    if not isinstance(message, dict):
        return message
    content = message.get("content")
    if isinstance(content, list):
        content = [_plain_block(block) for block in content]
    return {"role": message.get("role"), "content": content}


def _plain_block(block: Any) -> Any:
    if not isinstance(block, dict) or block.get("type") != "tool_result":
        return block
    content = block.get("content")
    if not isinstance(content, list) or all("type" in object_of(part) for part in content):
        return block
    return {**block, "content": [_text_part(part) for part in content]}


def _text_part(part: Any) -> Any:
    return part if "type" in object_of(part) else {"type": "text", "text": as_text(part)}


def _write_results(messages: list[Any]) -> None:
    """Turn text results into blocks, each for the earliest open call of that tool."""
    open_calls: _OpenCalls = {}
    for message in messages:
        blocks = list_of(object_of(message).get("content"))
        if object_of(message).get("role") == "assistant":
            uses = [block for block in objects_of(blocks) if block.get("type") == "tool_use"]
            open_calls = _by_tool(uses)
            continue
        given = {
            as_text(block.get("tool_use_id")) for block in objects_of(blocks) if block.get("type") == "tool_result"
        }
        open_calls = {
            name: deque(call for call in calls if as_text(call) not in given) for name, calls in open_calls.items()
        }
        for index, block in enumerate(blocks):
            blocks[index] = _as_result(block, open_calls)


def _by_tool(uses: list[dict[str, Any]]) -> _OpenCalls:
    found: _OpenCalls = {}
    for use in uses:
        found.setdefault(str(use.get("name")), deque()).append(use.get("id"))
    return found


def _as_result(block: Any, open_calls: _OpenCalls) -> Any:
    text = object_of(block).get("text")
    if not isinstance(text, str) or not text.startswith("["):
        return block
    head, mark, output = text.partition("] Result:")
    waiting = open_calls.get(head[1:].partition(" ")[0])
    if not mark or not waiting:
        return block
    return {"type": "tool_result", "tool_use_id": waiting.popleft(), "content": output.removeprefix("\n")}
