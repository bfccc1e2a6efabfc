"""goose sessions: a JSON export, or the older JSON Lines with a header line.

Source: block/goose, crates/goose/src/conversation/message.rs.
"""

from collections.abc import Iterator
from typing import Any

from simlab.check.readers.chat import Chat, call
from simlab.check.readers.faults import Faults
from simlab.check.readers.saved import SavedConversation, each_object
from simlab.check.readers.source import Source
from simlab.check.readers.values import as_text, joined_text, object_of, objects_of, text_or_none, word
from simlab.core.errors import SimlabError

FORMAT = "goose"

_CALLS = {"toolRequest", "frontendToolRequest"}


def looks_like(value: Any) -> bool:
    """Whether a value is an export, the header line of a session file, or one of its messages."""
    if not isinstance(value, dict):
        return False
    if "working_dir" in value:
        return True
    messages = objects_of(value.get("conversation")) or [value]
    return any(
        word(block, "type") in {"toolRequest", "toolResponse"}
        for message in messages
        for block in objects_of(message.get("content"))
    )


def read(source: Source) -> Iterator[SavedConversation]:
    """Yield every exported session; the messages of a JSON Lines file are one session."""
    faults = Faults()
    header: dict[str, Any] = {}
    loose: list[tuple[str, dict[str, Any]]] = []
    found = 0
    for line, value in each_object(source, faults):
        if isinstance(value.get("conversation"), list):
            found += 1
            yield _session(value, [(f"conversation[{i}]", object_of(m)) for i, m in enumerate(value["conversation"])])
        elif "role" in value:
            loose.append((f"line {line}", value))
        else:
            header = header or value
    if loose:
        session = _session(header, loose)
        session.notes.extend(faults.notes(end=True))
        yield session
    elif not found:
        raise SimlabError(f"{source.path}: holds no 'conversation' and no message of a goose session")


def _session(header: dict[str, Any], messages: list[tuple[str, dict[str, Any]]]) -> SavedConversation:
    chat = Chat()
    seen = [item for item in messages if object_of(item[1].get("metadata")).get("agentVisible") is not False]
    for place, message in seen:
        _message(chat, message, place)
    return chat.saved(fmt=FORMAT, units=len(seen), name=text_or_none(header.get("id")))


def _message(chat: Chat, message: dict[str, Any], place: str) -> None:
    content = message.get("content")
    blocks = objects_of(content)
    text = joined_text(content)
    if message.get("role") == "assistant":
        chat.answer(text, [_call(block) for block in blocks if word(block, "type") in _CALLS], place)
        return
    results = [block for block in blocks if block.get("type") == "toolResponse"]
    for block in results:
        chat.result(block.get("id"), _output(object_of(block.get("toolResult"))), place)
    if text or not results:
        chat.say("user", text, place)


def _call(block: dict[str, Any]) -> dict[str, Any]:
    value = object_of(object_of(block.get("toolCall")).get("value"))
    return call(block.get("id"), value.get("name"), value.get("arguments"))


def _output(result: dict[str, Any]) -> str:
    if result.get("status") == "error":
        return as_text(result.get("error"))
    value = result.get("value")
    content = value.get("content") if isinstance(value, dict) else value
    return joined_text(content) or ("" if content is None else as_text(content))
