"""The queue of a Claude Code session: messages typed while the model was busy, as ground truth of the inbox."""

from collections import OrderedDict, deque
from dataclasses import dataclass, field
from typing import Any

from simlab.check.readers.values import instant_ms, joined_text, word

_NOT_TYPED = ("/", "!", "<task-notification>")


@dataclass(slots=True)
class Queue:
    """What was typed, and what left the queue without being said: taken back by its writer.

    ``dequeue`` sends the first message; ``remove`` takes one out, either because it was sent as an attachment or
    because its writer deleted it; ``popAll`` puts all back into the editor. Only the conversation tells which.
    """

    events: list[dict[str, Any]] = field(default_factory=list)
    waiting: OrderedDict[str, str] = field(default_factory=OrderedDict)
    by_text: dict[str, deque[str]] = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)

    def take(self, record: dict[str, Any]) -> None:
        """Take one ``queue-operation`` record."""
        at_ms = instant_ms(record.get("timestamp"))
        text = joined_text(record.get("content")).strip()
        match word(record, "operation"):
            case "enqueue" if text and not text.startswith(_NOT_TYPED):
                name = f"q{len(self.texts) + 1}"
                self.waiting[name] = self.texts[name] = text
                self.by_text.setdefault(text, deque()).append(name)
                self.events.append({"t": at_ms, "kind": "inbox", "id": name, "text": text})
            case "dequeue" if self.waiting:
                self.waiting.popitem(last=False)
            case "remove":
                self._leave(at_ms, self._first(text))
            case "popAll":
                self._leave(at_ms, list(self.waiting))

    def _first(self, text: str) -> list[str]:
        """The first waiting message, of that text if there is one."""
        if not text:
            return [next(iter(self.waiting))] if self.waiting else []
        names = self.by_text.get(text, deque())
        while names and names[0] not in self.waiting:
            names.popleft()
        return [names[0]] if names else []

    def _leave(self, at_ms: float, names: list[str]) -> None:
        for name in names:
            del self.waiting[name]
            self.events.append({"t": at_ms, "kind": "drop", "id": name})

    def ground_truth(self, said: set[str], abandoned: set[str], started_ms: float) -> list[dict[str, Any]]:
        """The events from the session's start on; what was said was not dropped, what was rewound was."""
        gone = abandoned - said
        kept = [event for event in self.events if event["kind"] == "inbox" or self.texts[event["id"]] not in said]
        dropped = {event["id"] for event in kept if event["kind"] == "drop"}
        rewound = [
            {**event, "kind": "drop"}
            for event in kept
            if event["kind"] == "inbox" and event["id"] not in dropped and event["text"] in gone
        ]
        return [_timed(event, started_ms) for event in kept + rewound]


def _timed(event: dict[str, Any], started_ms: float) -> dict[str, Any]:
    return {**event, "t": max(0.0, event["t"] - started_ms)}
