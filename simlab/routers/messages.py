"""The labelled mid-run messages that ship with simlab: what real words need, so that routers can be measured on them.

How they were written and labelled is told in docs/messages.md. Rules and centroids are made from the split ``train``;
only ``test`` is used to measure.
"""

import csv
from collections.abc import Iterator
from functools import lru_cache
from importlib.resources import files
from typing import Literal

from simlab.core.events import Handling
from simlab.core.values import value

Split = Literal["train", "test"]

COLUMNS = ("id", "language", "text", "handling", "split", "trap")


@value
class Message:
    """One labelled message. ``trap`` names what makes it hard for routers by keyword; empty if nothing does."""

    id: str
    language: str
    text: str
    handling: Handling
    split: Split
    trap: str


@lru_cache(maxsize=1)
def all_messages() -> tuple[Message, ...]:
    """Return every message, in the order of the file."""
    return tuple(_read())


def messages(split: Split) -> tuple[Message, ...]:
    """Return one half."""
    return tuple(message for message in all_messages() if message.split == split)


def _read() -> Iterator[Message]:
    text = (files("simlab.routers") / "data" / "messages.csv").read_text(encoding="utf-8")
    for row in csv.DictReader(text.splitlines()):
        yield Message(
            id=row["id"],
            language=row["language"],
            text=row["text"],
            handling=Handling(row["handling"]),
            split="train" if row["split"] == "train" else "test",
            trap=row["trap"],
        )
