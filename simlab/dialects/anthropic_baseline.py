"""Anthropic rules that need an earlier snapshot: thinking blocks come back as they were made."""

from collections.abc import Mapping, Sequence
from typing import Any

from simlab.dialects.anthropic_rules import RULES
from simlab.dialects.blocks import block_type, blocks_of
from simlab.dialects.findings import Finding, Mode
from simlab.dialects.rules import Report

_THINKING = ("thinking", "redacted_thinking")


def check(messages: Sequence[Any], baseline: Sequence[Any], request: Mapping[str, Any], mode: Mode) -> list[Finding]:
    """Compare with the snapshot ``baseline``.

    ``request["preserved_thinking"]`` says that blocks are bound to all that stood before them.
    """
    report = Report(RULES, mode)
    latest = max((index for index, message in enumerate(messages) if _role(message) == "assistant"), default=None)
    if latest is not None and latest < len(baseline) and _role(baseline[latest]) == "assistant":
        _compare(report, latest, messages[latest], baseline[latest])
    if request.get("preserved_thinking") is True:
        _prefix(report, messages, baseline)
    return report.sorted()


def _role(message: Any) -> Any:
    return message.get("role") if isinstance(message, dict) else None


def _thinking(message: Any) -> list[Any]:
    content = message.get("content") if isinstance(message, dict) else None
    return [block for block in blocks_of(content) if block_type(block) in _THINKING]


def _compare(report: Report, index: int, message: Any, before: Any) -> None:
    kept = _thinking(message)
    if kept and kept != _thinking(before):
        text = "thinking blocks of the latest assistant message differ from those that the model made"
        report.add("thinking_modified", index, text, values={"block": ".content"})


def _prefix(report: Report, messages: Sequence[Any], baseline: Sequence[Any]) -> None:
    changed: int | None = None
    for index, message in enumerate(messages):
        if changed is not None and _thinking(message):
            text = f"thinking that was made before message {changed} changed"
            report.add("thinking_prefix_changed", index, text, partner=changed)
        if changed is None and index < len(baseline) and message != baseline[index]:
            changed = index
