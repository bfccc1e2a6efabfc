"""What the record says, prepared for the rules that compare it with what happened.

A :class:`Record` is to the truth rules what a trace is to invariants: they only read it.
"""

import math
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

from simlab.check.conversation import Conversation
from simlab.check.neutral import Entry
from simlab.check.shapes import read

EXECUTIONS: Final = frozenset({"exec_start", "exec_end", "exec_killed", "effect"})

_PLACEHOLDER: Final = re.compile(
    r"\b(cancel|abort|interrupt|stopp?ed|reject|skipp?ed|killed|not (been )?(run|executed|started)|never (ran|started)"
    r"|timed? ?out|did not (run|start|execute)|still running|unknown whether|no result|placeholder)",
    re.I,
)
_LONGEST_PLACEHOLDER: Final = 400


@dataclass(frozen=True, kw_only=True, slots=True)
class Event:
    """One line of ground truth: its place in the log, its kind, and its fields as they came."""

    place: int
    kind: str
    fields: dict[str, Any]

    def text(self, name: str) -> str:
        """Return a field as text, empty when it is none."""
        value = self.fields.get(name)
        return value if isinstance(value, str) else ""

    @property
    def call(self) -> str:
        """The id of the call it is about."""
        return self.text("call")

    @property
    def message(self) -> int | None:
        """The index of the message it is about."""
        value = self.fields.get("message")
        return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else None


class Record:
    """Calls, results and texts by id and by message, and the events in order of time."""

    def __init__(self, conversation: Conversation) -> None:
        self.dialect = conversation.dialect
        self.messages = conversation.messages
        self.baseline = conversation.baseline
        self.entries = read(conversation.dialect, conversation.messages)
        self.calls: dict[str, Entry] = {}
        self.results: dict[str, list[Entry]] = defaultdict(list)
        for entry in self.entries:
            if entry.kind == "call":
                self.calls.setdefault(entry.key, entry)
            elif entry.kind == "result":
                self.results[entry.key].append(entry)
        self.events = list(_events(conversation.events))
        self.kinds = {event.kind for event in self.events}
        self.by_call: dict[str, list[Event]] = defaultdict(list)
        for event in self.events:
            if event.call:
                self.by_call[event.call].append(event)

    def of(self, *kinds: str) -> Iterator[Event]:
        """Yield the events of some kinds, in order."""
        return (event for event in self.events if event.kind in kinds)

    def about(self, call: str, *kinds: str) -> Iterator[Event]:
        """Yield the events of some kinds about one call, in order."""
        return (event for event in self.by_call.get(call, ()) if event.kind in kinds)

    def started(self, call: str) -> bool:
        """Tell whether the log shows that the call began to run."""
        return any(self.about(call, *EXECUTIONS))

    def outcome(self, call: str) -> Event | None:
        """Return the event that ended the call's execution."""
        return next(self.about(call, "exec_end"), None)

    def result(self, call: str) -> Entry | None:
        """Return the first recorded result of a call."""
        found = self.results.get(call)
        return found[0] if found else None

    def said(self, kind: str) -> dict[int, str]:
        """Return what the user or the assistant said, by message."""
        texts: dict[int, str] = {}
        for entry in self.entries:
            if entry.kind == kind:
                texts[entry.index] = f"{texts[entry.index]}\n{entry.text}" if entry.index in texts else entry.text
        return texts


def _events(events: Sequence[Any]) -> Iterator[Event]:
    """Order the log by time; lines without a time keep the place of the line before."""
    timed: list[tuple[float, int, dict[str, Any]]] = []
    latest = -math.inf
    for place, event in enumerate(events):
        if isinstance(event, dict) and isinstance(event.get("kind"), str):
            latest = _time(event.get("t"), latest)
            timed.append((latest, place, event))
    for place, (_, _, event) in enumerate(sorted(timed, key=lambda row: row[:2])):
        yield Event(place=place, kind=event["kind"], fields=event)


def _time(value: Any, otherwise: float) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return otherwise
    if isinstance(value, float) and math.isnan(value):
        return otherwise
    try:
        return float(value)
    except OverflowError:
        return otherwise


def is_placeholder(entry: Entry) -> bool:
    """Tell whether a result reads like a placeholder for one that never came."""
    return len(entry.text) <= _LONGEST_PLACEHOLDER and _PLACEHOLDER.search(entry.text) is not None
