"""The one place where the storm asks whether a provider would accept what it was sent."""

from collections.abc import Sequence
from dataclasses import dataclass

from simlab.dialects.registry import check
from simlab.testing.contract import Message


@dataclass(frozen=True, slots=True)
class Malformed:
    """One breach of the provider's rules: in which request, at which message (-1: no single one), which rule, why."""

    request: int
    message: int
    rule: str
    why: str


def judge_messages(requests: Sequence[Sequence[Message]]) -> list[Malformed]:
    """Return why the OpenAI Chat Completions API would refuse these requests; what it merely dislikes is left out."""
    return [
        Malformed(number, -1 if finding.index is None else finding.index, finding.rule, finding.message)
        for number, messages in enumerate(requests)
        for finding in check("openai_chat", messages, mode="request")
        if finding.severity == "error"
    ]
