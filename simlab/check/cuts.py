"""Where a conversation may be trimmed: the kept part must not begin inside anything.

A cut at ``i`` keeps ``messages[i:]``. It is legal when no kept result belongs to a dropped call, no kept item has lost
its reasoning, and the target takes the first kept message as a first message. Leading system text is kept apart anyway.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from simlab.check.neutral import Entry
from simlab.check.shapes import read


def cuts(messages: Sequence[Any], dialect: str) -> list[int]:
    """Return the indexes, in order, at which dropping everything before is legal."""
    entries = read(dialect, messages)
    covered = _covered(entries, len(messages))
    begins = _BEGINS[dialect]
    firsts: dict[int, list[Entry]] = {}
    for entry in entries:
        firsts.setdefault(entry.index, []).append(entry)
    return [
        index for index in range(1, len(messages)) if not covered[index] and index in firsts and begins(firsts[index])
    ]


def _covered(entries: Sequence[Entry], size: int) -> list[bool]:
    """Mark the indexes at which a cut would part a call from its result, or reasoning from its item."""
    starts = [0] * (size + 1)
    open_calls: dict[str, list[int]] = {}
    thought: int | None = None
    for entry in entries:
        if entry.kind == "call":
            open_calls.setdefault(entry.key, []).append(entry.index)
        elif entry.kind == "result" and open_calls.get(entry.key):
            _span(starts, open_calls[entry.key].pop(), entry.index)
        if thought is not None and entry.model_side:
            _span(starts, thought, entry.index)
        thought = _thought(thought, entry)
    covered, depth = [], 0
    for step in starts[:size]:
        depth += step
        covered.append(depth > 0)
    return covered


def _thought(thought: int | None, entry: Entry) -> int | None:
    """Reasoning covers all that the model does behind it, until somebody else speaks."""
    if entry.kind == "thinking":
        return entry.index if thought is None else thought
    return thought if entry.model_side else None


def _span(starts: list[int], first: int, last: int) -> None:
    """Count a span whose parts must stay together: a cut behind ``first`` up to ``last`` parts them."""
    if first < last:
        starts[first + 1] += 1
        starts[last + 1] -= 1


def _any_but_result(entries: list[Entry]) -> bool:
    return all(entry.kind != "result" for entry in entries)


def _user(entries: list[Entry]) -> bool:
    return all(entry.kind in ("user", "other") and not entry.model_side for entry in entries)


def _mistral(entries: list[Entry]) -> bool:
    return all(entry.kind not in ("result", "call") for entry in entries)


_BEGINS: Final[Mapping[str, Callable[[list[Entry]], bool]]] = {
    "openai_chat": _any_but_result,
    "compatible": _any_but_result,
    "openai_responses": _any_but_result,
    "anthropic": _user,
    "gemini": _user,
    "bedrock": _user,
    "mistral": _mistral,
}
