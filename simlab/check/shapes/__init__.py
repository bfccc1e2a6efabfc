"""One file a wire shape: ``read`` messages into neutral entries, ``write`` entries as messages.

``openai_chat``, ``mistral`` and ``compatible`` share one shape.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, TypeAlias

from simlab.check.neutral import Entry, Written
from simlab.check.shapes import anthropic, bedrock, chat, gemini, responses

Read: TypeAlias = Callable[[Sequence[Any]], list[Entry]]
Write: TypeAlias = Callable[[Sequence[Entry]], Written]

SHAPES: Final[Mapping[str, str]] = {
    "openai_chat": "chat",
    "mistral": "chat",
    "compatible": "chat",
    "openai_responses": "responses",
    "anthropic": "anthropic",
    "gemini": "gemini",
    "bedrock": "bedrock",
}
"""The wire shape of each dialect."""

_SHAPES: Final[Mapping[str, tuple[Read, Write]]] = {
    "chat": (chat.read, chat.write),
    "responses": (responses.read, responses.write),
    "anthropic": (anthropic.read, anthropic.write),
    "gemini": (gemini.read, gemini.write),
    "bedrock": (bedrock.read, bedrock.write),
}


def read(dialect: str, messages: Sequence[Any]) -> list[Entry]:
    """Read a dialect's messages into neutral entries."""
    return _SHAPES[SHAPES[dialect]][0](messages)


def write(dialect: str, entries: Sequence[Entry]) -> Written:
    """Write neutral entries as a dialect's messages."""
    return _SHAPES[SHAPES[dialect]][1](entries)
