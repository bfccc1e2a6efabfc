"""Results read back: tidy tables of a folder that ``simlab sweep`` or ``simlab compare --out`` wrote."""

from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

from simlab.core.errors import SimlabError
from simlab.experiment.parts import TABLES
from simlab.experiment.sweeping import MANIFEST, read_manifest

if TYPE_CHECKING:
    import pandas as pd

TableName = Literal["runs", "events"]


def load(folder: str | Path, table: TableName = "runs", *, partial: bool = False) -> "pd.DataFrame":
    """Return a table of results: one row a run, or one row an event.

    Columns and units: docs/results.md. ``frame.attrs["units"]`` has the unit of each column. Columns named after
    parameters hold the levels of a sweep. ``partial``: also from a sweep that is not complete.

    Raises SimlabError: no such folder, no results in it, or results that are not complete.
    """
    import pandas as pd

    from simlab.experiment.columns import units_of

    if table not in get_args(TableName):
        raise SimlabError(f"load: no table {table!r}; known: {', '.join(TABLES)}")
    files = result_files(Path(folder), table, partial=partial)
    frame = pd.concat([pd.read_parquet(file, engine="pyarrow") for file in files], ignore_index=True)
    frame.attrs["units"] = units_of(frame.columns)
    return frame


def result_files(folder: Path, table: str, *, partial: bool = False) -> list[Path]:
    """Return the files of a table, in order. Raises SimlabError."""
    told = read_manifest(folder)
    if told is None:
        raise SimlabError(f"{folder}: holds no results (no {MANIFEST} there)")
    whole = folder / f"{table}.parquet"
    if whole.is_file():
        return [whole]
    if not told.get("complete") and not partial:
        raise SimlabError(
            f"{folder}: the sweep is not complete; start it again with the same command (or load(..., partial=True))"
        )
    files = _parts(folder, table, told)
    if not files:
        raise SimlabError(f"{folder}: holds no chunk of the table of {table} yet")
    return files


def _parts(folder: Path, table: str, told: dict[str, Any]) -> list[Path]:
    chunks = told.get("chunks")
    if chunks is None:
        return sorted((folder / table).glob("*.parquet"))
    files = [folder / table / f"{chunk}.parquet" for chunk in chunks]
    missing = next((file for file in files if not file.is_file()), None)
    if missing is not None:
        raise SimlabError(f"{missing}: missing; start the sweep again with the same command")
    return files


def query(folder: Path, sql: str, *, partial: bool = False) -> "tuple[list[str], list[tuple[Any, ...]]]":
    """Ask a folder of results in SQL, with the tables ``runs`` and ``events``; return names of columns, and rows.

    Raises SimlabError: DuckDB is not installed, no results, or SQL that DuckDB does not accept.
    """
    try:
        import duckdb
    except ImportError:
        raise SimlabError("simlab query: DuckDB is not installed; pip install 'simlab[duckdb]'") from None
    with duckdb.connect() as connection:
        for table in TABLES:
            files = [str(file) for file in result_files(folder, table, partial=partial)]
            connection.from_parquet(files).create_view(table)
        try:
            answer = connection.sql(sql)
        except duckdb.Error as error:
            raise SimlabError(f"simlab query: {str(error).partition(chr(10))[0]}") from None
        if answer is None:
            raise SimlabError("simlab query: a SELECT is expected")
        return list(answer.columns), answer.fetchall()
