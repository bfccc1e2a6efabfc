"""The formats that can be read: how each is recognised, and by what it is read."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

from simlab.check.readers import anthropic, claude_code, codex, gemini, openai
from simlab.check.readers.saved import Document, SavedConversation, each_document
from simlab.check.readers.source import Source


@dataclass(frozen=True, kw_only=True, slots=True)
class Format:
    """A saved-conversation format: its name, one line about it, its signature and its reader."""

    name: str
    about: str
    looks_like: Callable[[Any], bool]
    read: Callable[[Source], Iterator[SavedConversation]]


def _by_document(name: str, about: str, looks_like: Callable[[Any], bool], document: Document) -> Format:
    return Format(name=name, about=about, looks_like=looks_like, read=partial(each_document, document=document))


TABLE = (
    Format(
        name=claude_code.FORMAT,
        about="Claude Code session log, ~/.claude/projects/*/*.jsonl",
        looks_like=claude_code.looks_like,
        read=claude_code.read,
    ),
    Format(
        name=codex.FORMAT,
        about="Codex rollout, ~/.codex/sessions/**/rollout-*.jsonl",
        looks_like=codex.looks_like,
        read=codex.read,
    ),
    _by_document(gemini.FORMAT, "Gemini generateContent body or contents", gemini.looks_like, gemini.read),
    _by_document(
        openai.RESPONSES,
        "OpenAI Responses body, response or items",
        openai.looks_like_responses,
        openai.read_responses,
    ),
    _by_document(anthropic.FORMAT, "Anthropic Messages body or array", anthropic.looks_like, anthropic.read),
    _by_document(
        openai.CHAT,
        "OpenAI Chat Completions body, array or fine-tuning lines",
        openai.looks_like_chat,
        openai.read_chat,
    ),
)
"""In the order in which they are tried: a format that another would also recognise comes before it."""
