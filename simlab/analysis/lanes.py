"""A run as lanes: what went on from when to when, and what happened at one instant. Pictures and trace files read it.

There is one slice for each event that waited, each verdict of the router, each call of the model, each tool run and
each side session; marks stand for arrivals, safe points, cancellations, placeholders, late results and effects in the
world; flows lead from an event to what consumed it. Times are milliseconds of virtual time.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum


class LaneKind(StrEnum):
    """The lanes, in the order in which they are shown."""

    INBOX = "inbox"
    ROUTER = "router"
    MODEL = "model"
    TOOL = "tool"
    SIDE = "side"
    AGENT = "safe points"
    WORLD = "world"


class MarkKind(StrEnum):
    """What can happen at one instant."""

    ARRIVAL = "arrival"
    SAFE_POINT = "safe point"
    CANCEL = "told to stop"
    PLACEHOLDER = "placeholder"
    LATE_RESULT = "late result"
    NOTICE = "notice"
    REFUSED = "refused"
    DROPPED = "dropped unread"
    REWIND = "trajectory cut"
    EFFECT = "effect"
    BAD_EFFECT = "mistaken or doubled effect"


@dataclass(frozen=True, slots=True, kw_only=True)
class Slice:
    """Something that went on. ``wasted``: nothing of it was used in the end (discarded, cancelled, failed).

    ``lane_name`` tells the lanes of one kind apart (the tool's name); ``ident`` is the event, call, session or
    generation.
    """

    kind: LaneKind
    lane_name: str = ""
    ident: str
    label: str
    start_ms: int
    end_ms: int
    state: str
    wasted: bool = False
    facts: Mapping[str, str | int | float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """Something that happened at one instant, on a lane."""

    kind: MarkKind
    lane: LaneKind
    lane_name: str = ""
    ident: str
    at_ms: int
    label: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Flow:
    """An event's way from its arrival to the model call (``to`` is its generation) or side session that read it."""

    event_id: str
    arrived_ms: int
    consumed_ms: int
    consumer: LaneKind
    to: str
    read_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Counter:
    """How a number changed: (time, new value)."""

    name: str
    unit: str
    values: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Lanes:
    """A run, ready to be drawn or written."""

    scenario: str
    strategy: str
    router: str
    seed: int
    replication: int
    ended_ms: int
    slices: tuple[Slice, ...]
    marks: tuple[Mark, ...]
    flows: tuple[Flow, ...]
    counters: tuple[Counter, ...]

    @property
    def rows(self) -> list[tuple[LaneKind, str]]:
        """The lanes that hold anything, in order."""
        used = [(each.kind, each.lane_name) for each in self.slices if each.end_ms > each.start_ms]
        used += [(mark.lane, mark.lane_name) for mark in self.marks]
        order = list(LaneKind)
        return sorted(dict.fromkeys(used), key=lambda lane: order.index(lane[0]))


def packed(slices: Iterable[Slice]) -> list[tuple[int, Slice]]:
    """Give each slice of a lane the first row in which it overlaps no other."""
    ends: list[int] = []
    placed = []
    for each in sorted(slices, key=lambda one: (one.start_ms, one.end_ms)):
        row = next((number for number, end_ms in enumerate(ends) if end_ms <= each.start_ms), len(ends))
        ends[row : row + 1] = [each.end_ms]
        placed.append((row, each))
    return placed
