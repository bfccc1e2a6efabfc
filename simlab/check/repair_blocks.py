"""Clean single blocks for a target: blank text, cut arguments, unsigned thinking, names and values it refuses."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from simlab.check.neutral import Entry, arguments_object
from simlab.check.repair_plan import Plan
from simlab.check.shapes import SHAPES
from simlab.dialects.blocks import block_type
from simlab.dialects.openai_responses import check as check_item
from simlab.dialects.rules import show

_REFUSES_BLANK: Final = frozenset({"anthropic", "bedrock", "gemini", "compatible"})
_WANTS_OBJECT: Final = frozenset({"anthropic", "bedrock", "gemini"})
_WANTS_TEXT: Final = frozenset({"openai_chat", "compatible"})
_NAME: Final = re.compile(r"[a-zA-Z0-9_-]{1,64}")
_DUMMY_SIGNATURE: Final = "skip_thought_signature_validator"
"""Documented by the provider for calls that its own model did not make."""


def clean(entries: Sequence[Entry], target: str, request: Mapping[str, Any], plan: Plan) -> list[Entry]:
    """Return the entries that the target can hold, each in a form it accepts."""
    server = _server_pairs(entries) if target == "anthropic" else set()
    calling = {entry.turn for entry in entries if entry.kind == "call"}
    kept: list[Entry] = []
    for place, entry in enumerate(entries):
        if entry.model_side and entry.raw is None and entry.kind in ("thinking", "other"):
            continue
        why = _refused(entry, target, calling)
        if why is None and target == "anthropic" and _is_server(entry) and place not in server:
            why = "a server tool's call or result without its other half"
        if why is not None:
            plan.add("drop", entry.index, why, "this was never there")
            continue
        kept.append(_fixed(entry, target, plan))
    return _calls_last(kept, plan) if target == "anthropic" else kept


def _refused(entry: Entry, target: str, calling: set[int]) -> str | None:
    """Return why an entry has to go, or ``None``."""
    if entry.kind in ("user", "assistant", "system") and not entry.text.strip() and target in _REFUSES_BLANK:
        return "text without anything in it"
    if entry.kind == "assistant" and target == "mistral" and not entry.text and entry.turn not in calling:
        return "text without anything in it"
    if entry.kind == "thinking" and target == "anthropic":
        raw = entry.raw if isinstance(entry.raw, dict) else {}
        if block_type(raw) != "redacted_thinking" and not (isinstance(raw.get("signature"), str) and raw["signature"]):
            return "thinking without a signature: it was cut off"
    return None


def _is_server(entry: Entry) -> bool:
    kind = block_type(entry.raw)
    return kind in ("server_tool_use", "mcp_tool_use") or (kind.endswith("_tool_result") and kind != "tool_result")


def _server_pairs(entries: Sequence[Entry]) -> set[int]:
    """Return the places of server calls and results that stand as pairs inside one turn of the model."""
    waiting: dict[tuple[int, str], int] = {}
    pairs: set[int] = set()
    for place, entry in enumerate(entries):
        if not _is_server(entry) or not entry.model_side:
            continue
        result = block_type(entry.raw).endswith("_tool_result")
        name = entry.raw.get("tool_use_id" if result else "id")
        if not isinstance(name, str) or re.fullmatch(r"[a-zA-Z0-9_-]+", name) is None:
            continue
        if not result:
            waiting[entry.turn, name] = place
        elif (entry.turn, name) in waiting:
            pairs |= {place, waiting.pop((entry.turn, name))}
    return pairs


def _fixed(entry: Entry, target: str, plan: Plan) -> Entry:
    if entry.kind == "call":
        return _call(entry, target, plan)
    if entry.kind == "result":
        return _result(entry, target)
    if target == "openai_responses" and entry.raw is not None and entry.kind in ("user", "assistant", "system"):
        return _item(entry, plan)
    if target == "mistral" and entry.kind == "system":
        return replace(entry, raw=None)
    return entry


def _item(entry: Entry, plan: Plan) -> Entry:
    """Write a message anew when its parts have types that its role may not hold."""
    if not any(one.severity == "error" for one in check_item([entry.raw], {}, "recording")):
        return entry
    plan.add("rewrite", entry.index, "its content parts get the types of its role", "nothing new")
    return replace(entry, raw=None)


def _call(entry: Entry, target: str, plan: Plan) -> Entry:
    fixed = entry
    if target in _WANTS_OBJECT and not isinstance(entry.arguments, dict):
        plan.add("rewrite", entry.index, "arguments that were cut off go under one key", "it passed the cut text")
        fixed = replace(fixed, arguments=arguments_object(entry.arguments), raw=None)
    if target in _WANTS_TEXT and _unwritten_arguments(entry):
        plan.add("rewrite", entry.index, "arguments become JSON text", "nothing new")
        fixed = replace(fixed, raw=None)
    if target == "mistral" and entry.family in ("custom", "legacy"):
        plan.add("rewrite", entry.index, f"the {entry.family} call becomes a function call", "nothing new")
        arguments = entry.arguments if isinstance(entry.arguments, dict) else {"input": entry.arguments}
        fixed = replace(fixed, family="function", arguments=arguments, raw=None)
    if target == "mistral" and _NAME.fullmatch(entry.name) is None:
        name = re.sub(r"[^a-zA-Z0-9_-]", "_", entry.name)[:64] or "unknown_tool"
        plan.add("rename", entry.index, f"function {show(entry.name)} becomes {name}", "it called it so")
        fixed = replace(fixed, name=name, raw=None, arguments=entry.arguments if fixed is entry else fixed.arguments)
    return fixed


def _unwritten_arguments(entry: Entry) -> bool:
    function = entry.raw.get("function") if isinstance(entry.raw, dict) else None
    return isinstance(function, dict) and not isinstance(function.get("arguments"), str)


def _result(entry: Entry, target: str) -> Entry:
    """Write a result anew when its native form holds what the target refuses."""
    if target == "mistral":
        name = entry.name if _NAME.fullmatch(entry.name) else ""
        changed = entry.family == "legacy" or name != entry.name
        return replace(entry, family="function", name=name, raw=None) if changed else entry
    if SHAPES[target] == "bedrock":
        return _bedrock_result(entry)
    if target == "compatible" and not entry.text:
        return replace(entry, text="(no output)", raw=None)
    inner = entry.raw.get("content") if target == "anthropic" and isinstance(entry.raw, dict) else None
    if isinstance(inner, list) and not all(_sound(part) for part in inner):
        return replace(entry, raw={**entry.raw, "content": [part for part in inner if _sound(part)]})
    return entry


def _sound(part: Any) -> bool:
    if not isinstance(part, dict):
        return False
    text = part.get("text")
    return block_type(part) != "text" or (isinstance(text, str) and bool(text.strip()))


def _bedrock_result(entry: Entry) -> Entry:
    content = entry.raw["toolResult"].get("content") if isinstance(entry.raw, dict) else None
    text = entry.text if entry.text.strip() else "(no output)"
    sound = isinstance(content, list) and bool(content) and all(_sound_part(part) for part in content)
    return entry if sound else replace(entry, raw=None, text=text)


def _sound_part(part: Any) -> bool:
    if not isinstance(part, dict):
        return False
    text = part.get("text", "x")
    return isinstance(text, str) and bool(text.strip()) and isinstance(part.get("json", {}), dict)


def _calls_last(entries: list[Entry], plan: Plan) -> list[Entry]:
    """Put text and thinking of a turn in front of its calls."""
    kept: list[Entry] = []
    for entry in entries:
        place = len(kept)
        if entry.kind in ("assistant", "thinking"):
            while place and kept[place - 1].kind == "call" and kept[place - 1].turn == entry.turn:
                place -= 1
            if place < len(kept):
                plan.add(
                    "move", entry.index, f"its {entry.kind} goes in front of its calls", "it said so before it called"
                )
        kept.insert(place, entry)
    return kept


def signed(entries: list[Entry], request: Mapping[str, Any], plan: Plan) -> list[Entry]:
    """Give the first call of each step the documented stand-in where this model family wants signatures."""
    family = request.get("model_family") or request.get("model")
    if not (isinstance(family, str) and "gemini-3" in family):
        return entries
    kept: list[Entry] = []
    turns: set[int] = set()
    for entry in entries:
        first = entry.kind == "call" and entry.turn not in turns
        if first:
            turns.add(entry.turn)
        if first and not _signature(entry):
            plan.add("rewrite", entry.index, "the call gets the documented stand-in for its signature", "nothing new")
            kept.append(_with_signature(entry))
        else:
            kept.append(entry)
    return kept


def _signature(entry: Entry) -> bool:
    raw = entry.raw if isinstance(entry.raw, dict) else {}
    value = raw.get("thoughtSignature", raw.get("thought_signature"))
    return isinstance(value, str) and bool(value)


def _with_signature(entry: Entry) -> Entry:
    call: dict[str, Any] = {"name": entry.name, "args": entry.arguments}
    if entry.key and not entry.anonymous:
        call["id"] = entry.key
    native = entry.raw if isinstance(entry.raw, dict) else {"functionCall": call}
    kept = {key: value for key, value in native.items() if key != "thought_signature"}
    return replace(entry, raw={**kept, "thoughtSignature": _DUMMY_SIGNATURE})
