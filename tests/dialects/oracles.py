"""Slow second readings of three catalogues, written from the statements and sharing nothing with the checkers.

Each tells only whether a conversation can be sent now. They know the shapes that the generators make, no others.
"""

import itertools
import re
from collections import Counter
from typing import Any


def chat_accepts(messages: list[Any]) -> bool:
    """OpenAI Chat Completions: every call is answered by the run of tool messages directly behind, nothing else."""
    if not messages:
        return False
    return all(_chat_message(messages, place) for place in range(len(messages)))


def _chat_message(messages: list[Any], place: int) -> bool:
    message = messages[place]
    called = [call["id"] for call in message.get("tool_calls", [])] if message["role"] == "assistant" else []
    if called:
        return len(set(called)) == len(called) and Counter(called) == Counter(_run_behind(messages, place))
    if message["role"] != "tool":
        return message["role"] in ("user", "system", "developer", "assistant") and isinstance(message["content"], str)
    start = place
    while start >= 0 and messages[start]["role"] == "tool":
        start -= 1
    owner: Any = messages[start] if start >= 0 else {"role": "nobody"}
    return (
        owner["role"] == "assistant"
        and message.get("tool_call_id") in [call["id"] for call in owner.get("tool_calls", [])]
        and isinstance(message["content"], str)
    )


def _run_behind(messages: list[Any], place: int) -> list[Any]:
    run = []
    for message in messages[place + 1 :]:
        if message["role"] != "tool":
            break
        run.append(message.get("tool_call_id"))
    return run


def anthropic_accepts(messages: list[Any]) -> bool:
    """Anthropic Messages: neighbours of one role are one turn; results lead the turn behind their calls."""
    if not messages or messages[0]["role"] != "user":
        return False
    if not all(_sound_message(message) for message in messages):
        return False
    turns = _turns(messages)
    ids = [block["id"] for role, blocks in turns for block in blocks if block["type"] == "tool_use"]
    if len(set(ids)) != len(ids) or (turns[-1][0] == "assistant" and _ends_in_space(turns[-1][1])):
        return False
    return all(_sound_turn(turns, place) for place in range(len(turns)))


def _sound_message(message: Any) -> bool:
    kinds = {"user": {"text", "tool_result"}, "assistant": {"text", "tool_use"}}.get(message["role"], set())
    blocks = _blocks(message)
    if not kinds or (message["role"] == "user" and not blocks):
        return False
    return all(block["type"] in kinds and block.get("text", "x").strip() for block in blocks)


def _blocks(message: Any) -> list[Any]:
    content = message["content"]
    if isinstance(content, list):
        return content
    return [{"type": "text", "text": content}] if content else []


def _turns(messages: list[Any]) -> list[tuple[str, list[Any]]]:
    turns: list[tuple[str, list[Any]]] = []
    for message in messages:
        if turns and turns[-1][0] == message["role"]:
            turns[-1][1].extend(_blocks(message))
        else:
            turns.append((message["role"], list(_blocks(message))))
    return turns


def _ends_in_space(blocks: list[Any]) -> bool:
    return bool(blocks) and blocks[-1].get("text", "x") != blocks[-1].get("text", "x").rstrip()


def _sound_turn(turns: list[tuple[str, list[Any]]], place: int) -> bool:
    role, blocks = turns[place]
    if role == "user":
        before = turns[place - 1][1] if place else []
        called = {block["id"] for block in before if block["type"] == "tool_use"}
        return all(block["tool_use_id"] in called for block in blocks if block["type"] == "tool_result")
    kinds = [block["type"] for block in blocks]
    if "tool_use" not in kinds:
        return True
    if "text" in kinds[kinds.index("tool_use") :]:
        return False
    behind = turns[place + 1][1] if place + 1 < len(turns) else []
    leading = []
    for block in behind:
        if block["type"] != "tool_result":
            break
        leading.append(block["tool_use_id"])
    everything = [block["tool_use_id"] for block in behind if block["type"] == "tool_result"]
    called_ids = Counter(block["id"] for block in blocks if block["type"] == "tool_use")
    return called_ids == Counter(leading) == Counter(everything)


_AFTER = {
    "system": {"user", "assistant", "system"},
    "user": {"assistant", "system", "user"},
    "assistant": {"assistant", "user", "tool"},
    "tool": {"assistant", "tool"},
}


def mistral_accepts(messages: list[Any]) -> bool:
    """Mistral: the published validator's four passes (order, count, last message, content), newest ids."""
    roles = [message["role"] for message in messages]
    if not roles or not set(roles) <= set(_AFTER):
        return False
    if any(after not in _AFTER[before] for before, after in itertools.pairwise(roles)):
        return False
    if len(roles) == 1 and roles[0] not in ("user", "system"):
        return False
    if messages[0].get("tool_calls") and roles[0] == "assistant" and roles[1:2] == ["tool"]:
        return False
    last = messages[-1]
    if last["role"] == "assistant" and not last.get("prefix"):
        return False
    return _mistral_counts(messages) and all(_mistral_message(message) for message in messages)


def _mistral_counts(messages: list[Any]) -> bool:
    """Between two assistant messages stand exactly the results of the first one's calls."""
    expected: Counter[str] = Counter()
    for message in messages:
        if message["role"] == "tool":
            expected[message.get("tool_call_id")] -= 1
            if expected[message.get("tool_call_id")] < 0:
                return False
        elif message["role"] == "assistant":
            if expected.total():
                return False
            called = [call["id"] for call in message.get("tool_calls", [])]
            if len(set(called)) != len(called):
                return False
            expected = Counter(called)
    return not expected.total()


def _mistral_message(message: Any) -> bool:
    if message["role"] == "assistant":
        ids = [call["id"] for call in message.get("tool_calls", [])]
        return bool(message["content"] or ids) and all(re.fullmatch("[a-zA-Z0-9]{9}", name) for name in ids)
    if message["role"] == "tool":
        name = message.get("tool_call_id")
        return isinstance(name, str) and re.fullmatch("[a-zA-Z0-9]{9}", name) is not None
    return message["content"] is not None
