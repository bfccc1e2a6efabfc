"""Statements that are true of every trace: small generators, with evidence for a breach."""

from simlab.core.record import RunRecord
from simlab.invariants.breach import Blame, Breach
from simlab.invariants.catalogue import CATALOGUE, ELSEWHERE, Elsewhere, Entry, Invariant, Kind
from simlab.invariants.digest import Digest

_ALL = tuple(entry.check for entry in CATALOGUE)
_SAFETY = tuple(entry.check for entry in CATALOGUE if entry.kind is Kind.SAFETY)


def check(record: RunRecord) -> list[Breach]:
    """Check a run against the whole catalogue and return every breach, in the catalogue's order."""
    digest = Digest(record)
    return [breach for invariant in _ALL for breach in invariant(digest)]


def check_safety(digest: Digest) -> list[Breach]:
    """Check what a digest has read so far against what must hold after every step of a run."""
    return [breach for invariant in _SAFETY for breach in invariant(digest)]


__all__ = [
    "CATALOGUE",
    "ELSEWHERE",
    "Blame",
    "Breach",
    "Digest",
    "Elsewhere",
    "Entry",
    "Invariant",
    "Kind",
    "check",
    "check_safety",
]
