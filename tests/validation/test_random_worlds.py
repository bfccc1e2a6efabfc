"""Random scenarios x all shipped strategies: nobody errs, and nothing is lost, doubled or left open.

``hard-cancel`` is the control: it must be caught in every run in which a cancel meets an open call.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simlab.core.decisions import Departure
from simlab.core.record import RunRecord
from simlab.invariants import Breach, check
from simlab.routers import ROUTERS
from simlab.sim.driver import simulate
from simlab.sim.spec import WorldSpec
from simlab.strategies import LEAVES_CALLS_OPEN, STRATEGIES
from simlab.testing.chaos import Chaos
from simlab.testing.worlds import random_world, worlds
from tests.validation.scrutiny import cancels_that_meet_an_open_call, malformed, unbalanced, unequal_luck

RESULTS = Path(__file__).parents[2] / "results"
CLEAN = [name for name in STRATEGIES.names() if name not in LEAVES_CALLS_OPEN]


def faults(record: RunRecord, *, closes_calls: bool = True) -> Iterator[str]:
    """Everything that is wrong with a run: by the catalogue, and by an independent look."""
    yield from unbalanced(record)
    if record.horizon_ms is None or not record.trace.complete:
        assert record.ended_ms == record.horizon_ms, "it neither came to rest nor reached the horizon"
    if closes_calls:
        yield from (str(breach) for breach in check(record) if not excused(record, breach))
        yield from malformed(record.trace.trajectory())


def excused(record: RunRecord, breach: Breach) -> bool:
    """Who rewinds on purpose does work again whose effect stands: a finding about that strategy, no fault of ours."""
    rewinds = Departure.REWINDS in record.trace.departures
    return rewinds and breach.invariant == "every_effect_happens_once_per_intent"


@dataclass(slots=True)
class Tally:
    """What a sweep found."""

    runs: int = 0
    events: int = 0
    model_calls: int = 0
    met: int = 0
    caught: int = 0
    faults: Counter[str] = field(default_factory=Counter)

    def run(self, spec: WorldSpec, router: str, seed: int, strategies: Sequence[str]) -> Iterator[RunRecord]:
        """Run every strategy; an exception is a fault like any other."""
        for name in strategies:
            try:
                yield simulate(spec, STRATEGIES.get(name), ROUTERS.get(router), seed=seed)
            except Exception as error:
                self.faults[f"{name}, {router}, seed {seed}: {error!r}"] += 1

    def look_at(self, record: RunRecord, *, closes_calls: bool) -> None:
        self.runs += 1
        self.events += len(record.events)
        self.model_calls += len(record.model_calls)
        for fault in faults(record, closes_calls=closes_calls):
            self.faults[f"{record.strategy}, {record.router}, seed {record.seed}: {fault}"] += 1
        if record.strategy == "hard-cancel":
            self.control(record)

    def control(self, record: RunRecord) -> None:
        breaches = {breach.invariant for breach in check(record)}
        flagged = bool({"every_call_is_closed_once", "nothing_comes_between_a_call_and_its_result"} & breaches)
        meets = cancels_that_meet_an_open_call(record) > 0
        self.met += meets
        self.caught += flagged
        if meets is not flagged:
            self.faults[f"hard-cancel, {record.router}, seed {record.seed}: meets {meets}, flagged {flagged}"] += 1


def sweep(seeds: range, *, every_router: bool, strategies: Sequence[str] | None = None) -> Tally:
    names = STRATEGIES.names() if strategies is None else strategies
    tally = Tally()
    routers = ROUTERS.names()
    for seed in seeds:
        spec = random_world(Random(seed))
        for router in routers if every_router else [routers[seed % len(routers)]]:
            records = list(tally.run(spec, router, seed, names))
            for record in records:
                tally.look_at(record, closes_calls=record.strategy not in LEAVES_CALLS_OPEN)
            for fault in unequal_luck(records, spec):
                tally.faults[f"seed {seed}: {fault}"] += 1
    return tally


def test_no_strategy_errs_in_random_worlds_and_the_control_is_always_caught() -> None:
    tally = sweep(range(30), every_router=False)
    assert tally.faults == Counter()
    assert tally.caught == tally.met > 0


@settings(max_examples=60, deadline=None)
@given(worlds(), st.sampled_from(CLEAN), st.sampled_from(ROUTERS.names()))
def test_any_world_any_strategy_any_router(spec: WorldSpec, strategy: str, router: str) -> None:
    record = simulate(spec, STRATEGIES.get(strategy), ROUTERS.get(router))
    assert list(faults(record)) == []


@settings(max_examples=60, deadline=None)
@given(worlds(), st.integers(0, 10_000), st.sampled_from(ROUTERS.names()))
def test_the_core_survives_any_legal_decision(spec: WorldSpec, seed: int, router: str) -> None:
    """Rewinds, cleared backlogs, graces that run out, waits for the user: the rules hold for what was not declared."""
    spec = replace(spec, horizon_ms=60_000)
    record = simulate(spec, Chaos(seed), ROUTERS.get(router))
    assert [str(breach) for breach in check(record) if not excused(record, breach)] == []
    assert list(malformed(record.trace.trajectory())) == []


SOURCE = (
    "queue",
    "queue-first-return",
    "queue-turn",
    "queue-join",
    "cancel",
    "cancel-background",
    "parallel",
    "routed",
    "routed-background",
    "hard-cancel",
)
OTHERS = tuple(name for name in STRATEGIES.names() if name not in SOURCE)


@pytest.mark.nightly
@pytest.mark.parametrize(
    ("name", "scenarios", "strategies"),
    [("source", 10_000, SOURCE), ("others", 10_000, OTHERS)],
)
def test_thousands_of_random_scenarios(name: str, scenarios: int, strategies: Sequence[str]) -> None:
    seeds = range(scenarios)
    tally = sweep(seeds, every_router=False, strategies=strategies)
    folder = RESULTS / "random_scenarios"
    folder.mkdir(parents=True, exist_ok=True)
    lines = [
        f"# {scenarios:,} random scenarios x {len(strategies)} strategies ({name})",
        "",
        f"Made by `.venv/bin/python -m pytest -m nightly tests/validation -k 'thousands and {name}'`.",
        "",
        f"- scenarios: seeds {seeds.start} to {seeds.stop - 1} of `simlab.testing.worlds.random_world`",
        f"- strategies: {', '.join(strategies)}",
        f"- the rules on open calls are not asked of {', '.join(sorted(LEAVES_CALLS_OPEN))}",
        f"- routers: {', '.join(ROUTERS.names())}, in turn, one a scenario",
        f"- runs: {tally.runs:,}; events {tally.events:,}; model calls {tally.model_calls:,}",
        f"- faults: {tally.faults.total()} (exceptions, breaches, malformed trajectories, sums out of balance)",
    ]
    if "hard-cancel" in strategies:
        lines += [f"- `hard-cancel`: a cancel met an open call in {tally.met:,} runs; caught in {tally.caught:,}"]
    lines += [""]
    lines += [f"- FAULT {fault}" for fault in list(tally.faults)[:20]]
    (folder / f"{name}.md").write_text("\n".join(lines), encoding="utf-8")
    assert tally.faults == Counter()
    assert tally.caught == tally.met
