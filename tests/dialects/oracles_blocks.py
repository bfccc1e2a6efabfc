"""Slow second readings of three more catalogues, written from the statements and sharing nothing with the checkers.

Each tells only whether a conversation can be sent now. They know the shapes that the renderers make, no others.
"""

import itertools
from collections import Counter
from typing import Any


def bedrock_accepts(messages: list[Any]) -> bool:
    """Bedrock Converse: strict alternation, user first; all results of a turn, and no other, in the next message."""
    if [message["role"] for message in messages] != [("user", "assistant")[at % 2] for at in range(len(messages))]:
        return False
    if not messages or not all(_sound_message(message) for message in messages):
        return False
    pairs = itertools.pairwise([{"role": "assistant", "content": []}, *messages, {"role": "user", "content": []}])
    for before, behind in pairs:
        called = [block["toolUse"]["toolUseId"] for block in before["content"] if "toolUse" in block]
        answered = [block["toolResult"]["toolUseId"] for block in behind["content"] if "toolResult" in block]
        if len(set(called)) != len(called) or Counter(called) != Counter(answered):
            return False
    return True


def _sound_message(message: Any) -> bool:
    allowed = {"user": {"text", "toolResult"}, "assistant": {"text", "toolUse"}}[message["role"]]
    return bool(message["content"]) and all(set(block) <= allowed for block in message["content"])


def gemini_accepts(contents: list[Any]) -> bool:
    """Gemini: a call turn behind a user's or response turn, and behind it the turn with its responses, id by id."""
    padded = [*contents, {"role": "user", "parts": [{"text": "end"}]}]
    if not contents or any(one["role"] not in ("user", "model") for one in contents):
        return False
    for at, content in enumerate(contents):
        called, answered = _ids(content, "functionCall"), _ids(content, "functionResponse")
        if (called and content["role"] != "model") or (answered and content["role"] != "user"):
            return False
        if called and (at == 0 or contents[at - 1]["role"] != "user" or len(set(called)) != len(called)):
            return False
        if Counter(called) != Counter(_ids(padded[at + 1], "functionResponse")):
            return False
    return not _ids(contents[0], "functionResponse")


def _ids(content: Any, kind: str) -> list[str]:
    return [part[kind]["id"] for part in content["parts"] if kind in part]


def responses_accept(items: list[Any]) -> bool:
    """OpenAI Responses: each output has its call before it and is the only one; each call has an output behind it."""
    waiting: Counter[str] = Counter()
    answered: set[str] = set()
    for item in items:
        if item["type"] == "function_call":
            waiting[item["call_id"]] += 1
            answered.discard(item["call_id"])
        elif item["type"] == "function_call_output":
            if waiting[item["call_id"]] == 0:
                return False
            waiting[item["call_id"]] -= 1
            answered.add(item["call_id"])
        elif not _sound_item(item):
            return False
    return bool(items) and all(name in answered for name, count in waiting.items() if count)


def _sound_item(item: Any) -> bool:
    kind = "output_text" if item["role"] == "assistant" else "input_text"
    roles = ("user", "assistant", "developer", "system")
    return item["role"] in roles and all(part["type"] == kind for part in item["content"])
