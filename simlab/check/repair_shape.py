"""Bring paired entries into the target's shape: its roles, its blocks, its first and last message."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from simlab.check import repair_blocks as blocks
from simlab.check.neutral import Entry
from simlab.check.repair_plan import Plan, say
from simlab.check.shapes import SHAPES
from simlab.dialects.mistral import takes_text_or_calls

_EARLIER = "[the earlier part of this conversation is not shown]"
_BRIDGE = "[interrupted before a reply]"
_CONTINUE = "Continue."
_REFUSES_MIX = ("llama", "mistral", "claude-3")


def shape(entries: Sequence[Entry], target: str, request: Mapping[str, Any], plan: Plan) -> list[Entry]:
    """Return entries that the target's writer turns into an accepted request."""
    kept = blocks.clean(entries, target, request, plan)
    kept = _SHAPERS[target](kept, request, plan)
    if kept:
        return kept
    plan.add("bridge", None, "a user message: the conversation is empty", "somebody opened it with an empty note")
    return [say("user", "[the conversation so far is empty]")]


def _openai_chat(entries: list[Entry], request: Mapping[str, Any], plan: Plan) -> list[Entry]:
    return entries


def _anthropic(entries: list[Entry], request: Mapping[str, Any], plan: Plan) -> list[Entry]:
    kept = [_unsaid_system(entry, plan) for entry in entries]
    if request.get("mid_system_supported") is True:
        kept = [entry if _placed(entries, place) else kept[place] for place, entry in enumerate(entries)]
    kept = _tail(_first_user(kept, plan), request, plan)
    if request.get("thinking_conflict") == "error" and kept and kept[-1].kind == "result":
        plan.add(
            "bridge",
            None,
            f"a user message {_CONTINUE!r}: thinking of the running loop is gone",
            "the user asked to go on",
        )
        kept.append(say("user", _CONTINUE, turn=kept[-1].turn))
    return kept


def _placed(entries: Sequence[Entry], place: int) -> bool:
    """Tell whether a system entry stands where newer models take it."""
    behind = entries[place + 1] if place + 1 < len(entries) else None
    return entries[place].kind != "system" or (place > 0 and (behind is None or behind.model_side))


def _unsaid_system(entry: Entry, plan: Plan) -> Entry:
    """Say system text in a user message where the format has no place for it."""
    if entry.kind != "system":
        return entry
    plan.add("rewrite", entry.index, "system text goes into a user message", "the user said it, marked as system text")
    return replace(entry, kind="user", text=f"[system] {entry.text}", raw=None, envelope={})


def _first_user(entries: list[Entry], plan: Plan) -> list[Entry]:
    if not entries or not entries[0].model_side:
        return entries
    plan.add("bridge", None, f"a user message in front: {_EARLIER!r}", "something was said before")
    return [say("user", _EARLIER), *entries]


def _tail(entries: list[Entry], request: Mapping[str, Any], plan: Plan) -> list[Entry]:
    """See to an assistant message at the end: no thinking last, no whitespace last, or none at all."""
    kept = list(entries)
    while kept and kept[-1].kind == "thinking":
        plan.add("drop", kept[-1].index, "thinking at the very end", "it had not begun to think")
        kept.pop()
    last = kept[-1] if kept else None
    if last is None or not last.model_side:
        return kept
    if request.get("prefill_supported") is False:
        plan.add(
            "bridge", None, f"a user message {_CONTINUE!r}: this model wants the user last", "the user asked to go on"
        )
        return [*kept, say("user", _CONTINUE)]
    if last.kind == "assistant" and last.text != last.text.rstrip():
        plan.add("rewrite", last.index, "strip the whitespace at the end", "nothing new")
        raw = {**last.raw, "text": last.text.rstrip()} if last.raw is not None else None
        kept[-1] = replace(last, text=last.text.rstrip(), raw=raw)
    return kept


def _bedrock(entries: list[Entry], request: Mapping[str, Any], plan: Plan) -> list[Entry]:
    kept = _first_user([_unsaid_system(entry, plan) for entry in entries], plan)
    family = str(request.get("model_family") or request.get("modelId") or "")[:200].lower()
    if any(name in family for name in _REFUSES_MIX):
        kept = _bridged(kept, plan)
    return _merged(kept, plan, lambda before, entry: before.model_side == entry.model_side)


def _gemini(entries: list[Entry], request: Mapping[str, Any], plan: Plan) -> list[Entry]:
    kept = _first_user([_unsaid_system(entry, plan) for entry in entries], plan)
    calling = _runs_with_calls(kept)
    kept = _merged(kept, plan, lambda before, entry: before.model_side and entry.model_side and entry.turn in calling)
    return blocks.signed(_split_results(kept), request, plan)


def _runs_with_calls(entries: Sequence[Entry]) -> set[int]:
    """Return the turns of the model that stand, without anybody in between, in one run with a call."""
    turns: set[int] = set()
    run: set[int] = set()
    called = False
    for entry in [*entries, say("user", "")]:
        if entry.model_side:
            run.add(entry.turn)
            called = called or entry.kind == "call"
        else:
            turns |= run if called else set()
            run, called = set(), False
    return turns


def _split_results(entries: list[Entry]) -> list[Entry]:
    """Let what was said beside the responses be a content of its own, so that a turn ends where it ended."""
    turns = iter(range(len(entries), 3 * len(entries) + 1))
    kept: list[Entry] = []
    for entry in entries:
        before = kept[-1] if kept else None
        if before is not None and before.kind == "result" and entry.kind not in ("result",) and not entry.model_side:
            kept.append(replace(entry, turn=-1 - next(turns)))
        else:
            kept.append(entry)
    return kept


def _merged(entries: list[Entry], plan: Plan, joins: Callable[[Entry, Entry], bool]) -> list[Entry]:
    """Number turns anew so that neighbours of one side become one message."""
    kept: list[Entry] = []
    turn = 0
    last: Entry | None = None
    for entry in entries:
        before = kept[-1] if kept else None
        if last is not None and before is not None and not (joins(last, entry) or last.turn == entry.turn):
            turn += 1
        elif before is not None and before.index != entry.index and entry.index >= 0 and before.index >= 0:
            plan.add("merge", entry.index, "into the message before, which has the same role", "both were said at once")
        kept.append(replace(entry, turn=turn))
        last = entry
    return kept


def _bridged(entries: list[Entry], plan: Plan) -> list[Entry]:
    """Put an assistant message between results and what the user says next."""
    kept: list[Entry] = []
    for entry in entries:
        before = kept[-1] if kept else None
        if before is not None and before.kind == "result" and entry.kind != "result" and not entry.model_side:
            plan.add(
                "bridge",
                None,
                f"an assistant message {_BRIDGE!r} in front of message {entry.index}",
                "it said so itself",
            )
            kept.append(say("assistant", _BRIDGE))
        kept.append(entry)
    return kept


def _mistral(entries: list[Entry], request: Mapping[str, Any], plan: Plan) -> list[Entry]:
    kept: list[Entry] = []
    if takes_text_or_calls(request):
        entries = _text_apart(entries, plan)
    for entry in _bridged(entries, plan):
        after_model = bool(kept) and kept[-1].model_side
        kept.append(_unsaid_system(entry, plan) if after_model else entry)
    first = kept[0] if kept else None
    if first is not None and (any(_calls_at_start(kept)) or (first.model_side and _one_message(kept))):
        kept = _first_user(kept, plan)
    return _prefixed(kept, request, plan)


def _text_apart(entries: list[Entry], plan: Plan) -> list[Entry]:
    """Let the text beside calls be a message of its own, in front of them."""
    calling = {entry.turn for entry in entries if entry.kind == "call"}
    kept: list[Entry] = []
    for place, entry in enumerate(entries):
        if entry.kind == "assistant" and entry.turn in calling:
            plan.add("rewrite", entry.index, "its text goes into a message in front of its calls", "it said so before")
            kept.append(replace(entry, turn=-2 - place))
        else:
            kept.append(entry)
    return kept


def _calls_at_start(entries: list[Entry]) -> list[bool]:
    turn = entries[0].turn
    return [entry.kind == "call" for entry in entries if entry.turn == turn and entry.model_side]


def _one_message(entries: list[Entry]) -> bool:
    return all(entry.model_side and entry.turn == entries[0].turn for entry in entries)


def _prefixed(entries: list[Entry], request: Mapping[str, Any], plan: Plan) -> list[Entry]:
    """Mark an assistant message at the end as a prefix, and no other."""
    last = entries[-1] if entries else None
    tail = last.turn if last is not None and last.kind == "assistant" else None
    final_from = len(entries)
    while final_from and entries[final_from - 1].model_side and entries[final_from - 1].turn == tail:
        final_from -= 1
    kept: list[Entry] = []
    for place, entry in enumerate(entries):
        final = place >= final_from
        envelope = {key: value for key, value in entry.envelope.items() if key != "prefix"}
        kept.append(replace(entry, envelope={**envelope, "prefix": True} if final else envelope))
    if tail is not None and last is not None and not last.envelope.get("prefix"):
        plan.add(
            "rewrite",
            last.index,
            "mark the last assistant message with prefix: true",
            "it is in the middle of saying it",
        )
    return kept


def _responses(entries: list[Entry], request: Mapping[str, Any], plan: Plan) -> list[Entry]:
    kept: list[Entry] = []
    behind: Entry | None = None
    for entry in reversed(entries):
        if entry.kind == "thinking" and (behind is None or not behind.model_side):
            plan.add("drop", entry.index, "reasoning without the item it belongs to", "it never had this thought")
            continue
        kept.append(entry)
        if entry.kind != "thinking":
            behind = entry
    return kept[::-1]


_SHAPERS: Final[Mapping[str, Callable[[list[Entry], Mapping[str, Any], Plan], list[Entry]]]] = {
    "openai_chat": _openai_chat,
    "compatible": _openai_chat,
    "mistral": _mistral,
    "openai_responses": _responses,
    "anthropic": _anthropic,
    "bedrock": _bedrock,
    "gemini": _gemini,
}
assert _SHAPERS.keys() == SHAPES.keys()
