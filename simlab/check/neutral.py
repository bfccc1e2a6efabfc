"""The neutral form of a conversation: what was said, called and answered, in order, whatever the wire format.

Reading keeps defects (a call without result, a result in the wrong place) and drops only what is no message at all.
Each entry keeps the native block it came from, so that writing it back in its own format loses nothing.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

Kind: TypeAlias = Literal["system", "user", "assistant", "thinking", "call", "result", "other"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Entry:
    """One thing in a conversation.

    ``turn`` groups what one message held, ``index`` is that message. ``key`` is the id of a call or of the call that a
    result answers (empty: none given), ``arguments`` an object, or the text that could not be read as one; ``failed``
    says that the result is marked as an error, ``anonymous`` that the key is ours because the format has none. ``raw``
    is the native block (``None``: build it anew) and ``envelope`` the native message around it.
    """

    kind: Kind
    turn: int
    index: int
    text: str = ""
    key: str = ""
    name: str = ""
    family: str = "function"
    arguments: Any = None
    failed: bool = False
    anonymous: bool = False
    raw: Any = None
    envelope: Mapping[str, Any] = field(default_factory=dict)

    @property
    def model_side(self) -> bool:
        """Tell whether the model wrote it."""
        return self.kind in ("assistant", "thinking", "call") or (
            self.kind == "other" and self.envelope.get("role") in ("assistant", "model")
        )


@dataclass(frozen=True, kw_only=True, slots=True)
class Written:
    """Messages in one wire format, and for each the index of the message it stems from (-1: new)."""

    messages: list[Any]
    origins: list[int]


def text_of(value: Any) -> str:
    """Return the readable text of content given as text, parts, or any value."""
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return "\n".join(filter(None, (part_text(part) for part in value)))
    return "" if value is None else as_json(value)


def part_text(part: Any) -> str:
    """Return the text of one content part, a marker for what is no text."""
    if isinstance(part, str):
        return part
    if not isinstance(part, dict):
        return ""
    text = part.get("text")
    if isinstance(text, str):
        return text
    if "json" in part:
        return as_json(part["json"])
    kind = part.get("type")
    return f"[{kind}]" if isinstance(kind, str) and kind not in ("text", "input_text", "output_text") else ""


def as_json(value: Any) -> str:
    """Write any value as JSON; what JSON cannot hold is named by its type."""
    try:
        return json.dumps(value, ensure_ascii=False, default=lambda odd: f"<{type(odd).__name__}>")
    except (RecursionError, ValueError, TypeError):
        return f"<{type(value).__name__}>"


def arguments_of(value: Any) -> Any:
    """Return call arguments as an object where they are one, else as they came."""
    if value is None or value == "":
        return {}
    if isinstance(value, str):
        try:
            parsed = json.loads(value)
        except (ValueError, RecursionError):
            return value
        return parsed if isinstance(parsed, dict) else value
    return value


def arguments_object(value: Any) -> dict[str, Any]:
    """Return call arguments as an object; what could not be read is kept under one key."""
    return (
        value
        if isinstance(value, dict)
        else {"unparsed_arguments": value if isinstance(value, str) else as_json(value)}
    )


def word(value: Any) -> str:
    """Return a text field of a message, an empty string when it is something else."""
    return value if isinstance(value, str) else ""


def without(message: Mapping[str, Any], *names: str) -> dict[str, Any]:
    """Return a shallow copy without some keys."""
    return {key: value for key, value in message.items() if key not in names}
