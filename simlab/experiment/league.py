"""Every policy in every scenario of the library: one file a pair, so that a league can be stopped and continued."""

import io
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from simlab import __version__
from simlab.analysis.league import COLUMNS, league_row
from simlab.core.errors import SimlabError
from simlab.experiment.output import write_whole
from simlab.experiment.pools import spawned_pool
from simlab.experiment.routing import find_router, router_digest
from simlab.experiment.runner import quiet_collector
from simlab.experiment.scenario import Scenario, load_scenario, shipped_scenarios
from simlab.invariants import Blame, check
from simlab.sim.driver import reference_run, simulate
from simlab.sim.workload import Reference
from simlab.strategies import STRATEGIES

if TYPE_CHECKING:
    import pandas as pd

NEEDS_THE_TRUTH: Final = frozenset({"oracle-policy"})
"""Policies that are defined by the router ``oracle``; they get it whatever router the league has."""

_MARK: Final = b"simlab"


def library() -> list[str]:
    """Return the names of the scenario library: everything that ships but the worked cases."""
    return [name for name in shipped_scenarios() if not name.startswith("worked/")]


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """One policy in one scenario. ``router``, ``seed`` and ``replications`` are those of the league."""

    scenario: str
    policy: str
    router: str
    seed: int
    replications: int

    @property
    def file(self) -> Path:
        """Its place within the folder of pairs."""
        return Path(self.scenario) / f"{self.policy}.parquet"

    def digest(self, scenario_digest: str) -> str:
        """Return the hash of everything that decides its rows; more replications only add to them."""
        parts = (__version__, self.scenario, scenario_digest, self.policy, self.router, router_digest(self.router))
        return sha256(repr((*parts, self.seed)).encode()).hexdigest()[:16]


@dataclass(frozen=True, slots=True, kw_only=True)
class Done:
    """A pair that was run or found on disk. ``failures`` say which runs could not be made."""

    pair: Pair
    new: bool
    failures: Sequence[str] = ()


def pairs(
    scenarios: Sequence[str], policies: Sequence[str], *, router: str, seed: int, replications: int
) -> list[Pair]:
    """Return every pair, scenario by scenario. Raises SimlabError for unknown names, before any run."""
    for name in policies:
        STRATEGIES.get(name)
    find_router(router)
    if replications < 2:
        raise SimlabError(f"replications: {replications}; an interval needs at least 2")
    return [
        Pair(
            scenario=_scenario(scenario).reference,
            policy=policy,
            router="oracle" if policy in NEEDS_THE_TRUTH else router,
            seed=seed,
            replications=replications,
        )
        for scenario in scenarios
        for policy in policies
    ]


def play(
    todo: Sequence[Pair], folder: Path, *, jobs: int = 1, progress: Callable[[Done], None] | None = None
) -> list[Done]:
    """Run what is not in ``folder`` yet, a file a pair; return what there is now, in order."""
    found = []
    for done in _all(todo, folder, jobs):
        if progress is not None:
            progress(done)
        found.append(done)
    return found


def _all(todo: Sequence[Pair], folder: Path, jobs: int) -> Iterator[Done]:
    if jobs == 1:
        yield from (play_pair(pair, folder) for pair in todo)
        return
    with spawned_pool(jobs) as pool:
        yield from pool.map(play_pair, todo, [folder] * len(todo))


def play_pair(pair: Pair, folder: Path) -> Done:
    """Run one pair and write its file; what the file holds already, made from the same things, is kept."""
    path, digest = folder / pair.file, pair.digest(_scenario(pair.scenario).sha256)
    mark = read_mark(path)
    kept = _rows_of(path) if mark.get("digest") == digest else []
    failures: list[str] = mark["failures"] if kept else []
    if len(kept) >= pair.replications:
        return Done(pair=pair, new=False, failures=failures)
    rows, failed = _runs(pair, range(len(kept), pair.replications))
    failures = [*failures, *failed]
    _write(path, [*kept, *rows], {"digest": digest, "failures": failures})
    return Done(pair=pair, new=True, failures=failures)


def _rows_of(path: Path) -> list[dict[str, float]]:
    import pyarrow.parquet as pq

    rows: list[dict[str, float]] = pq.read_table(path).to_pylist()
    return rows


def _runs(pair: Pair, numbers: range) -> tuple[list[dict[str, float]], list[str]]:
    world, strategy, router = _scenario(pair.scenario).world, STRATEGIES.get(pair.policy), find_router(pair.router)
    rows, failures = [], []
    with quiet_collector():
        for number in numbers:
            alone = _reference(pair.scenario, pair.seed, number)
            try:
                record = simulate(world, strategy, router, seed=pair.seed, replication=number, reference=alone)
            except SimlabError as error:
                failures.append(f"{pair.scenario}, {pair.policy}, replication {number}: {error}")
                rows.append({**dict.fromkeys(COLUMNS, 0.0), "replication": number, "failed": 1})
            else:
                breaches = [breach for breach in check(record) if breach.blame is not Blame.MODEL]
                rows.append(league_row(record, len(breaches)))
    return rows, failures


@lru_cache(maxsize=64)
def _scenario(name: str) -> Scenario:
    return load_scenario(name)


@lru_cache(maxsize=4096)
def _reference(scenario: str, seed: int, replication: int) -> Reference:
    """Return the unperturbed run of a scenario: the same for every policy."""
    return reference_run(_scenario(scenario).world, seed=seed, replication=replication)


def _write(path: Path, rows: Sequence[dict[str, float]], mark: dict[str, Any]) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = pa.table({name: pa.array([float(row[name]) for row in rows], pa.float64()) for name in COLUMNS})
    table = table.replace_schema_metadata({_MARK: json.dumps(mark).encode()})
    path.parent.mkdir(parents=True, exist_ok=True)
    content = io.BytesIO()
    pq.write_table(table, content, compression="zstd")
    write_whole(path, content.getvalue())


def read_mark(path: Path) -> dict[str, Any]:
    """Return what a pair's file says of itself; nothing where there is no such file or it is not one of ours."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        metadata = pq.read_schema(path).metadata or {}
    except (OSError, pa.ArrowInvalid):
        return {}
    mark: dict[str, Any] = json.loads(metadata.get(_MARK, b"{}"))
    return mark


def read_pair(pair: Pair, folder: Path) -> "pd.DataFrame":
    """Return the rows of as many replications as the pair has, in order."""
    import pandas as pd

    return pd.read_parquet(folder / pair.file).head(pair.replications)
