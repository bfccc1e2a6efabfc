"""Responses items: a flat list, where neighbouring items of the model are one turn."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from simlab.check.neutral import Entry, Written, arguments_of, text_of, word
from simlab.check.shapes.chat import arguments_text
from simlab.dialects.openai_responses import CALLS, OUTPUTS

_SAYS = {"system": "system", "developer": "system", "user": "user", "assistant": "assistant"}


def read(messages: Sequence[Any]) -> list[Entry]:
    """Read ``input`` items; hosted calls and unknown items stay as they are."""
    entries: list[Entry] = []
    turn, model_side = -1, False
    for index, item in enumerate(messages):
        entry = _item(index, item) if isinstance(item, dict) else None
        if entry is None:
            continue
        by_model = entry.kind != "result" and entry.model_side
        if not (by_model and model_side):
            turn = index
        model_side = by_model
        entries.append(replace(entry, turn=turn))
    return entries


def _item(index: int, item: dict[str, Any]) -> Entry | None:
    kind = item.get("type", "message")
    if not isinstance(kind, str):
        return None
    if kind == "message":
        return _message(index, item)
    if kind in CALLS:
        custom = kind == "custom_tool_call"
        return Entry(
            kind="call", turn=index, index=index, key=word(item.get("call_id")), family=kind,
            name=word(item.get("name")) or kind.removesuffix("_call"), raw=item,
            arguments=item.get("input") if custom else arguments_of(item.get("arguments") or item.get("action")),
        )  # fmt: skip
    if kind in OUTPUTS:
        return Entry(
            kind="result", turn=index, index=index, key=word(item.get("call_id")), family=kind,
            text=text_of(item.get("output")), failed=item.get("status") in ("failed", "incomplete"), raw=item,
        )  # fmt: skip
    if kind == "reasoning":
        return Entry(kind="thinking", turn=index, index=index, raw=item)
    return Entry(kind="other", turn=index, index=index, raw=item, envelope={"role": "assistant"})


def _message(index: int, item: dict[str, Any]) -> Entry | None:
    role = _SAYS.get(word(item.get("role")))
    if role is None:
        return None
    text = text_of(item.get("content"))
    return Entry(kind=role, turn=index, index=index, text=text, raw=item)  # type: ignore[arg-type]


def write(entries: Sequence[Entry]) -> Written:
    """Write one item an entry; thinking of other formats and blocks that have no item are left out."""
    messages: list[Any] = []
    origins: list[int] = []
    for entry in entries:
        for item in _write(entry):
            messages.append(item)
            origins.append(entry.index)
    return Written(messages=messages, origins=origins)


def _write(entry: Entry) -> Iterator[dict[str, Any]]:
    native = entry.raw is not None
    if entry.kind == "call":
        yield {**entry.raw, "call_id": entry.key} if native else _new_call(entry)
    elif entry.kind == "result":
        yield {**entry.raw, "call_id": entry.key} if native else _new_output(entry)
    elif native:
        yield dict(entry.raw)
    elif entry.kind in ("system", "user", "assistant") or (entry.kind == "other" and not entry.model_side):
        role = "user" if entry.kind == "other" else entry.kind
        kind = "output_text" if entry.kind == "assistant" else "input_text"
        yield {"type": "message", "role": role, "content": [{"type": kind, "text": entry.text}]}


def _new_call(entry: Entry) -> dict[str, Any]:
    if entry.family in ("custom", "custom_tool_call"):
        text = entry.arguments if isinstance(entry.arguments, str) else arguments_text(entry)
        return {"type": "custom_tool_call", "call_id": entry.key, "name": entry.name, "input": text}
    return {"type": "function_call", "call_id": entry.key, "name": entry.name, "arguments": arguments_text(entry)}


def _new_output(entry: Entry) -> dict[str, Any]:
    kind = entry.family if entry.family in OUTPUTS else "function_call_output"
    if entry.family in ("custom", "custom_tool_call"):
        kind = "custom_tool_call_output"
    return {"type": kind, "call_id": entry.key, "output": entry.text}
