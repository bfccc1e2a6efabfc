"""Repair a conversation so that a target accepts it: a reviewed plan on a copy, never silent.

Nothing is touched where the target has no error. Otherwise the conversation is read into its neutral form, each call
gets its result back (moved, renamed or closed truthfully), the target's shape is kept, and the outcome is checked. What
no step can save is told to the model as a transcript, which every target accepts. Repairing twice changes nothing.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from simlab.check.conversation import Conversation
from simlab.check.convert import bare, convert
from simlab.check.neutral import Entry, as_json
from simlab.check.repair_pairs import pair
from simlab.check.repair_plan import Plan, Step, say
from simlab.check.repair_shape import shape
from simlab.check.repair_tools import with_tools
from simlab.check.shapes import SHAPES, read, write
from simlab.check.truth_messages import is_responses
from simlab.check.verdict import flags_for, judge
from simlab.dialects import openai_responses
from simlab.dialects.findings import Finding
from simlab.dialects.registry import check


@dataclass(frozen=True, kw_only=True, slots=True)
class Repair:
    """The repaired messages in the target's dialect with their request, and what was done (empty: nothing)."""

    dialect: str
    messages: list[Any]
    request: dict[str, Any]
    steps: list[Step]


def repair(conversation: Conversation, target: str | None = None) -> Repair:
    """Return messages that ``target`` accepts as a request, and the plan; the conversation itself is left alone."""
    aim = target or conversation.dialect
    plan = Plan()
    if SHAPES[aim] != SHAPES[conversation.dialect]:
        plan.add("rewrite", None, f"write it as {aim}", "the same conversation; thinking is left out")
    conversation = with_tools(conversation, aim, plan)
    ready = convert(conversation.messages, conversation.dialect, aim).messages
    if not _errors(ready, aim, conversation) and _reads(conversation, aim):
        return Repair(dialect=aim, messages=ready, request=flags_for(conversation, aim), steps=plan.steps)
    entries = _entries(conversation, aim, plan)
    entries = pair(entries, conversation, aim, plan)
    messages = write(aim, shape(entries, aim, flags_for(conversation, aim), plan)).messages
    if _errors(messages, aim, conversation):
        messages = _transcript(conversation, aim, plan)
    return Repair(dialect=aim, messages=messages, request=flags_for(conversation, aim), steps=plan.steps)


def _errors(messages: Sequence[Any], aim: str, conversation: Conversation) -> list[Finding]:
    found = check(aim, messages, request=_flags(flags_for(conversation, aim)), mode="request")
    before = conversation.baseline
    if aim == conversation.dialect == "openai_responses" and before is not None and is_responses(before):
        found += openai_responses.check_replayed(messages, before, "request")
    return [one for one in found if one.severity == "error"]


def _flags(request: Mapping[str, Any]) -> dict[str, Any]:
    """A request to be sent is no recording, whatever the file says."""
    return {key: value for key, value in request.items() if key != "mode" or value != "recording"}


def _reads(conversation: Conversation, aim: str) -> bool:
    """Rewriting must not hide what could not be read in the source."""
    return aim == conversation.dialect or judge(conversation, target=aim).valid


def _entries(conversation: Conversation, aim: str, plan: Plan) -> list[Entry]:
    entries = read(conversation.dialect, conversation.messages)
    known = {entry.index for entry in entries}
    for index in range(len(conversation.messages)):
        if index not in known:
            belief = "this message was never there"
            plan.add("drop", index, "it says nothing or cannot be read as a message of this format", belief)
    if SHAPES[aim] != SHAPES[conversation.dialect]:
        entries = [bare(entry) for entry in entries]
    elif aim == "mistral":
        entries = [replace(entry, anonymous=False) for entry in entries]
    if _replays(conversation, aim):
        plan.add(
            "strip", None, "item ids and reasoning (an item came without its reasoning)", "it never had these thoughts"
        )
        entries = [replace(entry, raw=_without_id(entry.raw)) for entry in entries if entry.kind != "thinking"]
    return entries


def _replays(conversation: Conversation, aim: str) -> bool:
    if aim != "openai_responses" or aim != conversation.dialect:
        return False
    return any(one.rule == "item_without_reasoning" for one in _errors(conversation.messages, aim, conversation))


def _without_id(raw: Any) -> Any:
    return {key: value for key, value in raw.items() if key != "id"} if isinstance(raw, dict) else raw


def _transcript(conversation: Conversation, aim: str, plan: Plan) -> list[Any]:
    """Tell the conversation as one user message: the last resort, accepted everywhere."""
    lines = [_line(entry) for entry in read(conversation.dialect, conversation.messages)]
    text = "\n".join(["Transcript of the conversation so far:", *filter(None, lines)])
    belief = "the user pasted a transcript; it made none of these calls itself"
    plan.add("rewrite", None, "no step could save the structure: told as a transcript in one user message", belief)
    return write(aim, [say("user", text)]).messages


def _line(entry: Entry) -> str:
    if entry.kind == "call":
        return f"[call {entry.name}] {as_json(entry.arguments)}"
    return f"[{entry.kind}] {entry.text}" if entry.text and entry.kind != "thinking" else ""
