"""The catalogue of invariants in words: for the terminal, and as the page ``docs/invariants.md``."""

from textwrap import fill
from typing import Final

from simlab.invariants import CATALOGUE, ELSEWHERE, Entry, Kind

_WIDTH: Final = 100
_HEAD: Final = """\
# Invariants

Every run is checked against these statements. This page is generated: `simlab invariants --markdown`.

A **safety** invariant holds after every step of a run, and a breach of it never mends. A **liveness** invariant is
judged when the run has come to rest (or was cut at its horizon, where it says so). What a strategy declares as a
departure is no breach; it is counted. A breach names its blame: the core, the strategy, or the mocked model where the
model was made to commit a fault.

Numbers are those of the project's list of invariants; "rule 1" to "rule 5" are the rules for the trajectory. Reports
are public issues, pull requests and files of the named repositories that show the fault in the field.
"""


def catalogue_text() -> str:
    """Return the catalogue for a terminal."""
    blocks = [_block(entry) for entry in CATALOGUE]
    blocks += [f"{each.number:<7}{each.name} [{each.place}]\n{_indented(each.statement)}\n" for each in ELSEWHERE]
    return "\n".join(blocks)


def _block(entry: Entry) -> str:
    reports = f"\n{_indented('Reports: ' + ', '.join(entry.reports))}" if entry.reports else ""
    return f"{entry.number:<7}{entry.name} [{entry.kind}]\n{_indented(entry.statement)}{reports}\n"


def _indented(text: str) -> str:
    return fill(text, width=_WIDTH, initial_indent=" " * 7, subsequent_indent=" " * 7, break_on_hyphens=False)


def catalogue_page() -> str:
    """Return the page ``docs/invariants.md``."""
    parts = [_HEAD]
    for kind, title in ((Kind.SAFETY, "Safety"), (Kind.LIVENESS, "Liveness")):
        parts.append(f"\n## {title}\n")
        parts += [_section(entry) for entry in CATALOGUE if entry.kind is kind]
    parts.append("\n## Checked elsewhere\n")
    parts += [
        f"\n### {each.number}: {each.name}\n\n{_filled(each.statement)}\n\nIn `{each.place}`.\n" for each in ELSEWHERE
    ]
    return "".join(parts)


def _section(entry: Entry) -> str:
    reports = f"\nReports: {', '.join(entry.reports)}.\n" if entry.reports else ""
    return f"\n### {entry.number}: {entry.name}\n\n{_filled(entry.statement)}\n{reports}"


def _filled(text: str) -> str:
    return fill(text, width=120, break_long_words=False, break_on_hyphens=False)
