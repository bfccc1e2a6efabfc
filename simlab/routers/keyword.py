"""Route by words in the text: regular expressions, in order; the first that matches decides."""

import re
from collections.abc import Sequence
from re import Pattern

from simlab.core.events import Event, Handling, Verdict
from simlab.core.plugins import AT_ONCE, Hints
from simlab.routers.typed import by_its_type

Rule = tuple[Handling, Pattern[str]]

STOP_WORDS = re.compile(
    r"\b(stop|cancel|abort|halt|wait|hold on|undo|never ?mind|don'?t|wrong|instead)\b|停|取消|等一下|别|不要|错了|撤销",
    re.IGNORECASE,
)
ASIDE_WORDS = re.compile(
    r"\b(by the way|btw|quick question|meanwhile|while you|in the meantime|what(?:'s| is) the (?:time|weather|date))\b"
    r"|顺便|另外问|同时|几点|天气",
    re.IGNORECASE,
)
DEFAULT_RULES: Sequence[Rule] = ((Handling.CANCEL, STOP_WORDS), (Handling.PARALLEL, ASIDE_WORDS))


class Keyword:
    """Fast, free, and blind to meaning: "don't stop until done" contains the word, and so does "nonstop" for some."""

    name = "keyword"
    service = AT_ONCE

    def __init__(self, rules: Sequence[Rule] = DEFAULT_RULES) -> None:
        self._rules = rules

    def route(self, event: Event, _hints: Hints) -> Verdict:
        """Look for the words in what the type does not decide."""
        if (typed := by_its_type(event)) is not None:
            return typed
        for handling, pattern in self._rules:
            if (found := pattern.search(event.content)) is not None:
                return Verdict(handling=handling, reason=f"word {found.group()!r}")
        return Verdict(handling=Handling.QUEUE, reason="no word")

    def latency_ms(self, _event: Event, _hints: Hints) -> float:
        """No time."""
        return 0.0
