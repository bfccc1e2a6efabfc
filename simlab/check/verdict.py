"""Judge one conversation for one target: the dialect's rules, and in strict mode the ground truth too."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from simlab.check.conversation import Conversation
from simlab.check.convert import convert
from simlab.check.shapes import SHAPES
from simlab.check.truth import check_truth
from simlab.check.truth_messages import is_responses, snapshot
from simlab.core.errors import SimlabError
from simlab.dialects import anthropic_baseline, openai_responses
from simlab.dialects.findings import Finding, Mode
from simlab.dialects.registry import DIALECTS, check

_FLAGS = (
    "thinking", "thinking_conflict", "prefill_supported", "mid_system_supported", "preserved_thinking", "model_family",
    "tokenizer_version", "mode",
)  # fmt: skip
_ABOUT_THE_SOURCE = frozenset({"malformed_message", "unknown_role"})


@dataclass(frozen=True, kw_only=True, slots=True)
class Verdict:
    """What one target has against one conversation of one file.

    ``places`` says where each message stands in the file (``line 12``), where a reader knows.
    """

    file: str
    format: str
    target: str
    mode: Mode
    findings: list[Finding]
    conversation: str | None = None
    messages: int = 0
    places: Sequence[str] = ()

    @property
    def valid(self) -> bool:
        """No finding is an error; warnings and information never make a conversation invalid."""
        return all(found.severity != "error" for found in self.findings)


def judge(conversation: Conversation, *, target: str | None = None, mode: Mode = "request", file: str = "") -> Verdict:
    """Check a conversation for ``target`` (its own dialect by default); indexes are always those of its messages."""
    own = conversation.dialect
    if own not in DIALECTS:
        raise SimlabError(f"{file or 'conversation'}: no dialect {own!r}; known: {', '.join(DIALECTS)}")
    aim = target or own
    findings = list(conversation.notes) + _for_target(conversation, aim, mode)
    if aim == own:
        findings += _with_baseline(conversation, mode)
    if mode == "strict":
        findings += check_truth(conversation)
    return Verdict(
        file=file,
        format=conversation.format,
        target=aim,
        mode=mode,
        findings=sorted(findings, key=lambda found: -1 if found.index is None else found.index),
        conversation=conversation.id,
        messages=len(conversation.messages),
        places=getattr(conversation, "places", ()),
    )


def _for_target(conversation: Conversation, target: str, mode: Mode) -> list[Finding]:
    own, messages = conversation.dialect, conversation.messages
    request = flags_for(conversation, target)
    if target == own:
        return check(own, messages, request=request, mode=mode)
    written = convert(messages, own, target)
    found = [_at_origin(one, written.origins) for one in check(target, written.messages, request=request, mode=mode)]
    if written.messages == messages:
        return found
    source = check(own, messages, request=request, mode=mode)
    return found + [one for one in source if one.rule in _ABOUT_THE_SOURCE]


def flags_for(conversation: Conversation, target: str) -> dict[str, Any]:
    """Return what of the request counts for a target: in another shape only flags, not the fields of a body."""
    if SHAPES[target] == SHAPES[conversation.dialect]:
        return conversation.request
    return {name: value for name, value in conversation.request.items() if name in _FLAGS}


def _at_origin(found: Finding, origins: Sequence[int]) -> Finding:
    """Point a finding about a rewritten message at the message it stems from."""
    index, partner = _origin(found.index, origins), _origin(found.partner, origins)
    if index == found.index and partner == found.partner:
        return found
    path = None if index is None else f"messages[{index}]"
    return replace(found, index=index, partner=partner, path=path)


def _origin(index: int | None, origins: Sequence[int]) -> int | None:
    return origins[index] if index is not None and index < len(origins) else index


def _with_baseline(conversation: Conversation, mode: Mode) -> list[Finding]:
    """Judge what only an earlier record can show: reasoning left behind, thinking changed."""
    before = snapshot(conversation.baseline)
    if before is None:
        return []
    if conversation.dialect == "openai_responses" and is_responses(before):
        return openai_responses.check_replayed(conversation.messages, before, mode)
    if conversation.dialect == "anthropic":
        return anthropic_baseline.check(conversation.messages, before, conversation.request, mode)
    return []
