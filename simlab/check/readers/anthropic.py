"""Anthropic Messages: request bodies, responses and bare arrays."""

from collections.abc import Iterator
from typing import Any

from simlab.check.readers.openai import unwrapped
from simlab.check.readers.saved import NotThisFormatError, SavedConversation
from simlab.check.readers.values import object_of, objects_of, text_or_none, word

FORMAT = "anthropic_messages"

_BLOCKS = {
    "tool_use",
    "tool_result",
    "thinking",
    "redacted_thinking",
    "server_tool_use",
    "document",
    "search_result",
    "container_upload",
    "image",
}
_BODY_KEYS = {"system", "anthropic_version", "stop_sequences", "thinking", "top_k", "anthropic_beta"}


def has_anthropic_blocks(messages: Any) -> bool:
    """Whether some message holds a content block that only Anthropic writes."""
    return any(
        word(block, "type") in _BLOCKS
        for message in objects_of(messages)
        for block in objects_of(message.get("content"))
    )


def looks_like(value: Any) -> bool:
    """Whether a value is an Anthropic body, response or array rather than a Chat Completions one."""
    if isinstance(value, list):
        return has_anthropic_blocks(value) and not _has_chat_traits(value)
    body = object_of(unwrapped(value, ("messages", "role")))
    if body.get("type") == "message" and body.get("role") == "assistant":
        return isinstance(body.get("content"), list) and "stop_reason" in body
    messages = body.get("messages")
    if not isinstance(messages, list) or _has_chat_traits(messages):
        return False
    tools = objects_of(body.get("tools"))
    return has_anthropic_blocks(messages) or bool(_BODY_KEYS & body.keys()) or any("input_schema" in t for t in tools)


def _has_chat_traits(messages: list[Any]) -> bool:
    return any(
        "tool_calls" in message or "parts" in message or word(message, "role") in {"tool", "developer", "function"}
        for message in objects_of(messages)
    )


def read(value: Any, at: str | None) -> Iterator[SavedConversation]:
    """Read one body, response or array; the rest of the body goes into ``request``."""
    body = unwrapped(value, ("messages", "role"))
    messages, request = _parts(body)
    yield saved_messages(FORMAT, messages, request, at or text_or_none(request.get("id")))


def saved_messages(fmt: str, messages: list[Any], request: dict[str, Any], name: str | None) -> SavedConversation:
    """Make a conversation of Anthropic messages that stand in the file as they are."""
    return SavedConversation(
        format=fmt,
        dialect="anthropic",
        messages=messages,
        request=request,
        events=[],
        baseline=None,
        notes=[],
        id=name,
        units=len(messages),
        places=[],
    )


def with_joined_results(messages: list[Any], places: list[str]) -> tuple[list[Any], list[str]]:
    """Join neighbouring user messages that hold nothing but results: the clients that write them so send one."""
    joined: list[Any] = []
    kept: list[str] = []
    results: list[Any] | None = None
    for message, place in zip(messages, places, strict=True):
        if results is not None and _only_results(message):
            results.extend(message["content"])
            continue
        results = list(message["content"]) if _only_results(message) else None
        joined.append(message if results is None else {**message, "content": results})
        kept.append(place)
    return joined, kept


def _only_results(message: Any) -> bool:
    content = object_of(message).get("content")
    return (
        isinstance(content, list)
        and bool(content)
        and message.get("role") == "user"
        and all(object_of(block).get("type") == "tool_result" for block in content)
    )


def _parts(body: Any) -> tuple[list[Any], dict[str, Any]]:
    if isinstance(body, list):
        return body, {}
    body = object_of(body)
    if isinstance(body.get("messages"), list):
        return body["messages"], {key: item for key, item in body.items() if key != "messages"}
    if "role" in body and "content" in body:
        rest = {key: item for key, item in body.items() if key not in {"role", "content"}}
        return [{"role": body["role"], "content": body["content"]}], rest
    raise NotThisFormatError("no list 'messages' as an Anthropic body has it")
