"""The tempted model as a whole, in random worlds."""

from dataclasses import fields, replace
from math import sqrt
from random import Random

import pytest

from simlab.core.record import Exposure, FaultKind, RunRecord
from simlab.invariants import Blame, check
from simlab.routers import ROUTERS
from simlab.sim.driver import Driver, reference_run, simulate
from simlab.sim.faults import PRESETS, Hazards, preset
from simlab.sim.faults.tempted import Tempted
from simlab.sim.reading import StepStatus
from simlab.sim.speaking import speak
from simlab.sim.spec import WorldSpec
from simlab.sim.streams import Draws
from simlab.strategies import STRATEGIES
from simlab.testing.worlds import random_world

STRATEGY_NAMES = (
    "queue",
    "queue-first-return",
    "queue-turn",
    "cancel",
    "cancel-background",
    "parallel",
    "routed",
    "pi-v1-steer-seq",
)
HALF = Hazards(
    fabricate=0.5, act=0.5, recover=0.5, neglect=0.5, forget=0.5, repeat=0.5, derail=0.5, confuse=0.5, misread=0.5,
    false_success=0.5,
)  # fmt: skip


def run(spec: WorldSpec, strategy: str, replication: int) -> RunRecord:
    return simulate(spec, STRATEGIES.get(strategy), ROUTERS.get("oracle"), seed=4, replication=replication)


def some_worlds(count: int, seed: int) -> list[WorldSpec]:
    rng = Random(seed)
    return [random_world(rng) for _ in range(count)]


@pytest.mark.parametrize("strategy", [*STRATEGY_NAMES, "hard-cancel"])
def test_with_all_hazards_at_zero_no_fault_occurs_and_nothing_else_changes(strategy: str) -> None:
    for number, spec in enumerate(some_worlds(40, 11)):
        plain = run(spec, strategy, number)
        zero = run(replace(spec, hazards=Hazards()), strategy, number)
        assert plain.exposures == []
        assert not any(each.sampled for each in zero.exposures)
        for field in fields(plain):
            if field.name != "exposures":
                assert getattr(plain, field.name) == getattr(zero, field.name), field.name


@pytest.mark.parametrize("name", PRESETS)
@pytest.mark.parametrize("strategy", STRATEGY_NAMES)
def test_a_fault_of_the_model_is_never_blamed_on_the_strategy(strategy: str, name: str) -> None:
    for number, spec in enumerate(some_worlds(25, 12)):
        breaches = check(run(replace(spec, hazards=preset(name)), strategy, number))
        assert [each for each in breaches if each.blame is not Blame.MODEL] == []


@pytest.mark.parametrize("strategy", STRATEGY_NAMES)
def test_even_a_model_that_errs_half_of_the_time_is_not_blamed_on_the_strategy(strategy: str) -> None:
    lost = 0
    for number, spec in enumerate(some_worlds(60, 13)):
        breaches = check(run(replace(spec, hazards=HALF), strategy, number))
        assert [each for each in breaches if each.blame is not Blame.MODEL] == []
        lost += len(breaches)
    assert lost > 0


def _standing(mind: Tempted) -> object:
    """What a mind holds. Guards are looked at when the model speaks, so a step of a task that is over may differ."""
    tasks = {
        task.id: (
            task.voided,
            task.final,
            task.version,
            {
                state.step.id: (StepStatus.VOID if task.final and state.status is StepStatus.TODO else state.status)
                for state in task.steps.values()
            },
        )
        for task in mind.tasks.values()
    }
    return (
        tasks, [task.id for task in mind.active], mind.pending, mind.tainted, mind.invented, sorted(mind.dropped),
        mind.stale, mind.repeated, mind.failed, mind.skipped, mind.seen,
    )  # fmt: skip


class KeptDriver(Driver):
    """A driver that can be looked into when its run is over."""

    def _dissolve(self) -> RunRecord:
        return self.record


def test_a_mind_that_reads_all_anew_comes_to_the_same_mistakes() -> None:
    for number, spec in enumerate(some_worlds(150, 14)):
        strategy = STRATEGY_NAMES[number % len(STRATEGY_NAMES)]
        driver = KeptDriver(
            replace(spec, hazards=HALF),
            STRATEGIES.get(strategy),
            ROUTERS.get("oracle"),
            draws=Draws(4, number),
            reference={},
        )
        record = driver.run()
        mind = driver.room.model.reading
        assert isinstance(mind, Tempted)
        tools = {tool.spec.name: tool for tool in spec.tools}
        speak(mind, tools)
        before, met = _standing(mind), len(record.exposures)
        mind.read(list(driver.agent.state.trajectory), mind.at, mind.epoch + 1)
        speak(mind, tools)
        assert _standing(mind) == before, f"world {number}, {strategy}"
        assert len(record.exposures) == met


def test_a_draw_of_one_name_is_the_same_under_every_strategy() -> None:
    for number, spec in enumerate(some_worlds(30, 15)):
        outcomes: dict[tuple[FaultKind, tuple[str, ...]], set[bool]] = {}
        for strategy in STRATEGY_NAMES:
            for each in run(replace(spec, hazards=HALF), strategy, number).exposures:
                outcomes.setdefault((each.kind, each.subject), set()).add(each.sampled)
        assert outcomes
        assert all(len(found) == 1 for found in outcomes.values())


@pytest.mark.parametrize("hazards", [HALF, preset("stress")], ids=["half", "stress"])
def test_expectation_and_sample_agree_for_every_fault(hazards: Hazards) -> None:
    """Sampled minus expected is a sum of centred Bernoulli numbers: its variance is the sum of p (1 - p)."""
    found: dict[FaultKind, list[Exposure]] = {}
    for number, spec in enumerate(some_worlds(250, 16)):
        strategy = STRATEGY_NAMES[number % len(STRATEGY_NAMES)]
        for each in run(replace(spec, hazards=hazards), strategy, number).exposures:
            found.setdefault(each.kind, []).append(each)
    assert set(found) == set(FaultKind) - {FaultKind.CONFUSE}  # no shipped strategy appends an unmarked exchange
    for kind, exposures in found.items():
        difference = sum(each.sampled - each.hazard for each in exposures)
        deviation = sqrt(sum(each.hazard * (1 - each.hazard) for each in exposures))
        assert abs(difference) <= 3.3 * deviation, f"{kind}: {difference} of {len(exposures)}"


def test_placed_events_come_at_the_same_time_whatever_the_hazards() -> None:
    for number, spec in enumerate(some_worlds(80, 17)):
        if spec.placed:
            calm = reference_run(spec, seed=4, replication=number)
            assert reference_run(replace(spec, hazards=HALF), seed=4, replication=number) == calm
