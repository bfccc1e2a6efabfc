"""Schedules: what happens to an agent, one move a line, as a person can read and a file can hold.

::

    U1 arrives user.input from user
    U1 is-routed queue
    model says look act
    +1 U2 arrives user.interrupt from user
    U2 is-routed cancel

``+1`` lets the instant settle and a millisecond pass first; a move without it happens in the same millisecond as the
one before. ``instant settles`` lets the instant settle without any time passing.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from simlab.core.errors import SimlabError


@dataclass(frozen=True, slots=True, kw_only=True)
class Move:
    """One thing that happens, ``wait_ms`` milliseconds after the one before (0: in the same millisecond)."""

    subject: str
    verb: str
    words: tuple[str, ...] = ()
    wait_ms: int = 0

    def __str__(self) -> str:
        wait = (f"+{self.wait_ms}",) if self.wait_ms else ()
        return " ".join((*wait, self.subject, self.verb, *self.words))


Schedule = tuple[Move, ...]
"""Moves in order."""

SETTLE = Move(subject="instant", verb="settles")


def parse_move(line: str) -> Move:
    """Read one line. Raises SimlabError if it is no move."""
    words = line.split()
    wait_ms = 0
    if words and words[0].startswith("+") and words[0][1:].isdigit():
        wait_ms = int(words.pop(0)[1:])
    if len(words) < 2:
        raise SimlabError(f"no move: {line!r}; expected something like 'U1 arrives user.input from user'")
    return Move(subject=words[0], verb=words[1], words=tuple(words[2:]), wait_ms=wait_ms)


def parse_schedule(text: str) -> Schedule:
    """Read a schedule, one move a line; empty lines and lines that begin with ``#`` are skipped."""
    lines = (line.strip() for line in text.splitlines())
    return tuple(parse_move(line) for line in lines if line and not line.startswith("#"))


def schedule_text(moves: Iterable[Move]) -> str:
    """Write a schedule, one move a line."""
    return "".join(f"{move}\n" for move in moves)
