"""Complaints about a scenario file: lines that begin with a key path and say what would have been right."""

from collections.abc import Iterable, Iterator

Complaints = Iterator[str]


def names_of(names: Iterable[str]) -> str:
    """List what is known, for the end of a complaint."""
    return ", ".join(names) or "none"


def repeated(names: Iterable[str], section: str, key: str) -> Complaints:
    """Complain of names that occur twice in a list of tables."""
    seen: set[str] = set()
    for index, name in enumerate(names):
        if name in seen:
            yield f"{section}[{index}].{key}: {name!r} is taken; each must be unique"
        seen.add(name)
