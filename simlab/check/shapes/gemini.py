"""Gemini contents: parts of two sides, calls and responses often without ids."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from simlab.check.neutral import Entry, Kind, Written, as_json, without, word
from simlab.check.shapes.grouping import groups

_ROLES: Mapping[str, Kind] = {"user": "user", "function": "user", "model": "assistant", "system": "system"}


def read(messages: Sequence[Any]) -> list[Entry]:
    """Read ``contents`` part by part."""
    entries: list[Entry] = []
    for index, content in enumerate(messages):
        role = _ROLES.get(word(content.get("role", "user"))) if isinstance(content, dict) else None
        if role is not None:
            parts = content.get("parts")
            envelope = without(content, "parts")
            for part in parts if isinstance(parts, list) else []:
                entries += _part(index, role, part, envelope)
    return _with_keys(entries)


def _with_keys(entries: Sequence[Entry]) -> list[Entry]:
    """Give calls without ids keys of ours; a response without id answers the latest turn's next call of its name."""
    keyed: list[Entry] = []
    waiting: list[Entry] = []
    for place, entry in enumerate(entries):
        current = entry
        if entry.kind == "call":
            if waiting and waiting[-1].turn != entry.turn:
                waiting = []
            current = entry if entry.key else replace(entry, key=f"call_{place}", anonymous=True)
            waiting.append(current)
        elif entry.kind == "result" and not entry.key:
            current = replace(entry, key=_answered(waiting, entry.name) or f"response_{place}", anonymous=True)
        keyed.append(current)
    return keyed


def _answered(waiting: list[Entry], name: str) -> str:
    for call in waiting:
        if call.name == name and call.anonymous:
            waiting.remove(call)
            return call.key
    return ""


def _part(index: int, role: Kind, part: Any, envelope: Mapping[str, Any]) -> Iterator[Entry]:
    if not isinstance(part, dict):
        return
    call = part.get("functionCall", part.get("function_call"))
    response = part.get("functionResponse", part.get("function_response"))
    if isinstance(call, dict):
        yield Entry(
            kind="call", turn=index, index=index, key=word(call.get("id")), name=word(call.get("name")),
            arguments=call.get("args") if call.get("args") is not None else {}, raw=part, envelope=envelope,
        )  # fmt: skip
    elif isinstance(response, dict):
        value = response.get("response")
        failed = isinstance(value, dict) and "error" in value
        yield Entry(
            kind="result", turn=index, index=index, key=word(response.get("id")), name=word(response.get("name")),
            text=_response_text(value), failed=failed, raw=part, envelope=envelope,
        )  # fmt: skip
    elif part.get("thought") is True:
        yield Entry(kind="thinking", turn=index, index=index, text=word(part.get("text")), raw=part, envelope=envelope)
    elif isinstance(part.get("text"), str):
        yield Entry(kind=role, turn=index, index=index, text=part["text"], raw=part, envelope=envelope)
    elif call is None and response is None:
        role_kept = {"role": role, **envelope}
        yield Entry(kind="other", turn=index, index=index, text="[part]", raw=part, envelope=role_kept)


def _response_text(value: Any) -> str:
    if isinstance(value, dict) and len(value) == 1:
        only = next(iter(value.values()))
        if isinstance(only, str):
            return only
    return value if isinstance(value, str) else as_json(value)


def write(entries: Sequence[Entry]) -> Written:
    """Write entries; the responses of a run share one content, and name the function of their call."""
    names = {entry.key: entry.name for entry in entries if entry.kind == "call" and entry.key}
    messages: list[Any] = []
    origins: list[int] = []
    for run in groups(entries, join_results=True):
        parts = [part for part in (_write(entry, names) for entry in run) if part is not None]
        role = "system" if run[0].kind == "system" else "model" if run[0].model_side else "user"
        if parts or run[0].kind == "user":
            messages.append({**run[0].envelope, "role": role, "parts": parts})
            origins.append(run[0].index)
    return Written(messages=messages, origins=origins)


def _write(entry: Entry, names: Mapping[str, str]) -> dict[str, Any] | None:
    native = entry.raw
    if entry.kind == "call":
        return dict(native) if native and _same_id(native, entry) else _new_call(entry, native)
    if entry.kind == "result":
        return dict(native) if native and _same_id(native, entry) else _new_response(entry, names, native)
    if native is not None:
        return dict(native)
    if entry.model_side and (entry.kind != "assistant" or not entry.text):
        return None
    return {"text": entry.text}


def _holder(native: Mapping[str, Any]) -> dict[str, Any]:
    for key in ("functionCall", "function_call", "functionResponse", "function_response"):
        if isinstance(native.get(key), dict):
            return native[key]  # type: ignore[no-any-return]
    return {}


def _same_id(native: Mapping[str, Any], entry: Entry) -> bool:
    return word(_holder(native).get("id")) == ("" if entry.anonymous else entry.key)


def _new_call(entry: Entry, native: Mapping[str, Any] | None) -> dict[str, Any]:
    call = {"name": entry.name, "args": entry.arguments if entry.arguments is not None else {}}
    part = {**without(native or {}, "functionCall", "function_call"), "functionCall": call}
    if entry.key and not entry.anonymous:
        call["id"] = entry.key
    return part


def _new_response(entry: Entry, names: Mapping[str, str], native: Mapping[str, Any] | None) -> dict[str, Any]:
    name = entry.name or names.get(entry.key, "") or "unknown"
    value = _holder(native).get("response") if native else {"error" if entry.failed else "output": entry.text}
    response = {"name": name, "response": value}
    if entry.key and not entry.anonymous:
        response["id"] = entry.key
    return {"functionResponse": response}
