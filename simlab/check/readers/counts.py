"""What a conversation consists of, whatever its dialect: turns, calls and results."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from simlab.check.conversation import Conversation
from simlab.check.readers.openai import LOCAL_ITEMS, counts_as_unit
from simlab.check.readers.saved import SavedConversation
from simlab.check.readers.values import object_of, objects_of, word


class Link(NamedTuple):
    """The id and the name by which a call and its result find each other."""

    id: Any
    name: Any


class Turn(NamedTuple):
    """One Chat Completions message: who spoke, in which message, what it called or which call it answers."""

    role: str
    at: int
    calls: tuple[Link, ...] = ()
    answers: Link | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Counts:
    """Messages in the format's own unit and as Chat Completions messages, client-side calls, and results."""

    messages: int
    messages_expanded: int
    calls: int
    results: int


def counts(conversation: Conversation) -> Counts:
    """Count a conversation; neighbouring assistant turns are one message of the expanded form."""
    expanded = calls = results = 0
    before = ""
    for turn in turns(conversation):
        expanded += not (turn.role == before == "assistant")
        before = turn.role
        calls += len(turn.calls)
        results += turn.answers is not None
    return Counts(messages=_units(conversation), messages_expanded=expanded, calls=calls, results=results)


def _units(conversation: Conversation) -> int:
    if isinstance(conversation, SavedConversation):
        return conversation.units
    return sum(counts_as_unit(message) for message in conversation.messages)


def turns(conversation: Conversation) -> Iterator[Turn]:
    """Walk a conversation as Chat Completions messages, one turn each."""
    walk = _WALKS.get(conversation.dialect, _chat)
    for index, message in enumerate(conversation.messages):
        yield from walk(index, object_of(message))


def _chat(index: int, message: dict[str, Any]) -> Iterator[Turn]:
    role = message.get("role")
    if role == "assistant":
        yield Turn("assistant", index, tuple(_chat_calls(message)))
    elif role == "tool":
        yield Turn("tool", index, answers=Link(message.get("tool_call_id"), message.get("name")))
    elif role == "function":
        yield Turn("tool", index, answers=Link(None, message.get("name")))
    else:
        yield Turn(str(role), index)


def _chat_calls(message: dict[str, Any]) -> Iterator[Link]:
    for call in objects_of(message.get("tool_calls")):
        body = object_of(call.get("function") or call.get("custom"))
        yield Link(call.get("id"), body.get("name"))
    if isinstance(message.get("function_call"), dict):
        yield Link(None, message["function_call"].get("name"))


def _items(index: int, item: dict[str, Any]) -> Iterator[Turn]:
    kind = word(item, "type") if "type" in item else "message"
    link = item.get("call_id", item.get("id"))
    if kind in LOCAL_ITEMS:
        yield Turn("assistant", index, (Link(link, item.get("name")),))
    elif kind.removesuffix("_output") in LOCAL_ITEMS:
        yield Turn("tool", index, answers=Link(link, None))
    elif kind == "message":
        yield Turn(str(item.get("role")), index)


def _blocks(index: int, message: dict[str, Any]) -> Iterator[Turn]:
    content = message.get("content")
    role = str(message.get("role"))
    if role == "assistant":
        uses = [block for block in objects_of(content) if block.get("type") == "tool_use"]
        yield Turn("assistant", index, tuple(Link(use.get("id"), use.get("name")) for use in uses))
        return
    results = [block for block in objects_of(content) if block.get("type") == "tool_result"]
    for block in results:
        yield Turn("tool", index, answers=Link(block.get("tool_use_id"), None))
    if not results or (isinstance(content, list) and len(content) > len(results)):
        yield Turn(role, index)


def _contents(index: int, content: dict[str, Any]) -> Iterator[Turn]:
    parts = objects_of(content.get("parts"))
    if content.get("role") == "model":
        calls = [object_of(part["functionCall"]) for part in parts if "functionCall" in part]
        yield Turn("assistant", index, tuple(Link(call.get("id"), call.get("name")) for call in calls))
        return
    results = [object_of(part["functionResponse"]) for part in parts if "functionResponse" in part]
    for result in results:
        yield Turn("tool", index, answers=Link(result.get("id"), result.get("name")))
    if not results or len(parts) > len(results):
        yield Turn("user", index)


def _converse(index: int, message: dict[str, Any]) -> Iterator[Turn]:
    blocks = objects_of(message.get("content"))
    if message.get("role") == "assistant":
        uses = [object_of(block["toolUse"]) for block in blocks if "toolUse" in block]
        yield Turn("assistant", index, tuple(Link(use.get("toolUseId"), use.get("name")) for use in uses))
        return
    results = [object_of(block["toolResult"]) for block in blocks if "toolResult" in block]
    for result in results:
        yield Turn("tool", index, answers=Link(result.get("toolUseId"), None))
    if not results or len(blocks) > len(results):
        yield Turn("user", index)


_WALKS: dict[str, Callable[[int, dict[str, Any]], Iterator[Turn]]] = {
    "openai_chat": _chat,
    "openai_responses": _items,
    "anthropic": _blocks,
    "gemini": _contents,
    "bedrock": _converse,
}
