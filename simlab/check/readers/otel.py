"""OpenTelemetry GenAI: the conversation is spread over spans or log records, and repeated in each.

Every chat span carries the whole history so far, so the longest chain is the conversation; of the older events, one
a message, the last group is. Spans of tools are the ground truth of what ran. Source: open-telemetry
semantic-conventions-genai (model/gen-ai, non-normative examples) and, for the events,
open-telemetry/semantic-conventions, model/gen-ai/deprecated.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from simlab.check.readers import otel_wire
from simlab.check.readers.chat import Chat, call
from simlab.check.readers.faults import Faults, note
from simlab.check.readers.otel_flat import flat_messages
from simlab.check.readers.otel_wire import Event, Span
from simlab.check.readers.saved import SavedConversation
from simlab.check.readers.source import Source
from simlab.check.readers.values import as_text, object_of, objects_of, parsed, text_or_none
from simlab.core.errors import SimlabError

FORMAT = "otel_genai"

_CONVERSATION = "gen_ai.conversation.id"
_DETAILS = "gen_ai.client.inference.operation.details"
_OLD_EVENTS = {
    "gen_ai.system.message": "system",
    "gen_ai.user.message": "user",
    "gen_ai.assistant.message": "assistant",
    "gen_ai.tool.message": "tool",
    "gen_ai.choice": "choice",
}


@dataclass(slots=True)
class _Chain:
    """What one model call saw and said, in the newer form."""

    at_ms: float
    given: list[Any]
    said: list[Any]

    def messages(self) -> list[Any]:
        return self.given + self.said


@dataclass(slots=True)
class _Thread:
    """All that belongs to one conversation."""

    name: str
    chains: list[_Chain] = field(default_factory=list)
    recorded: list[Any] = field(default_factory=list)
    old: list[Event] = field(default_factory=list)
    tools: list[Span] = field(default_factory=list)


def looks_like(value: Any) -> bool:
    """Whether a value is telemetry, or a list of spans."""
    if isinstance(value, list):
        return any(otel_wire.looks_like(item) for item in value[:8])
    return otel_wire.looks_like(value)


def read(source: Source) -> Iterator[SavedConversation]:
    """Yield one conversation for each thread: a conversation id or trace, and the agent that held it."""
    faults = Faults()
    items: list[Span | Event] = []
    for record in source.records():
        if faults.usable(record):
            values = record.value if isinstance(record.value, list) else [record.value]
            items.extend(item for value in objects_of(values) for item in otel_wire.telemetry(value))
    if not items:
        raise SimlabError(f"{source.path}: holds no span and no log record of OpenTelemetry")
    notes = faults.notes(end=True)
    for thread in _with_content(_threads(items)):
        conversation = _conversation(thread)
        conversation.notes.extend(notes)
        notes = []
        yield conversation


def _with_content(threads: list[_Thread]) -> list[_Thread]:
    held = [thread for thread in threads if thread.chains or thread.old or thread.recorded]
    return held or threads[:1]


def _threads(items: list[Span | Event]) -> list[_Thread]:
    spans = {(item.trace, item.id): item for item in items if isinstance(item, Span)}
    named = {span.trace: name for span in spans.values() if (name := span.attributes.get(_CONVERSATION))}
    agents = _agents(spans)
    threads: dict[str, _Thread] = {}
    for item in items:
        conversation = item.attributes.get(_CONVERSATION) or named.get(item.trace) or item.trace
        agent = agents.get((item.trace, item.id if isinstance(item, Span) else item.span))
        name = f"{as_text(conversation)} {as_text(agent)}" if agent else as_text(conversation)
        thread = threads.setdefault(name, _Thread(name=name))
        if isinstance(item, Event):
            _take_event(thread, item)
        else:
            _take_span(thread, item)
    return list(threads.values())


def _agents(spans: dict[tuple[str, str], Span]) -> dict[tuple[str, str], Any]:
    """The name of the agent around each span: its own, or that of the nearest span above; every span is met once."""
    found: dict[tuple[str, str], Any] = {}
    for start in spans:
        path: list[tuple[str, str]] = []
        key, agent = start, None
        while agent is None and key in spans and key not in found:
            found[key] = None
            path.append(key)
            agent = spans[key].attributes.get("gen_ai.agent.name")
            key = (key[0], spans[key].parent)
        agent = agent or found.get(key)
        found.update(dict.fromkeys(path, agent))
    return found


def _take_span(thread: _Thread, span: Span) -> None:
    if span.attributes.get("gen_ai.operation.name") == "execute_tool":
        thread.tools.append(span)
        return
    _take_chain(thread, span.attributes, span.start_ms)
    thread.recorded = thread.recorded or _list(span.attributes.get("pydantic_ai.all_messages"))
    for event in span.events:
        _take_event(thread, event)


def _take_event(thread: _Thread, event: Event) -> None:
    if event.name == _DETAILS:
        _take_chain(thread, {**event.attributes, **event.body}, event.at_ms)
    elif event.name in _OLD_EVENTS:
        thread.old.append(event)


def _take_chain(thread: _Thread, attributes: dict[str, Any], at_ms: float) -> None:
    given = _list(attributes.get("gen_ai.input.messages"))
    said = _list(attributes.get("gen_ai.output.messages"))
    if not given and not said:
        given, said = flat_messages(attributes)
    if given or said:
        thread.chains.append(_Chain(at_ms, given, said[:1]))


def _list(value: Any) -> list[Any]:
    value = parsed(value)
    return value if isinstance(value, list) else []


def _conversation(thread: _Thread) -> SavedConversation:
    chat = Chat()
    messages = _joined(sorted(thread.chains, key=lambda chain: chain.at_ms)) or thread.recorded
    if messages:
        units = len(messages)
        for index, message in enumerate(messages):
            _write(chat, object_of(message), f"message {index}")
    else:
        units = _write_old(chat, thread.old)
    if not units:
        text = "the telemetry holds no message content, which instrumentations record only when asked to"
        chat.notes.append(note("no_content", "info", text, "Switch on content capture to check conversations."))
    chat.events.extend(_executions(thread.tools))
    return chat.saved(fmt=FORMAT, units=units, name=text_or_none(thread.name))


def _joined(chains: list[_Chain]) -> list[Any]:
    """The longest chain; what later, trimmed ones add are results of known calls and what was said."""
    if not chains:
        return []
    longest = max(range(len(chains)), key=lambda index: (len(chains[index].messages()), index))
    messages = chains[longest].messages()
    open_calls = _calls(messages) - _answers(messages)
    for chain in chains[longest + 1 :]:
        added = [item for item in chain.given if _answers([item]) & open_calls] + chain.said
        open_calls |= _calls(added)
        open_calls -= _answers(added)
        messages.extend(added)
    return messages


def _calls(messages: list[Any]) -> set[str]:
    return _ids(messages, "tool_call")


def _answers(messages: list[Any]) -> set[str]:
    return _ids(messages, "tool_call_response")


def _ids(messages: list[Any], kind: str) -> set[str]:
    return {
        as_text(part.get("id"))
        for message in messages
        for part in objects_of(object_of(message).get("parts"))
        if part.get("type") == kind
    }


def _write(chat: Chat, message: dict[str, Any], place: str) -> None:
    """Write one message of the newer form; results may stand under a tool or a user role."""
    parts = objects_of(message.get("parts"))
    text = "\n".join(as_text(part.get("content")) for part in parts if part.get("type") == "text")
    role = message.get("role")
    if role == "assistant":
        calls = [
            call(part.get("id"), part.get("name"), part.get("arguments"))
            for part in parts
            if part.get("type") == "tool_call"
        ]
        chat.answer(text, calls, place)
        return
    results = [part for part in parts if part.get("type") == "tool_call_response"]
    for part in results:
        chat.result(part.get("id"), part.get("response", part.get("result")), place)
    if text or not results:
        chat.say(str(role), text, place)


def _write_old(chat: Chat, events: list[Event]) -> int:
    group = _last_group(events)
    for index, event in enumerate(group):
        place = f"event {index} of span {event.span}"
        body = event.body
        content = as_text(body.get("content"))
        match _OLD_EVENTS[event.name]:
            case "tool":
                chat.result(body.get("id"), content, place)
            case "assistant":
                chat.answer(content, _old_calls(body), place)
            case "choice":
                message = object_of(parsed(body.get("message")))
                chat.answer(as_text(message.get("content")), _old_calls({**body, **message}), place)
            case role:
                chat.say(role, content, place)
    return len(group)


def _last_group(events: list[Event]) -> list[Event]:
    """Every model call repeats its input under its own span; without span ids, a choice ends a group."""
    groups: list[list[Event]] = []
    by_span: dict[str, list[Event]] = {}
    for event in sorted(events, key=lambda item: item.at_ms):
        if event.name == "gen_ai.choice" and str(event.body.get("index", 0)) != "0":
            continue
        group = by_span.get(event.span)
        if group is None or (not event.span and group[-1].name == "gen_ai.choice"):
            group = by_span[event.span] = []
            groups.append(group)
        group.append(event)
    return groups[-1] if groups else []


def _old_calls(body: dict[str, Any]) -> list[dict[str, Any]]:
    found = []
    for item in objects_of(parsed(body.get("tool_calls"))):
        function = object_of(item.get("function"))
        found.append(call(item.get("id"), function.get("name"), function.get("arguments")))
    return found


def _executions(tools: list[Span]) -> Iterator[dict[str, Any]]:
    started_ms = min((span.start_ms for span in tools), default=0.0)
    for span in sorted(tools, key=lambda item: item.start_ms):
        call_id = span.attributes.get("gen_ai.tool.call.id")
        name = span.attributes.get("gen_ai.tool.name")
        yield {"t": span.start_ms - started_ms, "kind": "exec_start", "call": call_id, "name": name}
        if span.end_ms:
            end: dict[str, Any] = {"t": span.end_ms - started_ms, "kind": "exec_end", "call": call_id}
            end["status"] = "error" if span.failed else "ok"
            if "gen_ai.tool.call.result" in span.attributes:
                end["output"] = as_text(span.attributes["gen_ai.tool.call.result"])
            yield end
