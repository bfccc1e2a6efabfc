"""The smallest schedule that still fails: no move can be left out, no two, and none made simpler.

Leaving out a move takes with it what depends on it (an arrival its verdict, a message its calls), and the rest is
numbered anew, so that ``c5`` becomes ``c1`` when the four calls before it are gone.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from simlab.core.events import EventType, Handling
from simlab.testing.schedule import Move, Schedule
from simlab.testing.stage import TOOLS, Stage

PAIRS_UP_TO = 14
"""Schedules of at most this many moves are also tried without every pair of moves."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Step:
    """A move and the ids of the calls that it issues."""

    move: Move
    issues: tuple[str, ...] = ()


def shrink(schedule: Schedule, name: str, run: Callable[[Schedule], Stage]) -> Schedule:
    """Return a smallest schedule for which ``run`` still finds ``name``."""
    best = _played(schedule, name, run) or schedule
    best = _played(_write(_read(best)), name, run) or best
    while (simpler := _first_simpler(best, name, run)) is not None:
        best = simpler
    return best


def _first_simpler(best: Schedule, name: str, run: Callable[[Schedule], Stage]) -> Schedule | None:
    for candidate in _candidates(_read(best)):
        played = _played(_write(candidate), name, run)
        if played is not None and _size(played) < _size(best):
            return played
    return None


def _played(schedule: Schedule, name: str, run: Callable[[Schedule], Stage]) -> Schedule | None:
    """Return what was legal of a schedule if it still fails."""
    stage = run(schedule)
    return tuple(stage.played) if any(each.name == name for each in stage.found) else None


def _size(schedule: Schedule) -> tuple[int, ...]:
    waits = sum(move.wait_ms for move in schedule)
    return len(schedule), sum(len(move.words) for move in schedule), waits, sum(map(_rank, schedule))


def _rank(move: Move) -> int:
    return sum(_ORDER.get(word, 0) for word in move.words)


_ORDER = {
    word: rank
    for words in ([each.name for each in TOOLS], list(Handling), ["user", "peer"], ["before", "after", "unknown"])
    for rank, word in enumerate(words)
} | {Handling.QUEUE: -1, EventType.USER_INPUT: 0, EventType.USER_INTERRUPT: 1}
_ORDER |= {kind: 2 for kind in EventType if kind not in (EventType.USER_INPUT, EventType.USER_INTERRUPT)}


# --- numbering --------------------------------------------------------------------------------------------------------

_NAMES = re.compile(r"[Uc][0-9]+")


def _read(schedule: Schedule) -> list[_Step]:
    steps: list[_Step] = []
    count = 0
    for move in schedule:
        issued = len(move.words) if move.verb == "says" else 0
        steps.append(_Step(move=move, issues=tuple(f"c{count + 1 + place}" for place in range(issued))))
        count += issued
    return steps


def _write(steps: Sequence[_Step]) -> Schedule:
    """Number events and calls anew; leave out what is about something that is gone."""
    names: dict[str, str] = {}
    events = calls = 0
    written: list[Move] = []
    for step in steps:
        move = step.move
        if move.verb == "arrives" and move.subject not in names:
            events += 1
            names[move.subject] = f"U{events}"
        for old in step.issues:
            calls += 1
            names[old] = f"c{calls}"
        if all(name in names for name in _NAMES.findall(move.subject)):
            written.append(replace(move, subject=_NAMES.sub(lambda found: names[found[0]], move.subject)))
    return tuple(written)


# --- candidates -------------------------------------------------------------------------------------------------------


def _candidates(steps: list[_Step]) -> Iterator[list[_Step]]:
    """Runs of moves left out, long ones first; then pairs; then single moves made simpler."""
    length = len(steps) // 2
    while length >= 1:
        for start in range(0, len(steps) - length + 1, max(1, length // 2)):
            yield steps[:start] + steps[start + length :]
        length //= 2
    if len(steps) <= PAIRS_UP_TO:
        for first, second in combinations(range(len(steps)), 2):
            yield [step for place, step in enumerate(steps) if place not in (first, second)]
    for place, step in enumerate(steps):
        for simpler in _simpler(step):
            yield [*steps[:place], simpler, *steps[place + 1 :]]


def _simpler(step: _Step) -> Iterator[_Step]:
    move = step.move
    yield from (replace(step, move=replace(move, wait_ms=wait_ms)) for wait_ms in (0, 1) if wait_ms < move.wait_ms)
    if move.verb == "says":
        for place in range(len(move.words)):
            fewer = replace(move, words=move.words[:place] + move.words[place + 1 :])
            yield _Step(move=fewer, issues=step.issues[:place] + step.issues[place + 1 :])
    if move.words and move.words[-1] in ("failing", "urgently"):
        yield replace(step, move=replace(move, words=move.words[:-1]))
    for words in _simpler_words(move.words):
        yield replace(step, move=replace(move, words=words))


def _simpler_words(words: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    for place, word in enumerate(words):
        for other, rank in _ORDER.items():
            if rank < _ORDER.get(word, 0) and _alike(word, other):
                yield (*words[:place], other, *words[place + 1 :])


_ALPHABETS = (
    frozenset(tool.name for tool in TOOLS),
    frozenset(Handling),
    frozenset(EventType),
    frozenset({"user", "peer"}),
    frozenset({"before", "after", "unknown"}),
)


def _alike(word: str, other: str) -> bool:
    return any(word in alphabet and other in alphabet for alphabet in _ALPHABETS)
