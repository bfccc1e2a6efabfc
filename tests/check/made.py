"""Conversations made for a test."""

from typing import Any

from simlab.check.conversation import Conversation
from simlab.dialects.findings import Finding


def conversation(
    dialect: str,
    messages: list[Any],
    *,
    request: dict[str, Any] | None = None,
    events: list[Any] | None = None,
    baseline: list[Any] | None = None,
    notes: list[str] | None = None,
) -> Conversation:
    """Make a conversation; ``notes`` are rules that its reader noted."""
    return Conversation(
        format="case",
        dialect=dialect,
        messages=messages,
        request=request or {},
        events=events or [],
        baseline=baseline,
        notes=[note(rule) for rule in notes or []],
        id=None,
    )


def note(rule: str) -> Finding:
    return Finding(
        rule=rule,
        severity="info",
        index=None,
        path=None,
        partner=None,
        message="noted",
        provider_error=None,
        repair="none",
    )
