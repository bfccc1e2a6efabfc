"""The parts of a folder of results: for each chunk two Parquet files and a receipt with their checksums.

A chunk is done when its receipt is there and its files have the checksums that it names. Everything is written beside
and renamed, receipts last, so a process that is killed at any instant leaves whole parts or none. Nothing of the
machine, the clock or the number of processes is written.
"""

import io
import json
from dataclasses import asdict, dataclass, fields
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from simlab.analysis.metrics import EventRow, RunRow
from simlab.experiment.output import UNFINISHED, unwritable, write_whole
from simlab.experiment.runner import Chunk, Columns, Found, run_replications
from simlab.experiment.store import PARQUET, schema_of
from simlab.experiment.sweep import Key, Sweep, design_at

if TYPE_CHECKING:
    import pyarrow as pa

TABLES = ("runs", "events")
RECEIPTS = "receipts"


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One chunk, ready to be written: the bytes of its tables, and what its receipt says."""

    key: Key
    runs: bytes
    events: bytes
    receipt: "Receipt"


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """What was made: rows and checksums of the two tables, and what went wrong."""

    rows: tuple[int, int]
    sha256: tuple[str, str]
    breaches: tuple[Found, ...]
    failures: tuple[Found, ...]


# --- making -----------------------------------------------------------------------------------------------------------


def make_part(sweep: Sweep, digest: str, key: Key) -> Part:
    """Make every run of a chunk, and encode it. ``digest`` is that of the sweep, which this process knows."""
    subject, point = sweep.at(key.place)
    chunk = run_replications(design_at(digest, key.place), sweep.replications_of(key), number=key.number)
    tables = [_encode(sweep, row, columns, subject.name, point) for row, columns in _tables(chunk)]
    return Part(
        key=key,
        runs=tables[0],
        events=tables[1],
        receipt=Receipt(
            rows=(len(chunk.runs["scenario"]), len(chunk.events["scenario"])),
            sha256=(sha256(tables[0]).hexdigest(), sha256(tables[1]).hexdigest()),
            breaches=tuple(chunk.breaches),
            failures=tuple(chunk.failures),
        ),
    )


def _tables(chunk: Chunk) -> "list[tuple[type[RunRow] | type[EventRow], Columns]]":
    return [(RunRow, chunk.runs), (EventRow, chunk.events)]


def part_schema(sweep: Sweep, row: type[RunRow] | type[EventRow]) -> "pa.Schema":
    """Return the schema of a table: the scenario, a column for each parameter, then the columns of the row."""
    import pyarrow as pa

    plain = list(schema_of(row))
    return pa.schema([plain[0], *(pa.field(name, pa.float64()) for name in sweep.parameters), *plain[1:]])


def _encode(sweep: Sweep, row: type[RunRow] | type[EventRow], columns: Columns, scenario: str, point: "Any") -> bytes:
    import pyarrow as pa
    import pyarrow.parquet as pq

    count = len(columns["scenario"])
    levels = {name: [point.get(name)] * count for name in sweep.parameters}
    schema = part_schema(sweep, row)
    table = pa.table({**columns, "scenario": [scenario] * count, **levels}, schema=schema)
    names = [field.name for field in schema if pa.types.is_string(field.type)]
    sink = io.BytesIO()
    pq.write_table(table, sink, use_dictionary=names, **PARQUET)
    return sink.getvalue()


# --- on disk ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class PartFolder:
    """Where the parts of one folder of results lie."""

    folder: Path

    def table(self, name: str, key: Key) -> Path:
        """Return the path of a chunk's table."""
        return self.folder / name / f"{key}.parquet"

    def receipt(self, key: Key) -> Path:
        """Return the path of a chunk's receipt."""
        return self.folder / RECEIPTS / f"{key}.json"

    def prepare(self) -> None:
        """Make the folders, and sweep up what a killed process had not finished. Raises StorageError."""
        try:
            for name in (*TABLES, RECEIPTS):
                place = self.folder / name
                place.mkdir(parents=True, exist_ok=True)
                for left in place.glob(f"*{UNFINISHED}*"):
                    left.unlink(missing_ok=True)
        except OSError as error:
            raise unwritable(self.folder, error) from None

    def write(self, part: Part) -> None:
        """Put a chunk in its place: tables first, the receipt last. Raises StorageError; then nothing of it counts."""
        for name, content in zip(TABLES, (part.runs, part.events), strict=True):
            write_whole(self.table(name, part.key), content)
        write_whole(self.receipt(part.key), receipt_bytes(part.receipt))

    def read(self, key: Key) -> Receipt | None:
        """Return the receipt of a chunk that is done: its files are there and are what they were."""
        try:
            receipt = receipt_from(self.receipt(key).read_bytes())
            found = [sha256(self.table(name, key).read_bytes()).hexdigest() for name in TABLES]
        except (OSError, ValueError, KeyError, TypeError):
            return None
        return receipt if tuple(found) == receipt.sha256 else None


def receipt_bytes(receipt: Receipt) -> bytes:
    """Write a receipt as text."""
    return (json.dumps(asdict(receipt), indent=1, ensure_ascii=False) + "\n").encode()


def receipt_from(content: bytes) -> Receipt:
    """Read a receipt. Raises ValueError, KeyError or TypeError for what is none."""
    told = json.loads(content)
    return Receipt(
        rows=tuple(told["rows"]),
        sha256=tuple(told["sha256"]),
        breaches=tuple(_found(each) for each in told["breaches"]),
        failures=tuple(_found(each) for each in told["failures"]),
    )


def _found(told: dict[str, Any]) -> Found:
    return Found(**{field.name: told[field.name] for field in fields(Found)})
