"""Chat Completions and its relatives: one message a result; Mistral wants the model to speak before the user does."""

from collections.abc import Iterator, Sequence
from typing import Any

from simlab.dialects.render import wording
from simlab.dialects.render.shared import SCHEMA, arguments_text, as_user
from simlab.dialects.render.stream import Asked, Item, Outcome, Reply, Say


def tools(names: Sequence[str]) -> dict[str, Any]:
    """Return the request's ``tools``."""
    listed = [{"type": "function", "function": {"name": name, "parameters": SCHEMA}} for name in names]
    return {"tools": listed} if listed else {}


def write_openai(items: Sequence[Item], _thinking: bool) -> list[dict[str, Any]]:
    """Write ``messages`` for OpenAI: the developer has a role of its own."""
    return [_message(item, "developer") for item in items]


def write_compatible(items: Sequence[Item], _thinking: bool) -> list[dict[str, Any]]:
    """Write ``messages`` for endpoints that know no developer."""
    return [_message(item, "system") for item in items]


def write_mistral(items: Sequence[Item], _thinking: bool) -> list[dict[str, Any]]:
    """Write ``messages`` for Mistral: system text stands only behind what the user says, so the user says it all."""
    return [_message(item, None) for item in _bridged(items)]


def _bridged(items: Sequence[Item]) -> Iterator[Item]:
    """Put a word of the model between a tool's message and what is said next: the user may not follow a tool."""
    before: Item | None = None
    for item in items:
        if isinstance(before, Outcome) and isinstance(item, Say):
            yield Reply(id="", text=wording.BRIDGE, calls=(), thinking=None)
        yield item
        before = item


def _message(item: Item, developer: str | None) -> dict[str, Any]:
    if isinstance(item, Say):
        if item.developer and developer is not None:
            return {"role": developer, "content": item.text}
        return {"role": "user", "content": as_user(item)}
    if isinstance(item, Outcome):
        return {"role": "tool", "tool_call_id": item.id, "content": _marked(item)}
    message: dict[str, Any] = {"role": "assistant", "content": item.text or None}
    if item.calls:
        message["tool_calls"] = [_call(call) for call in item.calls]
    return message


def _marked(item: Outcome) -> str:
    """The format has no mark for a result that is none; the text begins with one."""
    return item.text if not item.failed or item.text.startswith(("[", "Error:")) else f"Error: {item.text}"


def _call(call: Asked) -> dict[str, Any]:
    return {"id": call.id, "type": "function", "function": {"name": call.tool, "arguments": arguments_text(call)}}
