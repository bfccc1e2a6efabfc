"""Route by plain substrings, as many products do: a word that stands inside another word counts."""

from collections.abc import Sequence

from simlab.core.events import Event, Handling, Verdict
from simlab.core.plugins import AT_ONCE, Hints
from simlab.routers.typed import by_its_type

STOP_PARTS: Sequence[str] = (
    "stop",
    "cancel",
    "abort",
    "halt",
    "wait",
    "hold on",
    "undo",
    "never mind",
    "don't",
    "wrong",
    "停",
    "取消",
    "等一下",
    "别",
    "不要",
    "错",
    "撤销",
)
ASIDE_PARTS: Sequence[str] = ("by the way", "btw", "quick question", "meanwhile", "while you", "顺便", "另外", "同时")


class Substring:
    """Plain substrings: "nonstop" stops the agent, and so does 特别 ("especially"), which contains 别 ("do not")."""

    name = "substring"
    service = AT_ONCE

    def __init__(self, stop: Sequence[str] = STOP_PARTS, aside: Sequence[str] = ASIDE_PARTS) -> None:
        self._rules = ((Handling.CANCEL, tuple(stop)), (Handling.PARALLEL, tuple(aside)))

    def route(self, event: Event, _hints: Hints) -> Verdict:
        """Look for the parts in the text in lower case, where the type does not decide."""
        if (typed := by_its_type(event)) is not None:
            return typed
        text = event.content.lower()
        for handling, parts in self._rules:
            for part in parts:
                if part in text:
                    return Verdict(handling=handling, reason=f"contains {part!r}")
        return Verdict(handling=Handling.QUEUE, confidence=0.0, reason="contains nothing")

    def latency_ms(self, _event: Event, _hints: Hints) -> float:
        """No time."""
        return 0.0
