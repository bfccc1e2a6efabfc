"""Vercel AI SDK UI messages, versions 4 to 7: call and result share one part of the assistant's message.

Source: vercel/ai, packages/ai/src/ui/ui-messages.ts and convert-to-model-messages.ts.
"""

from collections.abc import Iterator
from typing import Any

from simlab.check.readers.chat import Chat
from simlab.check.readers.saved import NotThisFormatError, SavedConversation
from simlab.check.readers.steps import ToolPart, answer_in_steps, legacy_tool
from simlab.check.readers.values import list_of, object_of, objects_of, text_or_none, word

FORMAT = "vercel_ui"

_ROLES = {"system", "user", "assistant", "data"}
_ANSWERED = {"output-available", "output-error", "output-denied"}


def _is_message(value: Any) -> bool:
    if not isinstance(value, dict) or word(value, "role") not in _ROLES:
        return False
    parts = value.get("parts")
    if isinstance(parts, list):
        return all("type" in part and "content" not in part for part in objects_of(parts))
    return isinstance(value.get("toolInvocations"), list)


def looks_like(value: Any) -> bool:
    """Whether a value is a request body of the chat transport or an array of UI messages."""
    messages = list_of(object_of(value).get("messages")) or list_of(value)
    if not any(_is_message(item) for item in messages[:8]):
        return False
    return all(_is_message(item) or "content" in object_of(item) for item in messages[:8])


def read(value: Any, at: str | None) -> Iterator[SavedConversation]:
    """Read one body or array."""
    messages = value.get("messages") if isinstance(value, dict) else value
    if not isinstance(messages, list):
        raise NotThisFormatError("no list of UI messages")
    chat = Chat()
    for index, message in enumerate(messages):
        _message(chat, object_of(message), f"messages[{index}]")
    yield chat.saved(fmt=FORMAT, units=len(messages), name=at or text_or_none(object_of(value).get("id")))


def _message(chat: Chat, message: dict[str, Any], place: str) -> None:
    parts = message.get("parts")
    if not isinstance(parts, list):
        parts = _legacy_parts(message)
    role = message.get("role")
    if role == "assistant":
        answer_in_steps(chat, parts, _tool, place)
    elif role != "data":
        chat.say(str(role), _content(parts), place)


def _legacy_parts(message: dict[str, Any]) -> list[dict[str, Any]]:
    """Version 4 without parts: all calls stand beside the text, numbered by step, the text being the last step's."""
    parts: list[dict[str, Any]] = []
    step: Any = None
    for item in objects_of(message.get("toolInvocations")):
        if parts and item.get("step") != step:
            parts.append({"type": "step-start"})
        step = item.get("step")
        parts.append({"type": "tool-invocation", "toolInvocation": item})
    answered = parts and all(tool.answered for part in parts if (tool := _tool(part)) is not None)
    if answered and message.get("content"):
        parts.append({"type": "step-start"})
    return [*parts, {"type": "text", "text": message.get("content")}]


def _tool(part: dict[str, Any]) -> ToolPart | None:
    kind = part.get("type")
    if kind == "tool-invocation":
        return legacy_tool(part.get("toolInvocation"))
    if not isinstance(kind, str) or part.get("providerExecuted"):
        return None
    if kind != "dynamic-tool" and not kind.startswith("tool-"):
        return None
    name = part.get("toolName") if kind == "dynamic-tool" else kind.removeprefix("tool-")
    answered = word(part, "state") in _ANSWERED and not part.get("preliminary")
    output = part.get("output", part.get("errorText", object_of(part.get("approval")).get("reason")))
    return ToolPart(part.get("toolCallId"), name, part.get("input"), answered, output)


def _content(parts: list[Any]) -> Any:
    shown = [part for part in objects_of(parts) if word(part, "type") in {"text", "file"}]
    if all(part.get("type") == "text" for part in shown):
        return "\n".join(text for part in shown if isinstance(text := part.get("text"), str))
    return [_chat_part(part) for part in shown]


def _chat_part(part: dict[str, Any]) -> dict[str, Any]:
    if part.get("type") == "text":
        return {"type": "text", "text": part.get("text")}
    if str(part.get("mediaType", "")).startswith("image/"):
        return {"type": "image_url", "image_url": {"url": part.get("url")}}
    return {"type": "file", "file": {"filename": part.get("filename"), "file_data": part.get("url")}}
