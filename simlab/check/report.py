"""A verdict for people, for programs and for code scanners (SARIF 2.1.0)."""

from collections.abc import Iterable, Sequence
from typing import Any, Final

from simlab.check.verdict import Verdict
from simlab.dialects.findings import Finding

_LEVELS: Final = {"error": "error", "warning": "warning", "info": "note"}
_SCHEMA: Final = "https://json.schemastore.org/sarif-2.1.0.json"


def as_text(verdict: Verdict) -> str:
    """Tell one verdict in lines: the sentence first, then each finding with the provider's text and the repair."""
    name = verdict.file or "conversation"
    if verdict.conversation:
        name = f"{name} ({verdict.conversation})"
    errors = sum(found.severity == "error" for found in verdict.findings)
    others = len(verdict.findings) - errors
    judged = "well formed" if not errors else f"{errors} error{'s' if errors > 1 else ''}"
    notes = f", {others} note{'s' if others > 1 else ''}" if others else ""
    head = f"{name}: {judged}{notes} for {verdict.target} ({verdict.mode}, {verdict.messages} messages)"
    return "\n".join([printable(head), *(line for found in verdict.findings for line in finding_lines(found))])


def finding_lines(found: Finding) -> list[str]:
    """Tell one finding in a few lines."""
    place = found.path or "conversation"
    partner = f" (see message {found.partner})" if found.partner is not None else ""
    lines = [f"  {found.severity}: {found.rule} at {place}{partner}: {printable(found.message)}"]
    if found.provider_error and found.severity != "info":
        lines.append(f"      provider: {printable(found.provider_error)}")
    lines.append(f"      repair: {printable(found.repair)}")
    return lines


def printable(text: str) -> str:
    """Keep text on one line and free of what a terminal or a strict encoder stumbles over."""
    kept = "".join(char if char.isprintable() else " " for char in text)
    return kept.encode("utf-8", "replace").decode("utf-8")


def finding_object(found: Finding) -> dict[str, Any]:
    """Return a finding as the JSON object of ``--json``."""
    return {
        "rule": found.rule,
        "severity": found.severity,
        "index": found.index,
        "path": found.path,
        "partner": found.partner,
        "message": printable(found.message),
        "provider_error": None if found.provider_error is None else printable(found.provider_error),
        "repair": found.repair,
    }


def as_objects(verdicts: Iterable[Verdict]) -> list[dict[str, Any]]:
    """Return one object a file and target; in files with several conversations each finding names its own."""
    grouped: dict[tuple[str, str], list[Verdict]] = {}
    for verdict in verdicts:
        grouped.setdefault((verdict.file, verdict.target), []).append(verdict)
    return [_object(group) for group in grouped.values()]


def _object(group: Sequence[Verdict]) -> dict[str, Any]:
    first = group[0]
    findings = []
    for number, verdict in enumerate(group):
        name = verdict.conversation if verdict.conversation is not None else str(number)
        extra = {"conversation": printable(name)} if len(group) > 1 else {}
        findings += [{**finding_object(found), **extra} for found in verdict.findings]
    return {
        "file": printable(first.file),
        "format": first.format,
        "target": first.target,
        "mode": first.mode,
        "valid": all(verdict.valid for verdict in group),
        "findings": findings,
    }


def as_sarif(verdicts: Iterable[Verdict], version: str) -> dict[str, Any]:
    """Return a SARIF 2.1.0 log; messages are logical locations, because a saved conversation has no lines."""
    results = []
    rules: dict[str, str] = {}
    for verdict in verdicts:
        for found in verdict.findings:
            rules.setdefault(found.rule, found.repair)
            results.append(_sarif_result(verdict, found))
    driver = {
        "name": "simlab",
        "version": version,
        "rules": [
            {"id": name, "shortDescription": {"text": name.replace("_", " ")}, "help": {"text": text}}
            for name, text in rules.items()
        ],
    }
    return {"$schema": _SCHEMA, "version": "2.1.0", "runs": [{"tool": {"driver": driver}, "results": results}]}


def _sarif_result(verdict: Verdict, found: Finding) -> dict[str, Any]:
    place = found.path or "conversation"
    location = {
        "physicalLocation": {"artifactLocation": {"uri": _uri(verdict.file)}},
        "logicalLocations": [{"fullyQualifiedName": f"{verdict.target}:{place}", "kind": "element"}],
    }
    text = f"{found.message}. {found.repair}"
    return {
        "ruleId": found.rule,
        "level": _LEVELS[found.severity],
        "message": {"text": printable(text)},
        "locations": [location],
        "properties": finding_object(found),
    }


def _uri(file: str) -> str:
    from urllib.parse import quote

    return quote(printable(file).replace("\\", "/"))
