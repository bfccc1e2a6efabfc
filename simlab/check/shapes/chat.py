"""Chat Completions messages, as OpenAI, Mistral and compatible endpoints share them."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from simlab.check.neutral import Entry, Written, arguments_of, as_json, text_of, without, word
from simlab.check.shapes.grouping import groups

_SAYS = {"system": "system", "developer": "system", "user": "user"}


def read(messages: Sequence[Any]) -> list[Entry]:
    """Read ``messages``; calls of the deprecated ``function_call`` shape have no key."""
    entries: list[Entry] = []
    for index, message in enumerate(messages):
        if isinstance(message, dict):
            entries += _message(index, message)
    return list(_join_legacy(entries))


def _join_legacy(entries: Sequence[Entry]) -> Iterator[Entry]:
    """Give calls of the deprecated shape keys of ours: the result directly behind, of the same name, is theirs."""
    before: Entry | None = None
    for entry in entries:
        current = entry
        if entry.family == "legacy":
            answers = (
                before is not None and entry.kind == "result" and (before.kind, before.name) == ("call", entry.name)
            )
            key = before.key if before is not None and answers else f"function_{entry.index}"
            current = replace(entry, key=key, anonymous=True)
        yield current
        before = current


def _message(index: int, message: dict[str, Any]) -> Iterator[Entry]:
    role = message.get("role")
    text = text_of(message.get("content"))
    raw = message if readable(message.get("content")) else None
    if role == "assistant":
        yield from _assistant(index, message)
    elif role in ("tool", "function"):
        key = word(message.get("tool_call_id"))
        family = "legacy" if role == "function" else "function"
        failed = message.get("is_error") is True or message.get("status") == "error"
        yield Entry(
            kind="result", turn=index, index=index, text=text, key=key, name=word(message.get("name")), family=family,
            failed=failed, raw=raw,
        )  # fmt: skip
    elif isinstance(role, str) and role in _SAYS:
        kind = "user" if role == "user" else "system"
        yield Entry(kind=kind, turn=index, index=index, text=text, raw=raw)  # type: ignore[arg-type]


def readable(content: Any) -> bool:
    """Tell whether content can be written back as it stands."""
    return isinstance(content, str) or (
        isinstance(content, list) and bool(content) and all(isinstance(part, dict) for part in content)
    )


def _assistant(index: int, message: dict[str, Any]) -> Iterator[Entry]:
    content = message.get("content")
    envelope = without(message, "content", "tool_calls", "function_call")
    if readable(content) or message.get("refusal") or message.get("audio"):
        text = text_of(content) or word(message.get("refusal"))
        yield Entry(kind="assistant", turn=index, index=index, text=text, raw=content, envelope=envelope)
    calls = message.get("tool_calls")
    for call in calls if isinstance(calls, list) else []:
        if isinstance(call, dict):
            yield _call(index, call, envelope)
    legacy = message.get("function_call")
    if isinstance(legacy, dict):
        yield Entry(
            kind="call", turn=index, index=index, name=word(legacy.get("name")), family="legacy",
            arguments=arguments_of(legacy.get("arguments")), raw=legacy, envelope=envelope,
        )  # fmt: skip


def _call(index: int, call: dict[str, Any], envelope: dict[str, Any]) -> Entry:
    function, custom = call.get("function"), call.get("custom")
    holder = function if isinstance(function, dict) else custom if isinstance(custom, dict) else {}
    family = "custom" if holder is custom else "function"
    arguments = holder.get("input") if family == "custom" else arguments_of(holder.get("arguments"))
    return Entry(
        kind="call", turn=index, index=index, key=word(call.get("id")), name=word(holder.get("name")), family=family,
        arguments=arguments, raw=call if holder else None, envelope=envelope,
    )  # fmt: skip


def write(entries: Sequence[Entry]) -> Written:
    """Write entries: one message a result, the model's text and calls of a turn in one message."""
    messages: list[Any] = []
    origins: list[int] = []
    for run in groups(entries, join_results=False):
        for message in _write_run(run):
            messages.append(message)
            origins.append(run[0].index)
    return Written(messages=messages, origins=origins)


def _write_run(run: list[Entry]) -> Iterator[dict[str, Any]]:
    if run[0].model_side:
        message = _write_assistant(run)
        if message is not None:
            yield message
        return
    for entry in run:
        if entry.kind == "result":
            yield _write_result(entry)
        else:
            yield _say(entry)


def _say(entry: Entry) -> dict[str, Any]:
    if entry.raw is not None:
        return dict(entry.raw)
    return {"role": "system" if entry.kind == "system" else "user", "content": entry.text}


def _write_result(entry: Entry) -> dict[str, Any]:
    message = {"role": "tool", "content": entry.text} if entry.raw is None else dict(entry.raw)
    if entry.family == "legacy":
        return {**without(message, "tool_call_id"), "role": "function", "name": entry.name}
    return {**message, "tool_call_id": entry.key}


def _write_assistant(run: list[Entry]) -> dict[str, Any] | None:
    said = [entry for entry in run if entry.kind == "assistant"]
    calls = [entry for entry in run if entry.kind == "call"]
    if not said and not calls:
        return None
    message: dict[str, Any] = {**run[0].envelope, "role": "assistant", "content": None}
    if len(said) == 1:
        message["content"] = said[0].raw if readable(said[0].raw) else said[0].text or (None if calls else "")
    elif said:
        message["content"] = "\n".join(entry.text for entry in said)
    legacy = [entry for entry in calls if entry.family == "legacy"]
    if legacy:
        message["function_call"] = {"name": legacy[0].name, "arguments": arguments_text(legacy[0])}
    if len(calls) > len(legacy):
        message["tool_calls"] = [_write_call(entry) for entry in calls if entry.family != "legacy"]
    return message


def _write_call(entry: Entry) -> dict[str, Any]:
    if entry.raw is not None:
        return {**entry.raw, "id": entry.key}
    if entry.family == "custom":
        payload = {
            "name": entry.name,
            "input": entry.arguments if isinstance(entry.arguments, str) else as_json(entry.arguments),
        }
        return {"id": entry.key, "type": "custom", "custom": payload}
    function = {"name": entry.name, "arguments": arguments_text(entry)}
    return {"id": entry.key, "type": "function", "function": function}


def arguments_text(entry: Entry) -> str:
    """Return call arguments as the JSON text that this shape stores."""
    return entry.arguments if isinstance(entry.arguments, str) else as_json(entry.arguments or {})
