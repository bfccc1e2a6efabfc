"""Anthropic Messages: the results of a turn in one user message, directly behind the calls."""

from collections.abc import Sequence
from itertools import groupby
from typing import Any

from simlab.dialects.render.shared import SCHEMA, arguments, as_user, stand_in, thought
from simlab.dialects.render.stream import Item, Outcome, Reply, Say


def tools(names: Sequence[str]) -> dict[str, Any]:
    """Return the request's ``tools``."""
    listed = [{"name": name, "input_schema": SCHEMA} for name in names]
    return {"tools": listed} if listed else {}


def write(items: Sequence[Item], thinking: bool) -> list[dict[str, Any]]:
    """Write ``messages``."""
    messages: list[dict[str, Any]] = []
    for kind, run in groupby(items, type):
        if kind is Outcome:
            messages.append({"role": "user", "content": [_result(item) for item in run if isinstance(item, Outcome)]})
        else:
            messages += [_message(item, thinking) for item in run]
    return messages


def _message(item: Item, thinking: bool) -> dict[str, Any]:
    if isinstance(item, Reply):
        return {"role": "assistant", "content": _reply(item, thinking)}
    assert isinstance(item, Say)
    return {"role": "user", "content": as_user(item)}


def _result(item: Outcome) -> dict[str, Any]:
    block = {"type": "tool_result", "tool_use_id": item.id, "content": item.text}
    return {**block, "is_error": True} if item.failed else block


def _reply(item: Reply, thinking: bool) -> list[dict[str, Any]]:
    blocks: list[dict[str, Any]] = []
    if thinking and item.thinking is not None:
        blocks.append({"type": "thinking", "thinking": thought(item), "signature": stand_in(item)})
    if item.text:
        blocks.append({"type": "text", "text": item.text})
    blocks += [{"type": "tool_use", "id": call.id, "name": call.tool, "input": arguments(call)} for call in item.calls]
    return blocks
