"""Runs an experiment in chunks of replications: in this process or in several, with the same bytes either way.

A chunk is a pure function of the design and its number. Workers are spawned, so no state leaks in; chunks come back in
order. Within a replication every strategy meets the same world, and what does not depend on the strategy (the
reference run) is made once.
"""

import gc
import os
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import product
from multiprocessing import get_context
from typing import Any

from simlab.analysis.metrics import EVENT_FIELDS, RUN_FIELDS, event_rows, run_row
from simlab.core.errors import SimlabError
from simlab.core.plugins import Router, Strategy
from simlab.core.record import RunRecord
from simlab.experiment.design import Design, World
from simlab.experiment.routing import find_router
from simlab.invariants import Blame, check
from simlab.sim.driver import reference_run, simulate
from simlab.strategies import STRATEGIES

CHUNK_RUNS = 400
"""How many runs make a chunk, about: enough to hide what a chunk costs, few enough for a progress bar."""

Columns = dict[str, list[Any]]
Plugins = list[tuple[Strategy, Router]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A breach, or a run that could not be made: what, where, and the command that shows it again."""

    scenario: str
    strategy: str
    router: str
    seed: int
    replication: int
    blame: str
    what: str

    @property
    def replay(self) -> str:
        """The command that makes this run again."""
        return (
            f"simlab run {self.scenario} --strategy {self.strategy} --router {self.router} "
            f"--seed {self.seed} --replication {self.replication}"
        )


@dataclass(slots=True, kw_only=True)
class Chunk:
    """The results of some replications: tables as columns, and what went wrong."""

    number: int
    runs: Columns = field(default_factory=lambda: {name: [] for name in RUN_FIELDS})
    events: Columns = field(default_factory=lambda: {name: [] for name in EVENT_FIELDS})
    breaches: list[Found] = field(default_factory=list)
    failures: list[Found] = field(default_factory=list)


def chunk_size(design: Design) -> int:
    """Return how many replications go into a chunk: a function of the design, not of the machine."""
    return max(1, min(design.replications, CHUNK_RUNS // len(design.cells)))


def chunk_count(design: Design) -> int:
    """Return the number of chunks."""
    return -(-design.replications // chunk_size(design))


def run_chunk(design: Design, number: int) -> Chunk:
    """Make every run of one chunk."""
    size = chunk_size(design)
    return run_replications(design, range(number * size, min((number + 1) * size, design.replications)), number=number)


def run_replications(design: Design, replications: range, *, number: int = 0) -> Chunk:
    """Make some replications of everything in a design, as one chunk."""
    chunk = Chunk(number=number)
    plugins: Plugins = [
        (STRATEGIES.get(strategy), find_router(router))
        for strategy, router in product(design.strategies, design.routers)
    ]
    with quiet_collector():
        for replication in replications:
            for world in design.worlds:
                _replicate(design.seed, world, plugins, replication, chunk)
    return chunk


def run_plugins(world: World, plugins: Plugins, *, replications: int, seed: int) -> Chunk:
    """Make every run of one world with plug-ins that need not be registered, in this process."""
    chunk = Chunk(number=0)
    with quiet_collector():
        for replication in range(replications):
            _replicate(seed, world, plugins, replication, chunk)
    return chunk


@contextmanager
def quiet_collector() -> Iterator[None]:
    """Keep the cycle collector from interrupting: runs leave few cycles, and they are collected at the end.

    What was there before is set aside meanwhile: to look through all of a process takes as long as a hundred runs.
    """
    was_on = gc.isenabled()
    gc.disable()
    gc.freeze()
    try:
        yield
    finally:
        gc.collect()
        gc.unfreeze()
        if was_on:
            gc.enable()


def _replicate(seed: int, world: World, plugins: Plugins, replication: int, chunk: Chunk) -> None:
    reference = reference_run(world.spec, seed=seed, replication=replication)
    for strategy, router in plugins:
        try:
            record = simulate(world.spec, strategy, router, seed=seed, replication=replication, reference=reference)
        except Exception as error:
            blame, what = _blamed(error)
            chunk.failures.append(
                Found(
                    scenario=world.name,
                    strategy=strategy.name,
                    router=router.name,
                    seed=seed,
                    replication=replication,
                    blame=str(blame),
                    what=what,
                )
            )
        else:
            record.scenario = world.name
            _write_rows(record, chunk)


def _blamed(error: Exception) -> tuple[Blame, str]:
    """Say whose fault it is that a run could not be made: what no strategy can cause is simlab's own."""
    if isinstance(error, SimlabError):
        return Blame.STRATEGY, str(error)
    return Blame.CORE, f"{type(error).__name__}: {error}"


def _write_rows(record: RunRecord, chunk: Chunk) -> None:
    breaches = check(record)
    row = run_row(record, len(breaches))
    for name, column in chunk.runs.items():
        column.append(getattr(row, name))
    for event in event_rows(record):
        for name, column in chunk.events.items():
            column.append(getattr(event, name))
    chunk.breaches += [
        Found(
            scenario=record.scenario,
            strategy=record.strategy,
            router=record.router,
            seed=record.seed,
            replication=record.replication,
            blame=str(breach.blame),
            what=str(breach),
        )
        for breach in breaches
    ]


# --- in several processes ---------------------------------------------------------------------------------------------

_design: Design | None = None


def _take_design(design: Design) -> None:
    global _design  # noqa: PLW0603 - a worker process holds one design, given to it when it starts
    _design = design
    end_with_the_parent()


def end_with_the_parent() -> None:
    """End this process when its parent is gone, however it went: a pool's workers would wait for ever."""
    from multiprocessing import parent_process
    from multiprocessing.connection import wait
    from threading import Thread

    parent = parent_process()
    if parent is None:
        return

    def watch() -> None:
        wait([parent.sentinel])
        os._exit(1)

    Thread(target=watch, daemon=True).start()


def _run_number(number: int) -> Chunk:
    assert _design is not None
    return run_chunk(_design, number)


def run_chunks(
    design: Design, *, jobs: int = 1, numbers: list[int] | None = None, progress: Callable[[int], None] | None = None
) -> Iterator[Chunk]:
    """Make the chunks (all, or the numbered ones) and yield them in order; ``progress`` hears of finished runs."""
    todo = list(range(chunk_count(design))) if numbers is None else numbers
    for chunk in _serial(design, todo) if jobs == 1 or len(todo) == 1 else _pool(design, todo, jobs):
        if progress is not None:
            progress(len(chunk.runs["scenario"]) + len(chunk.failures))
        yield chunk


def _serial(design: Design, todo: list[int]) -> Iterator[Chunk]:
    for number in todo:
        yield run_chunk(design, number)


def _pool(design: Design, todo: list[int], jobs: int) -> Iterator[Chunk]:
    with ProcessPoolExecutor(
        max_workers=min(jobs, len(todo)),
        mp_context=get_context("spawn"),
        initializer=_take_design,
        initargs=(design,),
    ) as pool:
        yield from pool.map(_run_number, todo)
