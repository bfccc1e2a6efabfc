"""OpenAI Responses: a flat list of items."""

from collections.abc import Iterator, Sequence
from typing import Any

from simlab.dialects.render.names import digest
from simlab.dialects.render.shared import SCHEMA, arguments_text, stand_in
from simlab.dialects.render.stream import Item, Outcome, Reply, Say


def tools(names: Sequence[str]) -> dict[str, Any]:
    """Return the request's ``tools``."""
    listed = [{"type": "function", "name": name, "parameters": SCHEMA} for name in names]
    return {"tools": listed} if listed else {}


def write(items: Sequence[Item], thinking: bool) -> list[dict[str, Any]]:
    """Write ``input``."""
    return [written for item in items for written in _items(item, thinking)]


def _items(item: Item, thinking: bool) -> Iterator[dict[str, Any]]:
    if isinstance(item, Say):
        yield _message("developer" if item.developer else "user", "input_text", item.text)
    elif isinstance(item, Outcome):
        status = "incomplete" if item.failed else "completed"
        yield {"type": "function_call_output", "call_id": item.id, "output": item.text, "status": status}
    else:
        yield from _reply(item, thinking)


def _reply(item: Reply, thinking: bool) -> Iterator[dict[str, Any]]:
    if thinking and item.thinking is not None:
        yield {
            "type": "reasoning",
            "id": f"rs_{digest(item.id, 24)}",
            "summary": [],
            "encrypted_content": stand_in(item),
        }
    if item.text:
        yield _message("assistant", "output_text", item.text)
    for call in item.calls:
        yield {"type": "function_call", "call_id": call.id, "name": call.tool, "arguments": arguments_text(call)}


def _message(role: str, kind: str, text: str) -> dict[str, Any]:
    return {"type": "message", "role": role, "content": [{"type": kind, "text": text}]}
