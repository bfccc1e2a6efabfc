"""Making stored results again: the same bytes with the present code, or an account of what has changed."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from simlab.core.errors import SimlabError
from simlab.experiment.backends import open_backend
from simlab.experiment.parts import TABLES, Part, PartFolder
from simlab.experiment.sweep import Key, Subject, Sweep, read_kept_sweep
from simlab.experiment.sweeping import made_with, read_manifest

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """A chunk that came out otherwise: which table, how many rows it has now and had, which columns differ in how many.

    ``columns`` is empty where the values are the same and only the encoding of the file is not.
    """

    key: Key
    table: str
    rows: tuple[int, int]
    columns: dict[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Account:
    """What making it again has shown: chunks looked at, those that differ, and what has changed around them."""

    looked_at: int
    differences: tuple[Difference, ...]
    changes: tuple[str, ...]

    @property
    def same(self) -> bool:
        """Whether every byte is what it was."""
        return not self.differences


def rerun(
    folder: Path,
    *,
    backend: str = "processes",
    jobs: int = 1,
    most: int | None = None,
    progress: Callable[[int], None] | None = None,
) -> Account:
    """Make the chunks of a complete sweep again (``most`` of them, spread evenly) and compare.

    Raises SimlabError: no complete sweep there, or copies that do not make up its design.
    """
    told = read_manifest(folder)
    if told is None or not told.get("complete") or "chunks" not in told:
        raise SimlabError(f"{folder}: holds no complete sweep; `simlab sweep` makes one")
    sweep = read_kept_sweep(folder, list(told["scenarios"]))
    if sweep.digest != told["design"]:
        raise SimlabError(f"{folder}: its copies of design and scenarios are not those of design {told['design']}")
    keys = _some([_key(text) for text in told["chunks"]], most)
    parts = PartFolder(folder)
    differences: list[Difference] = []
    with open_backend(backend, sweep, jobs=jobs) as cluster:
        waiting = list(reversed(keys))
        flying = 0
        while waiting or flying:
            while waiting and flying < cluster.slots:
                cluster.submit(waiting.pop())
                flying += 1
            part = cluster.take()
            flying -= 1
            differences += _differences(parts, part, told["chunks"][str(part.key)])
            if progress is not None:
                progress(1)
    return Account(
        looked_at=len(keys),
        differences=tuple(sorted(differences, key=lambda each: (each.key, each.table))),
        changes=tuple(_changes(told, sweep)),
    )


def _key(text: str) -> Key:
    place, _, number = text.partition("-")
    return Key(int(place), int(number))


def _some(keys: Sequence[Key], most: int | None) -> list[Key]:
    """Return at most so many keys, spread evenly, the first among them."""
    if most is None or most >= len(keys):
        return list(keys)
    return [keys[number * len(keys) // most] for number in range(most)]


def _differences(parts: PartFolder, part: Part, sums: Sequence[str]) -> list[Difference]:
    found = []
    for name, content, before, now in zip(TABLES, (part.runs, part.events), sums, part.receipt.sha256, strict=True):
        if before != now:
            found.append(_difference(part.key, name, content, parts.table(name, part.key)))
    return found


def _difference(key: Key, name: str, content: bytes, path: Path) -> Difference:
    from io import BytesIO

    import pandas as pd

    now = pd.read_parquet(BytesIO(content), engine="pyarrow")
    try:
        before = pd.read_parquet(path, engine="pyarrow")
    except (OSError, ValueError):
        raise SimlabError(f"{path}: cannot be read; start the sweep again to repair it") from None
    return Difference(key=key, table=name, rows=(len(now), len(before)), columns=_columns(now, before))


def _columns(now: "pd.DataFrame", before: "pd.DataFrame") -> dict[str, int]:
    """Count the rows in which each column differs; a column that one of them lacks differs in all."""
    most = max(len(now), len(before))
    if len(now) != len(before):
        return dict.fromkeys(now.columns.union(before.columns), most)
    counts = {}
    for name in now.columns.union(before.columns, sort=False):
        if name in now.columns and name in before.columns:
            one, other = now[name], before[name]
            counts[name] = int((~((one == other) | (one.isna() & other.isna()))).sum())
        else:
            counts[name] = most
    return {name: count for name, count in counts.items() if count}


def _changes(told: dict[str, Any], sweep: Sweep) -> list[str]:
    """Say what is not as it was: versions, and scenarios whose originals have changed since."""
    now, before = made_with(), told.get("made_with", {})
    changes = [
        f"{name}: {before.get(name, 'unknown')} then, {now.get(name, 'none')} now"
        for name in dict.fromkeys((*now, *before))
        if now.get(name) != before.get(name)
    ]
    for name, digest in told["scenarios"].items():
        try:
            present = Subject.named(name).scenario.sha256
        except SimlabError:
            changes.append(f"scenario {name}: not found under this name; its copy was used")
            continue
        if present != digest:
            changes.append(f"scenario {name}: has changed since; its copy of then was used")
    return changes
