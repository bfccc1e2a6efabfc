"""Short readings of a check's findings."""

from typing import Any

from simlab.dialects.findings import Mode
from simlab.dialects.registry import check


def rules(dialect: str, *messages: Any, mode: Mode = "request", **request: Any) -> list[tuple[str, int | None]]:
    """Return rule and place of every finding, warnings and information included."""
    return [(one.rule, one.index) for one in check(dialect, list(messages), request=request, mode=mode)]


def errors(dialect: str, *messages: Any, mode: Mode = "request", **request: Any) -> list[tuple[str, int | None]]:
    """Return rule and place of every error."""
    found = check(dialect, list(messages), request=request, mode=mode)
    return [(one.rule, one.index) for one in found if one.severity == "error"]
