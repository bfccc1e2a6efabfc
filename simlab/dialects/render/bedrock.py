"""AWS Bedrock Converse: strict alternation, so neighbours of one role are one message, results first."""

from collections.abc import Sequence
from itertools import groupby
from typing import Any

from simlab.dialects.render.shared import SCHEMA, arguments, as_user
from simlab.dialects.render.stream import Item, Outcome, Reply, Say


def tools(names: Sequence[str]) -> dict[str, Any]:
    """Return the request's ``toolConfig``."""
    listed = [{"toolSpec": {"name": name, "inputSchema": {"json": SCHEMA}}} for name in names]
    return {"toolConfig": {"tools": listed}} if listed else {}


def write(items: Sequence[Item], _thinking: bool) -> list[dict[str, Any]]:
    """Write ``messages``."""
    messages = []
    for is_model, run in groupby(items, lambda item: isinstance(item, Reply)):
        blocks = [block for item in run for block in _blocks(item)]
        messages.append({"role": "assistant" if is_model else "user", "content": blocks})
    return messages


def _blocks(item: Item) -> list[dict[str, Any]]:
    if isinstance(item, Say):
        return [{"text": as_user(item)}]
    if isinstance(item, Outcome):
        status = "error" if item.failed else "success"
        return [{"toolResult": {"toolUseId": item.id, "content": [{"text": item.text}], "status": status}}]
    said = [{"text": item.text}] if item.text else []
    return said + [
        {"toolUse": {"toolUseId": call.id, "name": call.tool, "input": arguments(call)}} for call in item.calls
    ]
