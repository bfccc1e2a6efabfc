"""pydantic-ai message histories, as ``all_messages_json`` writes them.

Source: pydantic/pydantic-ai, pydantic_ai_slim/pydantic_ai/messages.py and docs/message-history.md.
"""

from collections.abc import Iterator
from typing import Any

from simlab.check.readers.chat import Chat, call
from simlab.check.readers.saved import NotThisFormatError, SavedConversation
from simlab.check.readers.values import joined_text, list_of, object_of, objects_of, text_or_none, word

FORMAT = "pydantic_ai"


def _is_message(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and word(value, "kind") in {"request", "response"}
        and isinstance(value.get("parts"), list)
    )


def _messages(value: Any) -> Any:
    return value.get("messages") if isinstance(value, dict) else value


def looks_like(value: Any) -> bool:
    """Whether a value is a list of requests and responses."""
    return any(_is_message(item) for item in list_of(_messages(value))[:8])


def read(value: Any, at: str | None) -> Iterator[SavedConversation]:
    """Read one history."""
    messages = _messages(value)
    if not isinstance(messages, list):
        raise NotThisFormatError("no list of requests and responses")
    chat = Chat()
    for index, message in enumerate(messages):
        parts = objects_of(object_of(message).get("parts"))
        if object_of(message).get("kind") == "response":
            _response(chat, parts, f"[{index}]")
        else:
            _request(chat, parts, f"[{index}]")
    name = next((text_or_none(object_of(item).get("conversation_id")) for item in messages[:1]), None)
    yield chat.saved(fmt=FORMAT, units=len(messages), name=at or name)


def _response(chat: Chat, parts: list[dict[str, Any]], place: str) -> None:
    text = "\n".join(
        part["content"] for part in parts if part.get("part_kind") == "text" and isinstance(part.get("content"), str)
    )
    calls = [
        call(part.get("tool_call_id"), part.get("tool_name"), part.get("args"))
        for part in parts
        if part.get("part_kind") == "tool-call"
    ]
    chat.answer(text, calls, place)


def _request(chat: Chat, parts: list[dict[str, Any]], place: str) -> None:
    for index, part in enumerate(parts):
        at = f"{place}.parts[{index}]"
        content = part.get("content")
        match part.get("part_kind"):
            case "system-prompt":
                chat.say("system", joined_text(content), at)
            case "user-prompt":
                chat.say("user", _user_content(content), at)
            case "tool-return":
                chat.result(part.get("tool_call_id"), content, at)
            case "retry-prompt" if part.get("tool_name") is not None:
                chat.result(part.get("tool_call_id"), content, at)
            case "retry-prompt":
                chat.say("user", joined_text(content, "msg"), at)


def _user_content(content: Any) -> Any:
    if not isinstance(content, list):
        return joined_text(content)
    return [_user_part(item) for item in content]


def _user_part(item: Any) -> dict[str, Any]:
    if isinstance(item, str):
        return {"type": "text", "text": item}
    item = object_of(item)
    if item.get("kind") == "image-url":
        return {"type": "image_url", "image_url": {"url": item.get("url")}}
    return {"type": "text", "text": text_or_none(item.get("content")) or f"[{item.get('kind', 'part')}]"}
