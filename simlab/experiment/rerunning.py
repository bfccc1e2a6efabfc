"""Making stored results again: the same bytes with the present code, or an account of what has changed."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from simlab.core.errors import SimlabError
from simlab.experiment.backends import open_backend
from simlab.experiment.design import Design, World
from simlab.experiment.parts import TABLES, Part, PartFolder
from simlab.experiment.runner import run_chunks
from simlab.experiment.scenario import Scenario
from simlab.experiment.store import frame_writer
from simlab.experiment.sweep import Key, Subject, read_kept_sweep
from simlab.experiment.sweeping import made_with, read_manifest
from simlab.experiment.variants import load_variant

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
    """Make the chunks of a complete sweep again (``most`` of them, spread evenly), or a comparison, and compare.

    Raises SimlabError: no such results there, or copies that do not make up their design.
    """
    told = read_manifest(folder)
    if told is not None and "command" in told and (folder / "runs.parquet").is_file():
        return _rerun_comparison(folder, told, jobs)
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
    texts = {subject.text: told["scenarios"][subject.name] for subject in sweep.subjects}
    return Account(
        looked_at=len(keys),
        differences=tuple(sorted(differences, key=lambda each: (each.key, each.table))),
        changes=(*_other_versions(told["made_with"]), *_other_scenarios(texts, "its copy of then was used")),
    )


def _rerun_comparison(folder: Path, told: dict[str, Any], jobs: int) -> Account:
    """Make the runs of ``simlab compare --out`` again: one chunk, of scenarios as they are now."""
    import pandas as pd

    worlds = [World(name=name, spec=found.world, digest=found.sha256) for name, found in _variants(folder, told)]
    design = Design(
        worlds=tuple(worlds),
        strategies=tuple(told["strategies"]),
        routers=tuple(told["routers"]),
        replications=told["replications"],
        seed=told["seed"],
    )
    chunks = list(run_chunks(design, jobs=jobs))
    differences: list[Difference] = []
    with TemporaryDirectory() as place:
        for name in ("runs", "events"):
            path = Path(place) / f"{name}.parquet"
            frame = pd.concat([pd.DataFrame(getattr(chunk, name)) for chunk in chunks], ignore_index=True)
            frame_writer(frame, "runs" if name == "runs" else "events")(path)
            content, stored = path.read_bytes(), folder / path.name
            if content != stored.read_bytes():
                differences.append(_difference(Key(0, 0), name, content, stored))
    return Account(
        looked_at=1,
        differences=tuple(differences),
        changes=(
            *_other_versions({"simlab": told["simlab"], **told["packages"]}),
            *_other_scenarios(told["scenarios"], "it was run as it is now"),
        ),
    )


def _variants(folder: Path, told: dict[str, Any]) -> Iterator[tuple[str, Scenario]]:
    for name in told["scenarios"]:
        try:
            yield name, load_variant(name)
        except SimlabError as error:
            raise SimlabError(f"{folder}: its scenario is needed: {error}") from None


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


def _other_versions(before: Mapping[str, str]) -> Iterator[str]:
    """Say which versions are not as they were."""
    now = made_with()
    for name in dict.fromkeys((*now, *before)):
        if now.get(name) != before.get(name):
            yield f"{name}: {before.get(name, 'unknown')} then, {now.get(name, 'none')} now"


def _other_scenarios(digests: Mapping[str, str], then: str) -> Iterator[str]:
    """Say which scenarios are not as they were; ``digests`` are those of then, by how the scenario was named."""
    for text, digest in digests.items():
        try:
            found = load_variant(text)
            present = {found.sha256, Subject.named(text).scenario.sha256}
        except SimlabError:
            yield f"scenario {text}: not found under this name; its copy was used"
            continue
        if digest not in present:
            yield f"scenario {text}: has changed since; {then}"
