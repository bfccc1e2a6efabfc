"""All dialects by name, and the one function that checks a conversation for one of them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final, TypeAlias

from simlab.core.errors import SimlabError
from simlab.dialects import (
    anthropic,
    bedrock,
    compatible,
    gemini,
    mistral,
    openai_chat,
    openai_responses,
)
from simlab.dialects.findings import Finding, Mode
from simlab.dialects.rules import Rule, kind_of

Check: TypeAlias = Callable[[Sequence[Any], Mapping[str, Any], Mode], list[Finding]]

_CHECKS: Final[Mapping[str, Check]] = {
    "openai_chat": openai_chat.check,
    "openai_responses": openai_responses.check,
    "anthropic": anthropic.check,
    "gemini": gemini.check,
    "bedrock": bedrock.check,
    "mistral": mistral.check,
    "compatible": compatible.check,
}
RULES: Final[Mapping[str, Mapping[str, Rule]]] = {
    "openai_chat": openai_chat.RULES,
    "openai_responses": openai_responses.RULES,
    "anthropic": anthropic.RULES,
    "gemini": gemini.RULES,
    "bedrock": bedrock.RULES,
    "mistral": mistral.RULES,
    "compatible": compatible.RULES,
}
"""The catalogue: dialect, rule, texts."""

DIALECTS: Final = tuple(_CHECKS)
MODES: Final[tuple[Mode, ...]] = ("recording", "request", "strict")

_STRICT_ONLY: Final = frozenset({"reused_call_id", "duplicate_call_id"})
"""Ids are unique over the whole record in strict mode, whatever the provider allows."""


def check(
    dialect: str,
    messages: Sequence[Any],
    *,
    request: Mapping[str, Any] | None = None,
    mode: Mode = "request",
) -> list[Finding]:
    """Return what the dialect has against the messages, in their order.

    ``request`` holds flags or the whole body (they change verdicts); its ``mode`` may say that the messages are a
    ``recording``. Any JSON value is judged, none raises. Raises ``SimlabError`` for an unknown dialect or mode.
    """
    _known("dialect", dialect, DIALECTS)
    _known("mode", mode, MODES)
    flags = request if isinstance(request, Mapping) else {}
    if mode == "request" and flags.get("mode") == "recording":
        mode = "recording"
    if not isinstance(messages, (list, tuple)):
        return [_no_list(dialect, messages)]
    found = _CHECKS[dialect](messages, flags, mode)
    return _strict_ids(found) if mode == "strict" else found


def _known(what: str, name: object, names: Sequence[str]) -> None:
    if not isinstance(name, str) or name not in names:
        raise SimlabError(f"no {what} {name!r}; known: {', '.join(names)}")


def _no_list(dialect: str, messages: object) -> Finding:
    rule = RULES[dialect]["malformed_message"]
    return Finding(
        rule="malformed_message",
        severity="error",
        index=None,
        path=None,
        partner=None,
        message=f"the conversation is {kind_of(messages)}, not an array of messages",
        provider_error=None,
        repair=rule.repair,
    )


def _strict_ids(found: list[Finding]) -> list[Finding]:
    """Make repeated ids errors, except where the same call is refused already: one defect is one error."""
    refused = {(one.index, one.path) for one in found if one.severity == "error" and one.rule not in _STRICT_ONLY}
    return [
        replace(one, severity="error") if one.rule in _STRICT_ONLY and (one.index, one.path) not in refused else one
        for one in found
    ]
