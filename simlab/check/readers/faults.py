"""What could not be read, as findings, counted in flat memory."""

from dataclasses import dataclass, field

from simlab.check.readers.source import Record
from simlab.dialects.findings import Finding, Severity


def note(rule: str, severity: Severity, message: str, repair: str, index: int | None = None) -> Finding:
    """Make a finding about the file itself, to which no provider objects."""
    return Finding(
        rule=rule,
        severity=severity,
        index=index,
        path=None,
        partner=None,
        message=message,
        provider_error=None,
        repair=repair,
    )


@dataclass(slots=True)
class Faults:
    """What could not be read since the last conversation, counted so that memory stays flat."""

    counts: dict[str, int] = field(default_factory=dict)
    first: dict[str, int] = field(default_factory=dict)
    tail: int | None = None

    def usable(self, record: Record) -> bool:
        """Count the record's fault, if any, and say whether it holds a value."""
        self.tail = record.line if record.fault == "unreadable" else None
        if record.fault is not None:
            self.add(record.fault, record.line)
        return record.usable

    def add(self, kind: str, line: int) -> None:
        """Count one fault of a kind at a line."""
        self.counts[kind] = self.counts.get(kind, 0) + 1
        self.first.setdefault(kind, line)

    def notes(self, *, end: bool) -> list[Finding]:
        """Return the findings so far and forget them; at the ``end`` an unreadable last line is a cut-off one."""
        found = []
        if end and self.tail is not None:
            found.append(_truncated(self.tail))
            self.counts["unreadable"] -= 1
        found += [fault_note(kind, count, self.first[kind]) for kind, count in self.counts.items() if count]
        self.counts.clear()
        self.first.clear()
        return found


_FAULT_TEXTS: dict[str, tuple[str, str, str]] = {
    "unreadable": ("unreadable_line", "is not JSON", "Restore or remove the line; what it held is missing here."),
    "too_deep": ("unreadable_line", "is nested too deeply to read", "Remove the line or flatten what it holds."),
    "invalid_utf8": ("invalid_utf8", "holds bytes that are not UTF-8, shown as U+FFFD", "Write the file as UTF-8."),
    "skipped": (
        "skipped_line",
        "holds no conversation of this format",
        "Remove the line, or read it by its own format.",
    ),
}


def fault_note(kind: str, count: int, line: int) -> Finding:
    """Say that ``count`` lines from ``line`` on have one kind of fault."""
    rule, text, repair = _FAULT_TEXTS[kind]
    more = f" (and {count - 1} more)" if count > 1 else ""
    return note(rule, "warning", f"line {line}{more} {text}", repair)


def _truncated(line: int) -> Finding:
    text = f"line {line}, the last, is cut off; the program that wrote it was probably killed"
    return note("truncated_tail", "info", text, "Remove the half line; what it held is lost.")
