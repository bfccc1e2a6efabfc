"""A verdict for people, for programs and for code scanners (SARIF 2.1.0)."""

from collections.abc import Iterable, Iterator, Sequence
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
    lines = (line for found in verdict.findings for line in finding_lines(found, verdict.places))
    return "\n".join([printable(head), *lines])


def texts(verdicts: Iterable[Verdict]) -> Iterator[str]:
    """Tell many verdicts: of a file with several conversations those with findings, and a count at its end."""
    counts: dict[tuple[str, str], list[int]] = {}
    clean: dict[tuple[str, str], Verdict] = {}
    file: str | None = None
    for verdict in verdicts:
        if file is not None and verdict.file != file:
            yield from _summaries(counts, clean)
        file = verdict.file
        count = counts.setdefault((verdict.file, verdict.target), [0, 0])
        count[0] += 1
        count[1] += not verdict.valid
        if verdict.findings:
            yield as_text(verdict)
        elif count[0] == 1:
            clean[verdict.file, verdict.target] = verdict
    yield from _summaries(counts, clean)


def _summaries(counts: dict[tuple[str, str], list[int]], clean: dict[tuple[str, str], Verdict]) -> Iterator[str]:
    for (file, target), (total, broken) in counts.items():
        if total > 1:
            yield printable(f"{file}: {total} conversations for {target}, {broken} with errors")
        elif (file, target) in clean:
            yield as_text(clean[file, target])
    counts.clear()
    clean.clear()


def finding_lines(found: Finding, places: Sequence[str] = ()) -> list[str]:
    """Tell one finding in a few lines; ``places`` says where each message stands in its file."""
    place = found.path or "conversation"
    if found.index is not None and found.index < len(places):
        place = f"{place} ({printable(places[found.index])})"
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
    gathered: dict[tuple[str, str], _Gathered] = {}
    for verdict in verdicts:
        gathered.setdefault((verdict.file, verdict.target), _Gathered()).add(verdict)
    return [one.finished() for one in gathered.values()]


class _Gathered:
    """One file's verdicts for one target; of a conversation without findings nothing is kept."""

    __slots__ = ("conversations", "names", "value")

    def __init__(self) -> None:
        self.value: dict[str, Any] = {}
        self.names: list[str] = []
        self.conversations = 0

    def add(self, verdict: Verdict) -> None:
        """Take the findings of the next conversation."""
        if not self.value:
            self.value = {
                "file": printable(verdict.file),
                "format": verdict.format,
                "target": verdict.target,
                "mode": verdict.mode,
                "valid": True,
                "findings": [],
            }
        self.value["valid"] = self.value["valid"] and verdict.valid
        name = verdict.conversation if verdict.conversation is not None else str(self.conversations)
        self.value["findings"] += [finding_object(found) for found in verdict.findings]
        self.names += [printable(name)] * len(verdict.findings)
        self.conversations += 1

    def finished(self) -> dict[str, Any]:
        """Return the object of ``--json``."""
        if self.conversations > 1:
            for found, name in zip(self.value["findings"], self.names, strict=True):
                found["conversation"] = name
        return self.value


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
