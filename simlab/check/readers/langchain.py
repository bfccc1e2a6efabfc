"""LangGraph states and LangSmith runs: LangChain messages in the four encodings that occur, mixed in one dump.

Source: langchain-core messages (``model_dump``, ``messages_to_dict``, the ``lc`` constructor form);
langchain-ai/langsmith-sdk test data; vercel/ai, packages/langchain fixtures for the JavaScript names.
"""

from collections.abc import Iterator
from typing import Any

from simlab.check.readers.chat import Chat, call
from simlab.check.readers.faults import Faults
from simlab.check.readers.saved import NotThisFormatError, SavedConversation
from simlab.check.readers.source import Source
from simlab.check.readers.values import (
    as_text,
    instant_ms,
    joined_text,
    list_of,
    object_of,
    objects_of,
    text_or_none,
    word,
)
from simlab.core.errors import SimlabError

LANGGRAPH = "langgraph"
LANGSMITH = "langsmith"

_TYPES = {"human", "ai", "system", "tool", "function", "chat", "developer", "remove"}
_ROLES = {"human": "user", "ai": "assistant", "generic": "user"}
_REMOVE_ALL = "__remove_all__"


def normal(value: Any) -> dict[str, Any] | None:
    """One message of any encoding as its fields with a lower-case ``type``; ``None`` if it is no message."""
    if not isinstance(value, dict):
        return None
    fields = value
    kind = value.get("type")
    if "lc" in value:
        fields = object_of(value.get("kwargs"))
        names = list_of(value.get("id"))
        kind = names[-1] if names else None
    elif isinstance(value.get("data"), dict):
        fields = value["data"]
    elif "role" in value and word(value, "type") not in _TYPES:
        kind = value["role"]
    name = _short(kind)
    return {**fields, "type": name} if name else None


def _short(kind: Any) -> str | None:
    if not isinstance(kind, str):
        return None
    name = kind.removesuffix("Chunk").removesuffix("Message")
    lowered = name.lower()
    return {"user": "human", "assistant": "ai"}.get(lowered, lowered)


def is_message(value: Any) -> bool:
    """Whether a value is a LangChain message, provider style dicts not included."""
    if not isinstance(value, dict):
        return False
    if "lc" in value:
        names = list_of(value.get("id"))
        return bool(names) and str(names[-1]).removesuffix("Chunk").endswith("Message")
    kind = _short(value.get("type"))
    return kind in _TYPES and ("content" in value or isinstance(value.get("data"), dict) or kind == "remove")


def write(chat: Chat, messages: Any, place: str) -> int:
    """Append LangChain messages to a chat, removals carried out; return how many messages stand."""
    kept: dict[int, dict[str, Any]] = {}
    by_id: dict[str, list[int]] = {}
    for index, value in enumerate(list_of(messages)):
        message = normal(value)
        if message is None:
            continue
        if message["type"] == "remove":
            _remove(kept, by_id, message.get("id"))
        else:
            kept[index] = message
            by_id.setdefault(as_text(message.get("id")), []).append(index)
    for index, message in kept.items():
        _write_one(chat, message, f"{place}[{index}]")
    return len(kept)


def _remove(kept: dict[int, dict[str, Any]], by_id: dict[str, list[int]], removed: Any) -> None:
    if removed == _REMOVE_ALL:
        kept.clear()
    for index in by_id.pop(as_text(removed), ()):
        kept.pop(index, None)


def _write_one(chat: Chat, message: dict[str, Any], place: str) -> None:
    kind = message["type"]
    content = message.get("content")
    if kind == "ai":
        chat.answer(_shown(content), _calls(message), place)
    elif kind == "tool":
        chat.result(message.get("tool_call_id"), content, place)
    elif kind == "function":
        chat.messages.append({"role": "function", "name": message.get("name"), "content": as_text(content)})
        chat.places.append(place)
    else:
        role = message.get("role", "user") if kind == "chat" else _ROLES.get(kind, kind)
        chat.say(role, content if isinstance(content, str | list) else as_text(content), place)


def _shown(content: Any) -> str:
    """Only what was said: calls repeated as content blocks are in ``tool_calls`` already."""
    return content if isinstance(content, str) else joined_text([p for p in list_of(content) if _is_text(p)])


def _is_text(part: Any) -> bool:
    return isinstance(part, str) or object_of(part).get("type", "text") == "text"


def _calls(message: dict[str, Any]) -> list[dict[str, Any]]:
    given = [*objects_of(message.get("tool_calls")), *objects_of(message.get("invalid_tool_calls"))]
    if not given:
        given = objects_of(object_of(message.get("additional_kwargs")).get("tool_calls"))
    return [_call(item) for item in given]


def _call(item: dict[str, Any]) -> dict[str, Any]:
    function = item.get("function")
    if isinstance(function, dict):
        return call(item.get("id"), function.get("name"), function.get("arguments"))
    return call(item.get("id"), item.get("name"), item.get("args"))


def _state_messages(value: Any) -> Any:
    """The messages of a state, a snapshot, a checkpoint, or a bare list."""
    if isinstance(value, list):
        return value
    body = object_of(value)
    for key in ("values", "channel_values", "checkpoint"):
        if isinstance(body.get(key), dict):
            return _state_messages(body[key])
        if isinstance(body.get(key), list):
            return body[key]
    return body.get("messages")


def looks_like_state(value: Any) -> bool:
    """Whether a value is a graph state, a snapshot of one, a list of snapshots, or LangChain messages."""
    messages = _state_messages(value)
    if isinstance(messages, list) and messages and isinstance(messages[0], dict) and "values" in messages[0]:
        messages = _state_messages(messages[0])
    return any(is_message(item) for item in list_of(messages)[:8])


def read_state(value: Any, at: str | None) -> Iterator[SavedConversation]:
    """Read one state; of a state history, every snapshot."""
    if isinstance(value, list) and any("values" in object_of(item) for item in value):
        for snapshot in objects_of(value):
            yield from read_state(snapshot, at)
        return
    messages = _state_messages(value)
    if not isinstance(messages, list):
        raise NotThisFormatError("no list 'messages' as a graph state has it")
    chat = Chat()
    units = write(chat, messages, "messages")
    settings = object_of(object_of(object_of(value).get("config")).get("configurable"))
    name = text_or_none(settings.get("checkpoint_id")) or text_or_none(settings.get("thread_id"))
    yield chat.saved(fmt=LANGGRAPH, units=units, name=at or name)


def looks_like_run(value: Any) -> bool:
    """Whether a value is a run, a list of runs, or a batch of them."""
    return any("run_type" in run for run in _runs(value)[:8])


def _runs(value: Any) -> list[dict[str, Any]]:
    if isinstance(value, list):
        return objects_of(value)
    body = object_of(value)
    if "post" in body or "patch" in body:
        return objects_of(body.get("post")) + objects_of(body.get("patch"))
    return [body]


def read_runs(source: Source) -> Iterator[SavedConversation]:
    """Join the runs of a file by id, and yield of each trace the run that saw most of the conversation."""
    faults = Faults()
    runs: dict[str, dict[str, Any]] = {}
    for record in source.records():
        if faults.usable(record):
            for run in _runs(record.value):
                known = {key: item for key, item in run.items() if item is not None}
                runs.setdefault(as_text(run.get("id", f"#{len(runs)}")), {}).update(known)
    traces: dict[str, list[dict[str, Any]]] = {}
    for name, run in runs.items():
        traces.setdefault(as_text(run.get("trace_id", name)), []).append(run)
    best = [found for members in traces.values() if (found := _longest(members)) is not None]
    if not best:
        raise SimlabError(f"{source.path}: holds no LangSmith run with chat messages")
    best[-1].notes.extend(faults.notes(end=True))
    yield from best


def _longest(runs: list[dict[str, Any]]) -> SavedConversation | None:
    found: SavedConversation | None = None
    for run in sorted(runs, key=lambda item: instant_ms(item.get("start_time"))):
        conversation = _run(run)
        if conversation is not None and (found is None or conversation.units >= found.units):
            found = conversation
    return found


def _run(run: dict[str, Any]) -> SavedConversation | None:
    given = object_of(run.get("inputs")).get("messages")
    if isinstance(given, list) and given and isinstance(given[0], list):
        given = given[0]
    outputs = object_of(run.get("outputs"))
    whole = outputs.get("messages")
    if isinstance(whole, list) and _extends(whole, list_of(given)):
        given = []
    chat = Chat()
    units = write(chat, given, "inputs.messages")
    units += write(chat, whole if isinstance(whole, list) else _answer(outputs), "outputs")
    if not units:
        return None
    return chat.saved(fmt=LANGSMITH, units=units, name=text_or_none(run.get("id")))


def _extends(whole: list[Any], given: list[Any]) -> bool:
    """Whether an output repeats the input: a chain over a graph state returns the whole state."""
    first = [object_of(normal(items[0])).get("content") for items in (whole, given) if items]
    return len(whole) > len(given) and len(first) == 2 and first[0] == first[1]


def _answer(outputs: dict[str, Any]) -> list[Any]:
    generations = list_of(outputs.get("generations"))
    if generations:
        batch = generations[0] if isinstance(generations[0], list) else generations
        return [object_of(item).get("message") for item in batch[:1]]
    choices = objects_of(outputs.get("choices"))
    if choices:
        return [choices[0].get("message")]
    if "role" in outputs or "lc" in outputs:
        return [outputs]
    return [outputs["message"]] if isinstance(outputs.get("message"), dict) else []
