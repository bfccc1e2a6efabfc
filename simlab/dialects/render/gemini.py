"""Google Gemini: the content behind a call turn holds as many responses as the turn has calls."""

from collections.abc import Sequence
from itertools import groupby
from typing import Any

from simlab.dialects.render.shared import SCHEMA, arguments, as_user, stand_in
from simlab.dialects.render.stream import Item, Outcome, Reply, Say


def tools(names: Sequence[str]) -> dict[str, Any]:
    """Return the request's ``tools``."""
    listed = [{"name": name, "parameters": SCHEMA} for name in names]
    return {"tools": [{"functionDeclarations": listed}]} if listed else {}


def write(items: Sequence[Item], thinking: bool) -> list[dict[str, Any]]:
    """Write ``contents``: neighbouring replies are one model turn, for a call turn may not follow another one."""
    contents: list[dict[str, Any]] = []
    for kind, run in groupby(items, type):
        parts = [_parts(item, thinking) for item in run]
        if kind is Say:
            contents += [{"role": "user", "parts": each} for each in parts]
        else:
            joined = [part for each in parts for part in each]
            contents.append({"role": "model" if kind is Reply else "user", "parts": joined})
    return contents


def _parts(item: Item, thinking: bool) -> list[dict[str, Any]]:
    if isinstance(item, Say):
        return [{"text": as_user(item)}]
    if isinstance(item, Outcome):
        response = {"error" if item.failed else "output": item.text}
        return [{"functionResponse": {"id": item.id, "name": item.tool, "response": response}}]
    return _reply(item, thinking)


def _reply(item: Reply, thinking: bool) -> list[dict[str, Any]]:
    """Write text and calls; the first call of a step carries the signature of the thought."""
    parts: list[dict[str, Any]] = [{"text": item.text}] if item.text else []
    for position, call in enumerate(item.calls):
        part: dict[str, Any] = {"functionCall": {"id": call.id, "name": call.tool, "args": arguments(call)}}
        if thinking and position == 0:
            part["thoughtSignature"] = stand_in(item)
        parts.append(part)
    return parts
