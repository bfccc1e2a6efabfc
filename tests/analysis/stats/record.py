"""Where nightly proofs leave their figures."""

import csv
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

FOLDER = Path(__file__).parents[3] / "results" / "coverage"


def record(name: str, rows: Sequence["DataclassInstance"]) -> None:
    """Write one line a row to ``results/coverage/NAME.csv``, numbers cut to four digits."""
    lines = [{key: _cut(value) for key, value in asdict(row).items()} for row in rows]
    FOLDER.mkdir(parents=True, exist_ok=True)
    with (FOLDER / f"{name}.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, fieldnames=list(lines[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(lines)


def _cut(value: object) -> object:
    return f"{value:.4g}" if isinstance(value, float) else value
