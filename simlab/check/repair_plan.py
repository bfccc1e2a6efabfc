"""The plan of a repair: each step says what is done and what the model would believe afterwards."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

from simlab.check.neutral import Entry, Kind

Action: TypeAlias = Literal["close", "move", "merge", "bridge", "drop", "rename", "strip", "rewrite"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Step:
    """One step: ``index`` is the message of the file that it concerns (``None``: the whole, or a new message)."""

    action: Action
    index: int | None
    what: str
    belief: str


class Plan:
    """The steps so far, in order."""

    __slots__ = ("steps",)

    def __init__(self) -> None:
        self.steps: list[Step] = []

    def add(self, action: Action, index: int | None, what: str, belief: str) -> None:
        """Write a step down."""
        self.steps.append(
            Step(action=action, index=index if index is None or index >= 0 else None, what=what, belief=belief)
        )


def say(kind: Kind, text: str, *, turn: int = -1) -> Entry:
    """Make a new message."""
    return Entry(kind=kind, turn=turn, index=-1, text=text)
