"""Plain text on a terminal: columns that line up."""

from collections.abc import Sequence


def columns(rows: Sequence[Sequence[str]], *, indent: str = "  ", right: frozenset[int] = frozenset()) -> str:
    """Line up rows; the columns in ``right`` to the right, the last one ragged."""
    widths = [max(len(row[place]) for row in rows) for place in range(len(rows[0]))]
    return "\n".join(indent + _line(row, widths, right).rstrip() for row in rows)


def _line(row: Sequence[str], widths: Sequence[int], right: frozenset[int]) -> str:
    cells = [
        cell.rjust(width) if place in right else cell.ljust(width)
        for place, (cell, width) in enumerate(zip(row, widths, strict=True))
    ]
    return "  ".join(cells)


def at(value_ms: int | None, missing: str = "-") -> str:
    """Write a time in milliseconds."""
    return missing if value_ms is None else f"{value_ms:,}"
