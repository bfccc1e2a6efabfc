"""Give every call its result again: move what stands elsewhere, drop what answers nothing, close what stays open."""

import hashlib
import re
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from simlab.check.conversation import Conversation
from simlab.check.neutral import Entry, text_of
from simlab.check.record import Record, is_placeholder
from simlab.check.repair_plan import Plan
from simlab.check.shapes import SHAPES
from simlab.dialects.rules import show

_UNKNOWN = "[no result was recorded; unknown whether the call took effect]"
_FORMS = {
    "openai_chat": re.compile(r".{1,40}", re.S),
    "compatible": re.compile(r".{1,40}", re.S),
    "openai_responses": re.compile(r".{1,64}", re.S),
    "anthropic": re.compile(r"[a-zA-Z0-9_-]+"),
    "bedrock": re.compile(r"[a-zA-Z0-9_.:-]{1,64}"),
    "gemini": re.compile(r".+", re.S),
    "mistral": re.compile(r"[a-zA-Z0-9]{9}"),
}


@dataclass(kw_only=True, slots=True, eq=False)
class _Act:
    """What the model said and called in one turn, and the results by the position of their call."""

    entries: list[Entry] = field(default_factory=list)
    results: dict[int, Entry] = field(default_factory=dict)
    unanswered: deque[int] = field(default_factory=deque)

    def calls(self) -> list[tuple[int, Entry]]:
        return [(place, entry) for place, entry in enumerate(self.entries) if entry.kind == "call"]


def pair(entries: Sequence[Entry], conversation: Conversation, target: str, plan: Plan) -> list[Entry]:
    """Return the entries with each call directly followed by its results, one each, under ids the target accepts."""
    desk = _Desk(conversation, target, plan)
    for entry in entries:
        desk.take(entry)
    desk.close()
    desk.rename()
    return list(desk.flat())


class _Desk:
    """The conversation being sorted: ``blocks`` are turns of the model and single entries of everybody else."""

    def __init__(self, conversation: Conversation, target: str, plan: Plan) -> None:
        self.plan = plan
        self.target = target
        self.record = Record(conversation)
        request = conversation.request
        self.chained = target == "openai_responses" and bool(
            request.get("previous_response_id") or request.get("conversation")
        )
        self.blocks: list[_Act | Entry] = []
        self.open: dict[str, list[tuple[_Act, int]]] = {}
        self.answered: dict[str, tuple[_Act, int]] = {}
        self.items: set[str] = set()
        self.last: _Act | None = None

    def take(self, entry: Entry) -> None:
        if entry.kind == "result":
            self.result(entry)
        elif entry.model_side:
            self.model(entry)
        else:
            self.blocks.append(entry)

    def model(self, entry: Entry) -> None:
        if self.repeated(entry):
            self.plan.add("drop", entry.index, "a second copy of the same item", "the model made it once")
            return
        last = self.blocks[-1] if self.blocks else None
        if not (isinstance(last, _Act) and last.entries[-1].turn == entry.turn):
            last = self.last = _Act()
            self.blocks.append(last)
        last.entries.append(entry)
        if entry.kind == "call":
            place = len(last.entries) - 1
            self.open.setdefault(entry.key, []).append((last, place))
            last.unanswered.append(place)

    def repeated(self, entry: Entry) -> bool:
        name = entry.raw.get("id") if SHAPES[self.target] == "responses" and isinstance(entry.raw, dict) else None
        if not isinstance(name, str) or name not in self.items:
            if isinstance(name, str):
                self.items.add(name)
            return False
        return True

    def result(self, entry: Entry) -> None:
        place = self.find(entry.key)
        if place is not None:
            self.attach(entry, *place)
        elif entry.key in self.answered:
            self.second(entry, *self.answered[entry.key])
        elif self.chained and entry.key:
            self.blocks.append(entry)
        else:
            self.note(entry, f"a result for call {show(entry.key)}, which nobody made")

    def find(self, key: str) -> tuple[_Act, int] | None:
        """Take the open call that a result of this key answers: the nearest, the first of its turn."""
        if not key and not self.open.get(key):
            return self.first_unanswered()
        places = self.open.get(key)
        if not places:
            return None
        at = len(places) - 1
        while at and places[at - 1][0] is places[-1][0]:
            at -= 1
        return places.pop(at)

    def first_unanswered(self) -> tuple[_Act, int] | None:
        """Take the first call of the latest turn that has no result yet: a result without an id may be its own."""
        act = self.last
        while act is not None and act.unanswered and act.unanswered[0] in act.results:
            act.unanswered.popleft()
        if act is None or not act.unanswered:
            return None
        place = act.unanswered.popleft()
        places = self.open[act.entries[place].key]
        at = len(places) - 1
        while places[at] != (act, place):
            at -= 1
        return places.pop(at)

    def attach(self, entry: Entry, act: _Act, place: int) -> None:
        call = act.entries[place]
        if entry.key != call.key:
            self.plan.add(
                "rename", entry.index, f"the result gets the id of call {show(call.key)}", "the result is its own"
            )
        elif self.blocks[-1] is not act:
            belief = "the result came at once, before what was said meanwhile"
            self.plan.add("move", entry.index, f"the result of call {show(call.key)} goes directly behind it", belief)
        act.results[place] = replace(entry, key=call.key)
        self.answered[call.key] = (act, place)

    def second(self, entry: Entry, act: _Act, place: int) -> None:
        first = act.results[place]
        if is_placeholder(first) and not is_placeholder(entry):
            self.plan.add(
                "drop", first.index, "the placeholder, because the real result came", "the call simply worked"
            )
            act.results[place] = replace(entry, key=first.key)
        else:
            self.note(entry, f"a second result for call {show(entry.key)}")

    def note(self, entry: Entry, what: str) -> None:
        """Keep what a result said as a user message, when no call can hold it."""
        if not entry.text.strip() or is_placeholder(entry):
            self.plan.add("drop", entry.index, what, f"it never saw {show(entry.text)}")
            return
        self.plan.add("rewrite", entry.index, f"{what}, becomes a user message", "somebody told it so afterwards")
        text = f"[a tool result without its call] {entry.text}"
        self.blocks.append(Entry(kind="user", turn=-2 - len(self.blocks), index=entry.index, text=text))

    def close(self) -> None:
        for act in self.acts():
            for place, call in act.calls():
                if place not in act.results:
                    text, failed = self.truth(call.key)
                    act.results[place] = Entry(
                        kind="result", turn=-1, index=-1, text=text, key=call.key, name=call.name, failed=failed,
                        family=_result_family(call), anonymous=call.anonymous,
                    )  # fmt: skip
                    self.plan.add("close", call.index, f"call {show(call.key)} gets the result {show(text)}", text)

    def acts(self) -> Iterator[_Act]:
        return (block for block in self.blocks if isinstance(block, _Act))

    def truth(self, key: str) -> tuple[str, bool]:
        """Say what is known of a call without result: from the execution log, else that nothing is known."""
        record = self.record
        outcome = record.outcome(key)
        if outcome is not None:
            failed = outcome.text("status") == "error"
            output = text_of(outcome.fields.get("output")).strip()
            return output or ("[failed]" if failed else "[finished; its output was not recorded]"), failed
        if any(record.about(key, "exec_killed")):
            return "[cancelled while running; effects unknown]", True
        if record.started(key):
            return "[started; no result was recorded; unknown whether it took effect]", True
        if any(record.about(key, "not_executed")):
            return "[cancelled before start; not executed]", True
        return _UNKNOWN, True

    def rename(self) -> None:
        used: set[str] = set()
        for act in self.acts():
            for place, call in act.calls():
                key = call.key
                if not call.anonymous and (key in used or _FORMS[self.target].fullmatch(key) is None):
                    key = _fresh(self.target, call.key, used)
                    self.plan.add("rename", call.index, f"id {show(call.key)} becomes {show(key)}", "nothing new")
                used.add(key)
                act.entries[place] = replace(call, key=key)
                act.results[place] = replace(act.results[place], key=key)

    def flat(self) -> Iterator[Entry]:
        for block in self.blocks:
            if isinstance(block, _Act):
                yield from block.entries
                yield from (block.results[place] for place in sorted(block.results))
            else:
                yield block


def _result_family(call: Entry) -> str:
    """Return the family of a new result: Responses have one item type a kind of call."""
    if call.family == "local_shell_call":
        return "function_call_output"
    return f"{call.family}_output" if call.family.endswith("_call") else call.family


def _fresh(target: str, key: str, used: set[str]) -> str:
    """Make an id of the target's form from an old one, the same in every run."""
    attempt = 0
    while True:
        digest = hashlib.sha256(f"{attempt}:{key}".encode("utf-8", "backslashreplace")).hexdigest()
        name = digest[:9] if target == "mistral" else f"call_{digest[:16]}"
        if name not in used:
            return name
        attempt += 1
