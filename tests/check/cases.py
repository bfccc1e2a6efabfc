"""The small conversations with a known verdict, and how a verdict is compared with theirs."""

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from simlab.check.cases import read_case
from simlab.check.conversation import Conversation
from simlab.dialects.findings import Finding

FOLDER = Path(__file__).parent.parent / "cases"
PATHS = sorted(FOLDER.glob("*.json"))


@dataclass(frozen=True, kw_only=True)
class Case:
    """One file; ``expect`` and ``strict`` are the provider's verdict and ours."""

    name: str
    kind: str
    conversation: Conversation
    expect: dict[str, Any]
    strict: dict[str, Any]
    accepted: set[str] = field(default_factory=set)


def load(path: Path) -> Case:
    value = json.loads(path.read_text(encoding="utf-8"))
    return Case(
        name=value["id"],
        kind=value["kind"],
        conversation=read_case(value),
        expect=value["expect"],
        strict=value["expect_strict"],
        accepted=set(value["expect"].get("also_accept", [])),
    )


CASES = [load(path) for path in PATHS]


def differences(findings: list[Finding], expect: dict[str, Any], accepted: set[str]) -> list[str]:
    """Say in what the findings differ from the verdict of a case."""
    errors = [found for found in findings if found.severity == "error"]
    reported = {found.rule for found in findings}
    rules = set(expect["rules"])
    places = {found.index for found in errors if found.rule in rules and found.index is not None}
    wrong = {
        "valid": bool(errors) == expect["valid"],
        "missing": rules - {found.rule for found in errors},
        "extra": {found.rule for found in errors} - rules - accepted,
        "at": places ^ set(expect["at"]),
        "warnings": set(expect.get("warnings", [])) - reported,
    }
    return [f"{what}: {value}" for what, value in wrong.items() if value]
