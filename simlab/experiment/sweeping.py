"""Making a sweep in a folder: what is there stays, what is missing is made, and the manifest says what is whole.

The folder holds ``runs/``, ``events/`` and ``receipts/`` (see ``parts``), a copy of the sweep file and of its scenario
files, and ``manifest.json``. Killed at any instant and started again, a sweep ends with the same bytes.
"""

import json
import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from simlab import __version__
from simlab.core.errors import SimlabError
from simlab.experiment.backends import Backend, open_backend
from simlab.experiment.lock import LOCK, hold
from simlab.experiment.output import StorageError, write_whole
from simlab.experiment.parts import RECEIPTS, TABLES, PartFolder, Receipt
from simlab.experiment.runner import Found
from simlab.experiment.schedule import Fixed, Schedule, UntilPrecise
from simlab.experiment.store import PACKAGES
from simlab.experiment.sweep import DESIGN_COPY, SCENARIO_COPIES, Key, Sweep, copy_name, describe

if TYPE_CHECKING:
    import pandas as pd

MANIFEST = "manifest.json"
_OWN = frozenset({LOCK, DESIGN_COPY, SCENARIO_COPIES, RECEIPTS, *TABLES})


@dataclass(frozen=True, slots=True, kw_only=True)
class Shard:
    """Every ``count``-th chunk, from the ``number``-th on (counted from 1)."""

    number: int
    count: int

    def has(self, index: int) -> bool:
        """Whether the chunk at that place in the order is one of its own."""
        return index % self.count == self.number - 1


WHOLE = Shard(number=1, count=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Made:
    """What one call made: chunks found and made, whether the folder is whole now, and what went wrong in any of it."""

    found: int
    made: int
    complete: bool
    runs: int
    breaches: tuple[Found, ...]
    failures: tuple[Found, ...]


def parse_shard(text: str) -> Shard:
    """Read ``k/N``. Raises SimlabError."""
    number, _, count = text.partition("/")
    if not (number.isdigit() and count.isdigit() and 1 <= int(number) <= int(count)):
        raise SimlabError(f"--shard {text!r}: k/N is expected, with k from 1 to N")
    return Shard(number=int(number), count=int(count))


def run_sweep(
    sweep: Sweep,
    design: Path,
    folder: Path,
    *,
    backend: str = "processes",
    jobs: int = 1,
    scheduler: str | None = None,
    shard: Shard = WHOLE,
    progress: Callable[[int], None] | None = None,
) -> Made:
    """Make what the folder lacks. ``design`` is the sweep's file, ``progress`` hears of finished runs.

    Raises SimlabError: the folder holds another sweep, is in use, or cannot be written.
    """
    if sweep.stop is not None and shard.count > 1:
        raise SimlabError("--shard: a sweep that stops by precision looks at all its chunks; give it `replications`")
    with ExitStack() as stack:
        _make_folder(folder)
        stack.enter_context(hold(folder, shared=shard.count > 1))
        _claim(sweep, design, folder)
        if shard.count > 1:
            stack.enter_context(hold(folder, name=f"{LOCK}-{shard.number}-of-{shard.count}"))
        parts = PartFolder(folder)
        parts.prepare()
        cluster = stack.enter_context(open_backend(backend, sweep, jobs=jobs, scheduler=scheduler))
        schedule = _schedule(sweep, parts, shard, cluster.slots)
        found = _find(parts, schedule, sweep, shard, progress)
        made = work_off(cluster, schedule, parts, progress)
        return _finish(sweep, parts, schedule, found=found, made=made)


def work_off(
    backend: Backend, schedule: Schedule, parts: PartFolder, progress: Callable[[int], None] | None = None
) -> int:
    """Keep the back end busy until nothing is left to do; return how many chunks were made."""
    flying = made = 0
    while True:
        while flying < backend.slots and (key := schedule.next()) is not None:
            backend.submit(key)
            flying += 1
        if not flying:
            return made
        part = backend.take()
        flying -= 1
        made += 1
        parts.write(part)
        schedule.done(part.key)
        if progress is not None:
            progress(part.receipt.rows[0] + len(part.receipt.failures))


def _schedule(sweep: Sweep, parts: PartFolder, shard: Shard, slots: int) -> Schedule:
    if sweep.stop is None:
        return Fixed([key for index, key in enumerate(sweep.chunks()) if shard.has(index)])
    return UntilPrecise(sweep, sweep.stop, lambda key: read_tables(parts, key), ahead=slots)


def read_tables(parts: PartFolder, key: Key) -> "tuple[pd.DataFrame, pd.DataFrame]":
    """Read the two tables of one chunk."""
    import pandas as pd

    runs, events = (pd.read_parquet(parts.table(name, key), engine="pyarrow") for name in TABLES)
    return runs, events


def _find(
    parts: PartFolder, schedule: Schedule, sweep: Sweep, shard: Shard, progress: Callable[[int], None] | None
) -> int:
    """Tell the schedule what is done already; a chunk whose files are not what they were is not."""
    found = 0
    for index, key in enumerate(sweep.chunks()):
        if not shard.has(index) or not parts.receipt(key).exists():
            continue
        receipt = parts.read(key)
        if receipt is None:
            parts.receipt(key).unlink(missing_ok=True)
            continue
        found += 1
        schedule.done(key)
        if progress is not None:
            progress(receipt.rows[0] + len(receipt.failures))
    return found


# --- the folder -------------------------------------------------------------------------------------------------------


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StorageError(f"{folder}: cannot be written: {error.strerror}") from None


def read_manifest(folder: Path) -> dict[str, Any] | None:
    """Return the manifest of a folder of results; None if there is none. Raises SimlabError if it cannot be read."""
    path = folder / MANIFEST
    try:
        content: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        raise SimlabError(f"{path}: cannot be read: {error}") from None
    return content


def _claim(sweep: Sweep, design: Path, folder: Path) -> None:
    """Make the folder this sweep's, or refuse if it holds something else."""
    told = read_manifest(folder)
    if told is not None:
        if told.get("design") != sweep.digest:
            raise SimlabError(
                f"{folder}: holds the results of another design ({told.get('design')}, and this is {sweep.digest}); "
                "write to another folder"
            )
        if told.get("made_with") != made_with():
            raise SimlabError(
                f"{folder}: was begun with {_versions(told.get('made_with'))}, and this is {_versions(made_with())}; "
                "write to another folder, or see `simlab rerun`"
            )
        return
    foreign = sorted({path.name for path in folder.iterdir()} - _OWN)
    if foreign:
        raise SimlabError(f"{folder}: holds other files ({foreign[0]}); write to an empty folder")
    copies = folder / SCENARIO_COPIES
    try:
        copies.mkdir(exist_ok=True)
        for number, subject in enumerate(sweep.subjects):
            shutil.copyfile(subject.scenario.path, copies / copy_name(number))
        shutil.copyfile(design, folder / DESIGN_COPY)
    except OSError as error:
        raise StorageError(f"{folder}: cannot be written: {error.strerror}") from None
    _write_manifest(folder, manifest(sweep, complete=False))


def _versions(told: Any) -> str:
    return (
        ", ".join(f"{name} {number}" for name, number in told.items()) if isinstance(told, dict) else "something else"
    )


def made_with() -> dict[str, str]:
    """Return the versions of what decides the bytes."""
    return {"simlab": __version__, **{name: version(name) for name in PACKAGES}}


def manifest(sweep: Sweep, *, complete: bool) -> dict[str, Any]:
    """Say how results are made, and whether they are whole."""
    return {"complete": complete, "made_with": made_with(), "design": sweep.digest, **describe(sweep)}


def _write_manifest(folder: Path, content: dict[str, Any]) -> None:
    write_whole(folder / MANIFEST, (json.dumps(content, indent=1, ensure_ascii=False) + "\n").encode())


def _finish(sweep: Sweep, parts: PartFolder, schedule: Schedule, *, found: int, made: int) -> Made:
    """Look whether every chunk is there (other shards may be at work), and if so say so in the manifest."""
    wanted = list(schedule.wanted() if sweep.stop is not None else sweep.chunks())
    receipts = {key: parts.read(key) for key in wanted}
    complete = all(receipt is not None for receipt in receipts.values())
    done = {key: receipt for key, receipt in receipts.items() if receipt is not None}
    if complete:
        _remove_surplus(parts, set(wanted))
        _write_manifest(parts.folder, manifest(sweep, complete=True) | _account(done))
    return Made(
        found=found,
        made=made,
        complete=complete,
        runs=sum(receipt.rows[0] for receipt in done.values()),
        breaches=tuple(each for receipt in done.values() for each in receipt.breaches),
        failures=tuple(each for receipt in done.values() for each in receipt.failures),
    )


def _remove_surplus(parts: PartFolder, wanted: set[Key]) -> None:
    """Remove chunks that were begun before it was known that they are not needed."""
    names = {str(key) for key in wanted}
    for path in _files(parts):
        if path.stem not in names:
            path.unlink(missing_ok=True)


def _files(parts: PartFolder) -> Iterator[Path]:
    for name in (*TABLES, RECEIPTS):
        yield from sorted((parts.folder / name).iterdir())


def _account(done: dict[Key, Receipt]) -> dict[str, Any]:
    return {
        "runs": sum(receipt.rows[0] for receipt in done.values()),
        "events": sum(receipt.rows[1] for receipt in done.values()),
        "chunks": {str(key): list(receipt.sha256) for key, receipt in done.items()},
        "breaches": [asdict(each) for receipt in done.values() for each in receipt.breaches],
        "failures": [asdict(each) for receipt in done.values() for each in receipt.failures],
    }
