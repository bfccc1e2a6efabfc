"""Gemini CLI sessions: one JSON object, or JSON Lines that edit a list of messages as they go.

Source: google-gemini/gemini-cli, packages/core/src/services/chatRecordingService.ts and utils/sessionUtils.ts.
"""

from collections.abc import Iterator
from typing import Any

from simlab.check.readers.chat import Chat, call
from simlab.check.readers.faults import Faults
from simlab.check.readers.saved import SavedConversation, each_object
from simlab.check.readers.source import Source
from simlab.check.readers.values import as_text, joined_text, object_of, objects_of, text_or_none, word
from simlab.core.errors import SimlabError

FORMAT = "gemini_cli"

_NOT_SENT = ("/", "?", "<session_context>", "<hook_context>")
_OVER = {"success", "error", "cancelled"}
_TYPES = {"user", "gemini", "info", "error", "warning"}


def looks_like(value: Any) -> bool:
    """Whether a value is a session, the first line of one, or an edit of its list."""
    if not isinstance(value, dict):
        return False
    if "$set" in value or "$rewindTo" in value:
        return True
    if "sessionId" not in value or "projectHash" not in value:
        return False
    return all(word(item, "type") in _TYPES for item in objects_of(value.get("messages"))[:8])


def read(source: Source) -> Iterator[SavedConversation]:
    """Yield the one conversation of the session, edits and rewinds carried out."""
    faults = Faults()
    session: dict[str, Any] = {}
    messages: dict[str, tuple[str, dict[str, Any]]] = {}
    for line, value in each_object(source, faults):
        if "sessionId" in value and "type" not in value:
            session = session or value
            messages.update(_listed(value.get("messages")))
        else:
            messages = _edited(messages, value, line)
    kept = [item for item in messages.values() if _is_sent(item[1])]
    if not session and not kept:
        raise SimlabError(f"{source.path}: holds no message of a Gemini CLI session")
    chat = Chat(notes=faults.notes(end=True))
    answered = {as_text(tool.get("id")) for _, message in kept for tool in _tools(message) if _is_answered(tool)}
    for place, message in kept:
        if message.get("type") == "user":
            _user(chat, message.get("content"), place, answered)
        else:
            _model(chat, message, place)
    yield chat.saved(fmt=FORMAT, units=len(kept), name=text_or_none(session.get("sessionId")))


def _listed(messages: Any) -> dict[str, tuple[str, dict[str, Any]]]:
    found = {}
    for index, message in enumerate(objects_of(messages)):
        found[as_text(message.get("id", f"#{index}"))] = (f"messages[{index}]", message)
    return found


def _edited(
    messages: dict[str, tuple[str, dict[str, Any]]], value: dict[str, Any], line: int
) -> dict[str, tuple[str, dict[str, Any]]]:
    if "$rewindTo" in value:
        _rewind(messages, as_text(value["$rewindTo"]))
        return messages
    replaced = object_of(value.get("$set")).get("messages")
    if isinstance(replaced, list):
        return _listed(replaced)
    if "id" in value:
        messages[as_text(value["id"])] = (f"line {line}", value)
    return messages


def _rewind(messages: dict[str, tuple[str, dict[str, Any]]], name: str) -> None:
    """Drop a message and all after it; all of them if it is unknown."""
    if name not in messages:
        messages.clear()
    while name in messages:
        messages.popitem()


def _is_sent(message: dict[str, Any]) -> bool:
    if message.get("type") == "gemini":
        return True
    return message.get("type") == "user" and not _text(message.get("content")).startswith(_NOT_SENT)


def _parts(content: Any) -> list[dict[str, Any]]:
    return [content] if isinstance(content, dict) else objects_of(content)


def _text(content: Any) -> str:
    if isinstance(content, dict):
        content = [content]
    return joined_text(
        [part for part in content if not object_of(part).get("thought")] if isinstance(content, list) else content
    )


def _tools(message: dict[str, Any]) -> list[dict[str, Any]]:
    return objects_of(message.get("toolCalls"))


def _is_answered(tool: dict[str, Any]) -> bool:
    return tool.get("result") is not None or word(tool, "status") in _OVER


def _user(chat: Chat, content: Any, place: str, answered: set[str]) -> None:
    responses = [object_of(part["functionResponse"]) for part in _parts(content) if "functionResponse" in part]
    for response in responses:
        if as_text(response.get("id")) not in answered:
            chat.result(response.get("id"), response.get("response"), place)
    text = _text(content)
    if text or not responses:
        chat.say("user", text, place)


def _model(chat: Chat, message: dict[str, Any], place: str) -> None:
    tools = _tools(message)
    calls = [call(tool.get("id"), tool.get("name"), tool.get("args")) for tool in tools]
    known = {as_text(tool.get("id")) for tool in tools}
    repeated = [object_of(part["functionCall"]) for part in _parts(message.get("content")) if "functionCall" in part]
    calls += [
        call(item.get("id"), item.get("name"), item.get("args"))
        for item in repeated
        if as_text(item.get("id")) not in known
    ]
    chat.answer(_text(message.get("content")), calls, place)
    for tool in tools:
        if _is_answered(tool):
            chat.result(tool.get("id"), _output(tool.get("result")), place)


def _output(result: Any) -> str:
    if not isinstance(result, list):
        return as_text(result)
    pieces = [
        as_text(object_of(part.get("functionResponse")).get("response")) if "functionResponse" in part else _text(part)
        for part in objects_of(result)
    ]
    return "\n".join(piece for piece in pieces if piece)
