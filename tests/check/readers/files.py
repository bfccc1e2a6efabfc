"""Write a value as a file and read it back."""

import json
from pathlib import Path
from typing import Any

from simlab.check.readers import SavedConversation, read
from simlab.check.readers.counts import turns


def document(tmp_path: Path, value: Any) -> Path:
    path = tmp_path / "log.json"
    path.write_text(json.dumps(value, indent=1))
    return path


def lines(tmp_path: Path, *values: Any) -> Path:
    path = tmp_path / "log.jsonl"
    path.write_text("".join(json.dumps(value) + "\n" for value in values))
    return path


def only(path: Path, name: str | None = None) -> SavedConversation:
    (conversation,) = read(path, name)
    return conversation


def roles(conversation: SavedConversation) -> str:
    """The turns, a letter each: s(ystem), d(eveloper), u(ser), t(ool), and a(ssistant) with its number of calls."""
    return " ".join(turn.role[0] + (str(len(turn.calls)) if turn.calls else "") for turn in turns(conversation))
