"""Converse messages: blocks named by their key."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from simlab.check.neutral import Entry, Kind, Written, text_of, without, word
from simlab.check.shapes.grouping import groups


def read(messages: Sequence[Any]) -> list[Entry]:
    """Read ``messages`` block by block."""
    entries: list[Entry] = []
    for index, message in enumerate(messages):
        role = message.get("role") if isinstance(message, dict) else None
        if role in ("user", "assistant", "system"):
            content = message.get("content")
            envelope = without(message, "content")
            for block in content if isinstance(content, list) else []:
                entries += _block(index, role, block, envelope)
    return entries


def _block(index: int, role: Kind, block: Any, envelope: Mapping[str, Any]) -> Iterator[Entry]:
    if not isinstance(block, dict):
        return
    call, result = block.get("toolUse"), block.get("toolResult")
    if isinstance(call, dict):
        yield Entry(
            kind="call", turn=index, index=index, key=word(call.get("toolUseId")), name=word(call.get("name")),
            arguments=call.get("input"), raw=block, envelope=envelope,
        )  # fmt: skip
    elif isinstance(result, dict):
        yield Entry(
            kind="result", turn=index, index=index, key=word(result.get("toolUseId")),
            text=text_of(result.get("content")), failed=result.get("status") == "error", raw=block, envelope=envelope,
        )  # fmt: skip
    elif "reasoningContent" in block:
        yield Entry(kind="thinking", turn=index, index=index, raw=block, envelope=envelope)
    elif isinstance(block.get("text"), str):
        yield Entry(kind=role, turn=index, index=index, text=block["text"], raw=block, envelope=envelope)
    elif "toolUse" not in block and "toolResult" not in block and "text" not in block:
        name = next(iter(block), "block")
        role_kept = {"role": role, **envelope}
        yield Entry(kind="other", turn=index, index=index, text=f"[{name}]", raw=block, envelope=role_kept)


def write(entries: Sequence[Entry]) -> Written:
    """Write entries; the results of a run share one user message."""
    messages: list[Any] = []
    origins: list[int] = []
    for run in groups(entries, join_results=True):
        role = "system" if run[0].kind == "system" else "assistant" if run[0].model_side else "user"
        blocks = [block for block in (_write(entry) for entry in run) if block is not None]
        if blocks or run[0].kind == "user":
            messages.append({**run[0].envelope, "role": role, "content": blocks})
            origins.append(run[0].index)
    return Written(messages=messages, origins=origins)


def _write(entry: Entry) -> dict[str, Any] | None:
    native = entry.raw
    if entry.kind == "call":
        arguments = entry.arguments if entry.arguments is not None else {}
        call = native["toolUse"] if native else {"name": entry.name, "input": arguments}
        return {"toolUse": {**call, "toolUseId": entry.key}}
    if entry.kind == "result":
        return {"toolResult": {**_result(entry, native), "toolUseId": entry.key}}
    if native is not None:
        return dict(native)
    if entry.model_side and (entry.kind != "assistant" or not entry.text):
        return None
    return {"text": entry.text}


def _result(entry: Entry, native: dict[str, Any] | None) -> dict[str, Any]:
    if native is not None:
        kept: dict[str, Any] = native["toolResult"]
        return kept
    result: dict[str, Any] = {"content": [{"text": entry.text}]}
    return {**result, "status": "error"} if entry.failed else result
