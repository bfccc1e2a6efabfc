"""Strict profile for endpoints that speak Chat Completions (DeepSeek and the like): what the strictest of them accept.

They copy the two main rules and differ on duplicates, empty text and ids that are used again; some servers hand out one
constant id for every call. A conversation that passes here passes at all of them as far as public reports show.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from simlab.dialects import openai_chat, texts
from simlab.dialects.findings import Finding, Mode
from simlab.dialects.rules import Report, Rule

_DANGLING = (
    "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. "
    "(insufficient tool messages following tool_calls message)"
)

RULES: Final[Mapping[str, Rule]] = {
    **openai_chat.RULES,
    "dangling_tool_call": Rule(error=_DANGLING, repair=texts.CLOSE),
    "open_tail": Rule(error=_DANGLING, repair=texts.WAIT, severity="info"),
    "interleaved_message": Rule(error=_DANGLING, repair=texts.MOVE_BEHIND),
    "orphan_tool_result": Rule(
        error="Messages with role 'tool' must be a response to a preceding message with 'tool_calls'",
        repair=texts.DROP_ORPHAN,
    ),
    "duplicate_tool_result": Rule(
        error="Duplicate value for 'tool_call_id' of {id} in message[{index}]", repair=texts.ONE_RESULT
    ),
    "reused_call_id": Rule(error=None, repair=texts.OWN_IDS),
    "empty_tool_calls": Rule(
        error="Invalid 'messages[{index}].tool_calls': empty array.",
        repair="Leave the key out when there are no calls.",
    ),
    "arguments_not_text": Rule(
        error="Invalid type for 'messages[{index}]{block}.function.arguments': expected a string",
        repair="Write the arguments as JSON text.",
    ),
    "empty_text": Rule(error="messages[{index}]: content must not be empty", repair=texts.NO_EMPTY),
}


def check(messages: Sequence[Any], request: Mapping[str, Any], mode: Mode) -> list[Finding]:
    """Check a ``messages`` array under the strict profile."""
    found = openai_chat.check(messages, request, mode, RULES)
    report = Report(RULES, mode)
    for index, message in enumerate(messages):
        if isinstance(message, dict) and message.get("content") in ("", []) and not message.get("tool_calls"):
            report.add("empty_text", index, "message without text")
    return sorted(found + report.findings, key=lambda one: -1 if one.index is None else one.index)
