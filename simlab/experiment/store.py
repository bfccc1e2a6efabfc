"""Results on disk: Parquet tables and a manifest that says how they were made.

The same design gives the same bytes, on any number of processes: nothing of the machine, the clock or the number of
workers is written.
"""

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, fields
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from simlab import __version__
from simlab.analysis.metrics import EventRow, RunRow
from simlab.experiment.design import Design
from simlab.experiment.runner import Chunk, Found

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

PARQUET: Mapping[str, Any] = {"compression": "zstd", "compression_level": 3}
PACKAGES = ("simpy", "numpy", "scipy", "pyarrow")


def schema_of(row: type[RunRow] | type[EventRow]) -> "pa.Schema":
    """Return the Arrow schema of a table, column by column in the order of the row's fields."""
    import pyarrow as pa

    types = {
        "str": pa.string(),
        "bool": pa.bool_(),
        "int": pa.int64(),
        "float": pa.float64(),
        "int | None": pa.int64(),
        "float | None": pa.float64(),
    }
    return pa.schema([(field.name, types[_annotation(field.type)]) for field in fields(row)])


def _annotation(kind: Any) -> str:
    return kind if isinstance(kind, str) else getattr(kind, "__name__", str(kind))


class TableWriter:
    """Writes chunks to one Parquet file, a row group each. Use as a context."""

    def __init__(self, path: Path, row: type[RunRow] | type[EventRow]) -> None:
        import pyarrow.parquet as pq

        self._schema = schema_of(row)
        names = [field.name for field in self._schema if str(field.type) == "string"]
        self._writer = pq.ParquetWriter(path, self._schema, use_dictionary=names, **PARQUET)

    def write(self, columns: dict[str, list[Any]]) -> None:
        """Append the rows of a chunk."""
        import pyarrow as pa

        self._writer.write_table(pa.table(columns, schema=self._schema))

    def write_frame(self, frame: "pd.DataFrame") -> None:
        """Append the rows of a frame."""
        import pyarrow as pa

        self._writer.write_table(pa.Table.from_pandas(frame, schema=self._schema, preserve_index=False))

    def close(self) -> None:
        """Finish the file."""
        self._writer.close()

    def __enter__(self) -> "TableWriter":
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()


def write_tables(chunks: Iterable[Chunk], runs: Path, events: Path) -> tuple[list[Found], list[Found]]:
    """Write the two tables as chunks come in; return breaches and failures."""
    breaches: list[Found] = []
    failures: list[Found] = []
    with TableWriter(runs, RunRow) as run_table, TableWriter(events, EventRow) as event_table:
        for chunk in chunks:
            run_table.write(chunk.runs)
            event_table.write(chunk.events)
            breaches += chunk.breaches
            failures += chunk.failures
    return breaches, failures


def manifest(design: Design, command: str, breaches: list[Found], failures: list[Found]) -> dict[str, Any]:
    """Say how results were made: design, code, packages, command, and what went wrong."""
    return {
        "simlab": __version__,
        "packages": {name: version(name) for name in PACKAGES},
        "command": command,
        "design": design.digest,
        "seed": design.seed,
        "replications": design.replications,
        "strategies": list(design.strategies),
        "routers": list(design.routers),
        "scenarios": {world.name: world.digest for world in design.worlds},
        "resample": any(world.spec.resample for world in design.worlds),
        "breaches": [asdict(each) for each in breaches],
        "failures": [asdict(each) for each in failures],
    }


def frame_writer(frame: "pd.DataFrame", table: Literal["runs", "events"]) -> Callable[[Path], None]:
    """Return a function that writes a frame as a Parquet table with the declared columns and types."""

    def write(path: Path) -> None:
        with TableWriter(path, RunRow if table == "runs" else EventRow) as writer:
            writer.write_frame(frame)

    return write


def csv_writer(frame: "pd.DataFrame") -> Callable[[Path], None]:
    """Return a function that writes a frame as CSV, six significant digits."""

    def write(path: Path) -> None:
        frame.to_csv(path, index=False, float_format="%.6g", lineterminator="\n")

    return write


def json_writer(value: Any) -> Callable[[Path], None]:
    """Return a function that writes a value as JSON to a path."""
    return lambda path: (path.write_text(json.dumps(value, indent=2, ensure_ascii=False) + "\n"), None)[1]
