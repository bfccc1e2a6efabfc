"""Rewrite a conversation in another wire format, defects included, so that it can be judged for another provider."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import dropwhile
from typing import Any

from simlab.check.neutral import Entry, Written
from simlab.check.shapes import SHAPES, read, write


def convert(messages: Sequence[Any], source: str, target: str) -> Written:
    """Return the messages in the target's format; ``origins`` maps them back.

    Leading system text has a place of its own in formats that keep it outside the messages. What is no message in the
    source format is left out. Formats that share a shape are passed through.
    """
    if SHAPES[source] == SHAPES[target]:
        return Written(messages=list(messages), origins=list(range(len(messages))))
    entries = [bare(entry) for entry in read(source, messages)]
    if SHAPES[target] in ("anthropic", "bedrock", "gemini"):
        entries = list(dropwhile(lambda entry: entry.kind == "system", entries))
    return write(target, entries)


def bare(entry: Entry) -> Entry:
    """Forget the native form; a key of ours becomes an ordinary id."""
    side = {"role": "assistant"} if entry.kind == "other" and entry.model_side else {}
    family = "custom" if entry.family in ("custom", "custom_tool_call", "custom_tool_call_output") else "function"
    return replace(entry, raw=None, envelope=side, anonymous=False, family=family)
