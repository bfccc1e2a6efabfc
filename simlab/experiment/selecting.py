"""Picking the best of several strategies with a stated probability, on common random numbers (see ``stats.selection``).

Runs are spent where they matter: after each screening only the strategies still in the race go on.
"""

from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from simlab.core.errors import SimlabError
from simlab.experiment.design import Design
from simlab.experiment.metric_values import check_metric, metric_values
from simlab.experiment.pools import spawned_pool
from simlab.experiment.runner import Chunk, run_replications

if TYPE_CHECKING:
    import pandas as pd

    from simlab.analysis.stats.selection import Selection, SelectionPlan

BATCH = 10
"""Replications whose mean is one value: means of some are nearer to a normal law, which the procedure assumes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Race:
    """How a race went: its end, runs in all, and the mean of each strategy over the replications that it was in."""

    selection: "Selection"
    runs: int
    means: dict[str, float]
    replications: dict[str, int]


def pick_best(
    design: Design,
    metric: str,
    plan: "SelectionPlan",
    *,
    jobs: int = 1,
    most_runs: int = 1_000_000,
    progress: Callable[[int], None] | None = None,
) -> Race:
    """Race the strategies of a design with one world and one router. ``plan`` counts batches of ``BATCH`` replications.

    A batch in which the metric has a value under no strategy (no event of the kind occurred) is passed over: worlds are
    the same for all, so that tells nothing of any of them. Raises SimlabError: a strategy fails, the first batches have
    no value or a later one has it under some strategies only, or ``most_runs`` would be exceeded.
    """
    from simlab.analysis.stats.selection import select

    check_metric(metric)
    values: dict[str, list[float]] = {name: [] for name in design.strategies}
    runs = batches = 0
    with _Maker(jobs) as maker:
        selection = select(values, plan)
        while selection.best is None:
            assert selection.next_runs is not None
            known = len(values[selection.alive[0]])
            wanted = range(batches, batches + max(selection.next_runs - known, plan.chunk_runs))
            batches = wanted.stop
            runs += len(wanted) * BATCH * len(selection.alive)
            if runs > most_runs:
                raise SimlabError(
                    f"no best after {runs:,} runs; still in the race: {', '.join(selection.alive)}; "
                    "allow more runs, or a larger indifference"
                )
            _extend(values, maker.make(replace(design, strategies=selection.alive), wanted), metric)
            if progress is not None:
                progress(runs)
            selection = select(values, plan)
    return Race(
        selection=selection,
        runs=runs,
        means={name: float(sum(each) / len(each)) for name, each in values.items()},
        replications={name: len(each) * BATCH for name, each in values.items()},
    )


class _Maker:
    """Makes batches, in this process or in several. Use as a context."""

    def __init__(self, jobs: int) -> None:
        self._jobs = jobs
        self._pool: Executor | None = None

    def __enter__(self) -> "_Maker":
        if self._jobs > 1:
            self._pool = spawned_pool(self._jobs)
        return self

    def __exit__(self, *_error: object) -> None:
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)

    def make(self, design: Design, batches: range) -> list[Chunk]:
        """Make batches of a design, in order: shared out in as many pieces as there are processes."""
        size = -(-len(batches) // self._jobs)
        pieces = [batches[start : start + size] for start in range(0, len(batches), size)]
        ranges = [range(piece.start * BATCH, piece.stop * BATCH) for piece in pieces]
        run = map if self._pool is None else self._pool.map
        return list(run(run_replications, [design] * len(ranges), ranges))


def _extend(values: dict[str, list[float]], chunks: Sequence[Chunk], metric: str) -> None:
    import pandas as pd

    failure = next((each for chunk in chunks for each in chunk.failures), None)
    if failure is not None:
        raise SimlabError(f"{failure.what}; replay: {failure.replay}")
    runs = pd.concat([pd.DataFrame(chunk.runs) for chunk in chunks], ignore_index=True)
    events = pd.concat([pd.DataFrame(chunk.events) for chunk in chunks], ignore_index=True)
    if values[runs["strategy"][0]] and _kind_is_absent(events, metric):
        return
    by_arm = metric_values((runs, events), metric)
    means = pd.DataFrame(
        {strategy: by_arm.get((strategy, runs["router"][0])) for strategy in runs["strategy"].unique()}
    )
    means = means.reindex(sorted(runs["replication"].unique()))
    batches = means.groupby(means.index // BATCH).mean().dropna(how="all")
    if batches.empty and not any(values.values()):
        raise SimlabError(f"metric {metric!r} has no value in any of the first {len(means):,} replications")
    for strategy, column in batches.items():
        if column.isna().any():
            first = int(batches.index[column.isna()][0]) * BATCH
            raise SimlabError(
                f"metric {metric!r} has a value under some strategies only in replications {first} to "
                f"{first + BATCH - 1}: none under {strategy!r}"
            )
        values[str(strategy)] += column.tolist()


def _kind_is_absent(events: "pd.DataFrame", metric: str) -> bool:
    _, found, kind = metric.partition(":")
    return bool(found) and kind not in set(events["kind"])
