"""opencode exports: messages with parts; a tool part holds the call and, once over, its result.

Source: anomalyco/opencode, packages/opencode/src/session/message-v2.ts.
"""

from collections.abc import Iterator
from typing import Any

from simlab.check.readers.chat import Chat
from simlab.check.readers.faults import note
from simlab.check.readers.saved import NotThisFormatError, SavedConversation
from simlab.check.readers.steps import ToolPart, answer_in_steps, legacy_tool
from simlab.check.readers.values import instant_ms, list_of, object_of, objects_of, text_or_none, word

FORMAT = "opencode"


def _is_message(value: Any) -> bool:
    return isinstance(value, dict) and isinstance(value.get("info"), dict) and isinstance(value.get("parts"), list)


def looks_like(value: Any) -> bool:
    """Whether a value is an export or its list of messages."""
    messages = list_of(object_of(value).get("messages")) or list_of(value)
    return any(_is_message(item) for item in messages[:8])


def read(value: Any, at: str | None) -> Iterator[SavedConversation]:
    """Read one session, its messages in order of creation."""
    messages = value.get("messages") if isinstance(value, dict) else value
    if not isinstance(messages, list):
        raise NotThisFormatError("no list 'messages' of info and parts")
    places = [(f"messages[{index}]", item) for index, item in enumerate(messages) if _is_message(item)]
    chat = Chat()
    for place, message in sorted(places, key=lambda item: _created(item[1]["info"])):
        _message(chat, message, place)
    chat.events = _from_zero(chat.events)
    name = text_or_none(object_of(object_of(value).get("info")).get("id"))
    yield chat.saved(fmt=FORMAT, units=len(places), name=at or name)


def _from_zero(events: list[dict[str, Any]]) -> list[dict[str, Any]]:
    started_ms = min((event["t"] for event in events), default=0.0)
    return sorted(({**event, "t": event["t"] - started_ms} for event in events), key=lambda event: event["t"])


def _created(info: dict[str, Any]) -> tuple[float, str]:
    return instant_ms(object_of(info.get("time")).get("created")), str(info.get("id", ""))


def _message(chat: Chat, message: dict[str, Any], place: str) -> None:
    info = message["info"]
    parts = sorted(objects_of(message["parts"]), key=lambda part: str(part.get("id", "")))
    if info.get("role") != "assistant":
        texts = [part.get("text") for part in parts if part.get("type") == "text" and not part.get("ignored")]
        chat.say("user", "\n".join(text for text in texts if isinstance(text, str)), place)
        return
    answer_in_steps(chat, parts, _tool, place)
    for part in parts:
        chat.events.extend(_executions(part))
    if object_of(info.get("error")).get("name") == "MessageAbortedError":
        text = f"{place}: the log says that the message was aborted"
        chat.notes.append(
            note("aborted_turn", "info", text, "Nothing to do: an abort is allowed.", len(chat.messages) - 1)
        )


def _tool(part: dict[str, Any]) -> ToolPart | None:
    if part.get("type") == "tool-invocation":
        return legacy_tool(part.get("toolInvocation"))
    if part.get("type") != "tool":
        return None
    state = object_of(part.get("state"))
    output = state.get("output") if state.get("status") == "completed" else state.get("error")
    answered = word(state, "status") in {"completed", "error"}
    return ToolPart(part.get("callID"), part.get("tool"), state.get("input"), answered, output)


def _executions(part: dict[str, Any]) -> Iterator[dict[str, Any]]:
    state = object_of(part.get("state"))
    time = object_of(state.get("time"))
    if part.get("type") != "tool" or "start" not in time:
        return
    yield {"t": instant_ms(time["start"]), "kind": "exec_start", "call": part.get("callID")}
    if "end" in time:
        status = "ok" if state.get("status") == "completed" else "error"
        yield {"t": instant_ms(time["end"]), "kind": "exec_end", "call": part.get("callID"), "status": status}
