"""Anthropic messages: blocks of two sides, results in the user's messages."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from simlab.check.neutral import Entry, Kind, Written, text_of, without, word
from simlab.check.shapes.grouping import groups
from simlab.dialects.blocks import block_type, blocks_of


def read(messages: Sequence[Any]) -> list[Entry]:
    """Read ``messages`` block by block."""
    entries: list[Entry] = []
    for index, message in enumerate(messages):
        if isinstance(message, dict) and message.get("role") in ("user", "assistant", "system"):
            entries += _message(index, message)
    return entries


def _message(index: int, message: dict[str, Any]) -> Iterator[Entry]:
    role: Kind = message["role"]
    envelope = without(message, "content")
    if role == "system":
        text = text_of(message.get("content"))
        yield Entry(kind="system", turn=index, index=index, text=text, raw=message, envelope=envelope)
        return
    for block in blocks_of(message.get("content")):
        if isinstance(block, dict):
            yield _block(index, role, block, envelope)


def _block(index: int, role: Kind, block: dict[str, Any], envelope: Mapping[str, Any]) -> Entry:
    kind = block_type(block)
    if kind == "tool_use":
        return Entry(
            kind="call", turn=index, index=index, key=word(block.get("id")), name=word(block.get("name")),
            arguments=block.get("input"), raw=block, envelope=envelope,
        )  # fmt: skip
    if kind == "tool_result":
        return Entry(
            kind="result", turn=index, index=index, key=word(block.get("tool_use_id")),
            text=text_of(block.get("content")), failed=block.get("is_error") is True, raw=block, envelope=envelope,
        )  # fmt: skip
    if kind in ("thinking", "redacted_thinking"):
        text = word(block.get("thinking"))
        return Entry(kind="thinking", turn=index, index=index, text=text, raw=block, envelope=envelope)
    if kind == "text":
        text = word(block.get("text"))
        return Entry(kind=role, turn=index, index=index, text=text, raw=block, envelope=envelope)
    return Entry(
        kind="other", turn=index, index=index, text=f"[{kind}]", raw=block, envelope={"role": role, **envelope}
    )


def write(entries: Sequence[Entry]) -> Written:
    """Write entries; the results of a run share one user message."""
    messages: list[Any] = []
    origins: list[int] = []
    for run in groups(entries, join_results=True):
        message = _write_run(run)
        if message is not None:
            messages.append(message)
            origins.append(run[0].index)
    return Written(messages=messages, origins=origins)


def _write_run(run: list[Entry]) -> dict[str, Any] | None:
    if run[0].kind == "system":
        return {**run[0].envelope, "role": "system", "content": run[0].text}
    blocks = [block for block in (_write(entry) for entry in run) if block is not None]
    role = "assistant" if run[0].model_side else "user"
    lone = run[0] if len(run) == 1 and run[0].kind in ("user", "assistant") and run[0].raw is None else None
    if not blocks and not lone:
        return None
    return {**run[0].envelope, "role": role, "content": lone.text if lone else blocks}


def _write(entry: Entry) -> dict[str, Any] | None:
    native = entry.raw
    if entry.kind == "call":
        if native is not None:
            return {**native, "id": entry.key}
        arguments = entry.arguments if entry.arguments is not None else {}
        return {"type": "tool_use", "id": entry.key, "name": entry.name, "input": arguments}
    if entry.kind == "result":
        if native is not None:
            return {**native, "tool_use_id": entry.key}
        block = {"type": "tool_result", "tool_use_id": entry.key, "content": entry.text}
        return {**block, "is_error": True} if entry.failed else block
    if native is not None:
        return dict(native)
    if entry.model_side and (entry.kind != "assistant" or not entry.text):
        return None
    return {"type": "text", "text": entry.text}
