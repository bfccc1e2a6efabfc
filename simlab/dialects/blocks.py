"""Small readings of messages that hold a list of blocks."""

import re
from collections.abc import Iterator, Sequence
from typing import Any

from simlab.dialects.rules import Report, kind_of


def blocks_of(content: Any) -> list[Any]:
    """Return the blocks of a message; content given as text is one text block."""
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return content if isinstance(content, list) else []


def block_type(block: Any) -> str:
    """Return a block's ``type``, an empty string when it has none."""
    kind = block.get("type") if isinstance(block, dict) else None
    return kind if isinstance(kind, str) else ""


def objects(report: Report, index: int, blocks: list[Any], path: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the blocks that are objects with their positions, and report the others."""
    for position, block in enumerate(blocks):
        if isinstance(block, dict):
            yield position, block
        else:
            text = f"block is {kind_of(block)}, not an object"
            report.add("malformed_message", index, text, block=path.format(position))


def messages_in(report: Report, messages: Sequence[Any]) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the messages that are objects with their indexes; report the others, and that there is none."""
    for index, message in enumerate(messages):
        if isinstance(message, dict):
            yield index, message
        else:
            report.add("malformed_message", index, f"is {kind_of(message)}, not an object")
    if not messages:
        report.add("empty_messages", None, "there is no message")


def valid_id(value: Any, pattern: re.Pattern[str]) -> bool:
    """Tell whether an id is text of the provider's form."""
    return isinstance(value, str) and pattern.fullmatch(value) is not None
