"""Small questions about JSON values that nobody promised the shape of."""

import json
import math
from datetime import UTC, datetime
from typing import Any


def object_of(value: Any) -> dict[str, Any]:
    """The value if it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def list_of(value: Any) -> list[Any]:
    """The value if it is a list, else an empty one."""
    return value if isinstance(value, list) else []


def objects_of(value: Any) -> list[dict[str, Any]]:
    """The objects in a list; anything else is skipped."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def word(item: dict[str, Any], key: str) -> str:
    """The string under a key; anything else, a list among them, is no word."""
    value = item.get(key)
    return value if isinstance(value, str) else ""


def text_or_none(value: Any) -> str | None:
    """The value if it is a non-empty string."""
    return value if isinstance(value, str) and value else None


def as_text(value: Any) -> str:
    """A string as it is, nothing as the empty string, anything else as JSON text."""
    if isinstance(value, str):
        return value
    return "" if value is None else json.dumps(value, ensure_ascii=False)


def parsed(value: Any) -> Any:
    """Undo one layer of JSON text; what is not JSON text comes back as ``None``, a structure as it is."""
    if not isinstance(value, str):
        return value
    try:
        return json.loads(value)
    except ValueError:
        return None


def joined_text(content: Any, key: str = "text") -> str:
    """The text of a string or of a list of strings and parts, parts of other kinds left out."""
    if isinstance(content, str):
        return content
    pieces = [item if isinstance(item, str) else object_of(item).get(key) for item in list_of(content)]
    return "\n".join(piece for piece in pieces if isinstance(piece, str))


def instant_ms(value: Any) -> float:
    """A point in time in milliseconds, from ISO text or a number of s, ms, us or ns since 1970; 0 if neither."""
    if isinstance(value, str):
        return _instant_of_text(value)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return 0.0
    return _instant_of_number(value)


def _instant_of_text(text: str) -> float:
    if text.isascii() and text.isdigit() and len(text) < 25:
        return _instant_of_number(int(text))
    try:
        instant = datetime.fromisoformat(text)
    except ValueError:
        return 0.0
    aware = instant if instant.tzinfo else instant.replace(tzinfo=UTC)
    return aware.timestamp() * 1000


def _instant_of_number(number: float) -> float:
    size = abs(number)
    if not size < 1e25 or math.isnan(number):
        return 0.0
    for limit, scale in ((1e11, 1000.0), (1e14, 1.0), (1e17, 1e-3)):
        if size < limit:
            return number * scale
    return number * 1e-6
