"""Order-aware pairing of calls and results: a multiset of open calls, never a set of ids, never names.

Each dialect says where a result may stand by choosing when to ``leave`` the calls of a turn. A call that was left open
is *pending*: a result found later is either out of place (only other people spoke in between) or too late (the model
has gone on, so call and result are two separate breaches).
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from simlab.dialects.rules import Report, plain, show

Key: TypeAlias = str | tuple[str, ...]
"""An id; or, where a dialect has none, a tuple that names the kind of pairing and the function."""


@dataclass(frozen=True, kw_only=True, slots=True)
class OpenCall:
    """A call without a result: its message, its position there, and where the conversation left it."""

    key: Key
    index: int
    position: int
    left_at: int
    replies: int


def name_of(key: Key) -> str:
    """Name a call in a message for people."""
    return show(key) if isinstance(key, str) else show(key[-1])


class Pairs:
    """Calls and results of one conversation.

    ``waiting`` holds the open calls that a result at this place may answer, ``seen`` the message of each id's latest
    call, ``answers`` the message of its latest result. ``block`` formats a position as a path.
    """

    __slots__ = ("answers", "block", "pending", "replies", "report", "seen", "spans", "waiting")

    def __init__(self, report: Report, block: str) -> None:
        self.report = report
        self.block = block
        self.waiting: dict[Key, list[tuple[int, int]]] = {}
        self.pending: dict[Key, list[OpenCall]] = {}
        self.answers: dict[Key, int] = {}
        self.seen: dict[Key, int] = {}
        self.replies = 0
        self.spans: list[tuple[int, int]] = []

    def call(self, key: Key, index: int, position: int) -> None:
        """Open a call."""
        self.seen[key] = index
        self.waiting.setdefault(key, []).append((index, position))

    def answer(self, key: Key, index: int) -> bool:
        """Close the oldest waiting call of this key; false when none waits here."""
        places = self.waiting.get(key)
        if places is None:
            return False
        places.pop(0)
        if not places:
            del self.waiting[key]
        self.answers[key] = index
        return True

    def answer_unnamed(self, index: int) -> None:
        """Let a result without an id close a call without one, else the latest, so that one defect is told once."""
        if self.answer("", index) or not self.waiting:
            return
        key, places = self.waiting.popitem()
        places.pop()
        self.answers[key] = index
        if places:
            self.waiting[key] = places

    def leave(self, index: int) -> None:
        """Something that ends the run of results stands at ``index``: what waits is now pending."""
        for key, places in self.waiting.items():
            stack = self.pending.setdefault(key, [])
            stack += [
                OpenCall(key=key, index=at, position=position, left_at=index, replies=self.replies)
                for at, position in reversed(places)
            ]
        self.waiting = {}

    def reply(self) -> None:
        """The model has answered somebody: older open calls are history."""
        self.replies += 1

    def take_pending(self, key: Key) -> OpenCall | None:
        """Take the nearest earlier call that was left open."""
        stack = self.pending.get(key)
        if not stack:
            return None
        call = stack.pop()
        if not stack:
            del self.pending[key]
        return call

    def stray(self, key: Key, index: int, block: str, variant: str = "") -> None:
        """Judge a result that answers no call waiting at its place."""
        call = self.take_pending(key)
        if call is None:
            self.unpaired(key, index, block, variant)
            return
        self.answers[key] = index
        if call.replies == self.replies:
            self.spans.append((call.index, index))
        else:
            self.too_late(call, index, block)

    def too_late(self, call: OpenCall, index: int, block: str) -> None:
        """Report call and result that both exist but that the dialect cannot join."""
        self.dangling(call, partner=index)
        text = f"result for call {name_of(call.key)} of message {call.index} comes after the conversation moved on"
        self.report.add(
            "orphan_tool_result", index, text, block=block, partner=call.index, values={"id": plain(call.key)}
        )

    def unpaired(self, key: Key, index: int, block: str, variant: str = "") -> None:
        """Report a second result, or a result whose call is nowhere."""
        values = {"id": plain(key)}
        earlier = self.answers.get(key)
        if earlier is not None:
            text = f"second result for call {name_of(key)}, already answered in message {earlier}"
            self.report.add("duplicate_tool_result", index, text, block=block, partner=earlier, values=values)
        else:
            text = f"result for call {name_of(key)}, which no message before it makes"
            self.report.add("orphan_tool_result", index, text, block=block, values=values, variant=variant)

    def dangling(self, call: OpenCall, partner: int | None = None) -> None:
        """Report a call that the conversation left behind."""
        block = self.block.format(call.position)
        text = f"call {name_of(call.key)} has no result before message {call.left_at}"
        self.report.add(
            "dangling_tool_call",
            call.index,
            text,
            block=block,
            partner=partner,
            values={"id": plain(call.key), "next": call.index + 1},
        )

    def finish(self, messages: Sequence[Any], intrudes: Callable[[Any], bool]) -> list[OpenCall]:
        """Report what is still open and what stands between a call and its result; return the dangling calls."""
        left = sorted(
            (call for stack in self.pending.values() for call in stack), key=lambda call: (call.index, call.position)
        )
        for call in left:
            self.dangling(call)
        self._open_tail()
        for call_index, index in _intruders(self.spans, messages, intrudes):
            text = f"stands between the call in message {call_index} and its result"
            self.report.add("interleaved_message", index, text, partner=call_index)
        return left

    def _open_tail(self) -> None:
        recording = self.report.mode == "recording"
        places = [(index, position, key) for key, at in self.waiting.items() for index, position in at]
        for index, position, key in sorted(places, key=lambda place: place[:2]):
            text = f"call {name_of(key)} is still unanswered at the end"
            rule = "open_tail" if recording else "dangling_tool_call"
            self.report.add(
                rule, index, text, block=self.block.format(position), values={"id": plain(key), "next": index + 1}
            )


def _intruders(
    spans: Iterable[tuple[int, int]], messages: Sequence[Any], intrudes: Callable[[Any], bool]
) -> Iterable[tuple[int, int]]:
    """Yield (call, intruder) for every message inside a span, each intruder once."""
    told = -1
    for call, result in sorted(spans):
        for index in range(max(call, told) + 1, result):
            if intrudes(messages[index]):
                yield call, index
        told = max(told, result - 1)
