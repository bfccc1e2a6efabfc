"""Runs of every (scenario, strategy, router, replication), each checked against the invariants, as a tidy table."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, product
from shlex import quote

from simlab.analysis.outcome import Outcome, outcome_of
from simlab.core.record import RunRecord
from simlab.experiment.routing import find_router
from simlab.experiment.scenario import Scenario
from simlab.invariants import Breach, check
from simlab.sim.driver import simulate
from simlab.strategies import STRATEGIES

NO_MATTER = ""
"""Stands for a router that needs no telling: there is only one, or it made no difference."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One run to make. ``scenario`` carries its world; strategy and router are names."""

    scenario: Scenario
    strategy: str
    router: str
    seed: int
    replication: int

    @property
    def replay(self) -> str:
        """The command that shows this very run."""
        return (
            f"simlab run {quote(self.scenario.reference)} --strategy {self.strategy} --router {self.router} "
            f"--seed {self.seed} --replication {self.replication}"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """What a cell came to: its row of the table, and every breach of an invariant."""

    cell: Cell
    outcome: Outcome
    breaches: Sequence[Breach]


def cells(
    scenarios: Iterable[Scenario],
    strategies: Sequence[str],
    routers: Sequence[str],
    *,
    seed: int = 0,
    replications: int = 1,
) -> list[Cell]:
    """Return every combination, in order. Raises SimlabError for an unknown strategy or router, before any run."""
    for name in strategies:
        STRATEGIES.get(name)
    for name in routers:
        find_router(name)
    return [
        Cell(scenario=scenario, strategy=strategy, router=router, seed=seed, replication=replication)
        for scenario, strategy, router, replication in product(scenarios, strategies, routers, range(replications))
    ]


def run_cell(cell: Cell) -> RunRecord:
    """Make one run."""
    return simulate(
        cell.scenario.world,
        STRATEGIES.get(cell.strategy),
        find_router(cell.router),
        seed=cell.seed,
        replication=cell.replication,
    )


def run_all(todo: Iterable[Cell]) -> Iterator[Result]:
    """Make the runs, one after another."""
    for cell in todo:
        record = run_cell(cell)
        yield Result(cell=cell, outcome=outcome_of(record), breaches=check(record))


def merge_routers(outcomes: Sequence[Outcome]) -> list[Outcome]:
    """Keep one row of a strategy that came to the same under every router, everywhere, and leave its router out."""
    routers = list(dict.fromkeys(outcome.router for outcome in outcomes))
    ordered = sorted(outcomes, key=lambda outcome: outcome.strategy)
    same = {name for name, group in groupby(ordered, key=lambda each: each.strategy) if _same(list(group))}
    return [
        replace(outcome, router=NO_MATTER) if outcome.strategy in same else outcome
        for outcome in outcomes
        if outcome.strategy not in same or outcome.router == routers[0]
    ]


def _same(outcomes: Sequence[Outcome]) -> bool:
    """Whether the rows of one strategy do not depend on the router."""
    figures = {(each.scenario, each.replication): replace(each, router=NO_MATTER) for each in outcomes}
    return all(replace(each, router=NO_MATTER) == figures[each.scenario, each.replication] for each in outcomes)
