"""For tests: assert that a conversation is well formed for one or more targets."""

from collections.abc import Mapping, Sequence
from typing import Any

from simlab.check.report import as_text
from simlab.check.verdict import Verdict
from simlab.dialects.findings import Mode
from simlab.dialects.registry import check


def assert_well_formed(
    messages: Sequence[Any],
    *,
    target: str | Sequence[str] = "openai_chat",
    mode: Mode = "request",
    request: Mapping[str, Any] | None = None,
) -> None:
    """Fail with the report of ``simlab check`` unless every target accepts the messages, each in its own format.

    Raises ``AssertionError`` with the findings, ``SimlabError`` for an unknown target or mode.
    """
    targets = [target] if isinstance(target, str) else list(target)
    reports = []
    for name in targets:
        findings = check(name, messages, request=request, mode=mode)
        count = len(messages) if isinstance(messages, (list, tuple)) else 0
        verdict = Verdict(file="", format="", target=name, mode=mode, findings=findings, messages=count)
        if not verdict.valid:
            reports.append(as_text(verdict))
    if reports:
        raise AssertionError("\n".join(reports))
