"""Anthropic rules that look at the end of the conversation: what the last turn may be and which thinking it needs."""

from collections.abc import Mapping, Sequence
from typing import Any

from simlab.dialects.blocks import block_type, blocks_of
from simlab.dialects.findings import Severity
from simlab.dialects.rules import Report

_THINKING = ("thinking", "redacted_thinking")


def check(report: Report, messages: Sequence[Any], request: Mapping[str, Any]) -> None:
    """Judge the last message as a request, and the running tool loop's thinking."""
    if report.mode != "recording" and messages:
        _last(report, messages, request)
    if _thinking_on(request):
        _loop_thinking(report, messages, request)


def _last(report: Report, messages: Sequence[Any], request: Mapping[str, Any]) -> None:
    index = len(messages) - 1
    message = messages[index]
    if not isinstance(message, dict) or message.get("role") != "assistant":
        return
    blocks = blocks_of(message.get("content"))
    last = blocks[-1] if blocks else None
    if block_type(last) == "tool_use":
        return
    if request.get("prefill_supported") is False:
        report.add("prefill_unsupported", index, "the conversation ends with an assistant message")
        return
    position = f".content[{len(blocks) - 1}]"
    if block_type(last) in _THINKING:
        report.add("thinking_tail", index, "the conversation ends with a thinking block", block=position)
    text = last.get("text") if isinstance(last, dict) and block_type(last) == "text" else None
    if isinstance(text, str) and text != text.rstrip() and text.strip():
        report.add("trailing_whitespace_prefill", index, "the last message ends with whitespace", block=position)


def _thinking_on(request: Mapping[str, Any]) -> bool:
    thinking = request.get("thinking")
    return isinstance(thinking, Mapping) and thinking.get("type") == "enabled"


def _loop_thinking(report: Report, messages: Sequence[Any], request: Mapping[str, Any]) -> None:
    """The last tool loop starts with thinking; some models refuse, others switch thinking off (a warning)."""
    index = _loop_start(messages)
    if index is None:
        return
    kinds = [block_type(block) for block in blocks_of(messages[index].get("content"))]
    if "tool_use" in kinds and kinds[0] not in _THINKING:
        severity: Severity | None = "error" if request.get("thinking_conflict") == "error" else None
        text = f"thinking is on, but the running tool loop starts with {kinds[0]}"
        report.add("missing_thinking", index, text, severity=severity, values={"kind": kinds[0]})


def _loop_start(messages: Sequence[Any]) -> int | None:
    """Return the first assistant message behind the last thing the user said."""
    start: int | None = None
    for index in range(len(messages) - 1, -1, -1):
        message = messages[index]
        role = message.get("role") if isinstance(message, dict) else None
        if role == "assistant":
            start = index
        elif role == "user" and any(block_type(block) != "tool_result" for block in blocks_of(message.get("content"))):
            break
    return start
