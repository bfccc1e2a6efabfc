"""Known faults appear where the field reports them, and nowhere else."""

import dataclasses
from collections.abc import Mapping, Sequence
from random import Random

import pytest

from simlab.core.decisions import Closing, Decision, Departure, Moment, SafePoint, Take
from simlab.core.events import Event, Verdict
from simlab.core.plugins import Strategy, Traits
from simlab.core.record import RunRecord
from simlab.core.state import OpenCall
from simlab.core.view import View
from simlab.invariants import check
from simlab.routers import ROUTERS
from simlab.sim.driver import simulate
from simlab.sim.laws import Constant
from simlab.sim.spec import WorldSpec
from simlab.strategies import LEAVES_CALLS_OPEN, STRATEGIES
from simlab.testing.worlds import random_world
from tests.strategies.products.kit import event, request, run, tool, urgent, world

EFFECTS = "every_effect_happens_once_per_intent"
STARVES = "nothing_starves_while_the_agent_is_idle"
KNOWN: Mapping[str, frozenset[str]] = {
    "langgraph-rollback": frozenset({EFFECTS}),
    "langgraph-rollback-concat": frozenset({EFFECTS}),
    "openclaw-collect": frozenset({STARVES}),
}
SENDS = [tool("t", 8000, commit_share=0.5)]  # runs 2,000-10,000, takes effect at 6,000


class Undeclared:
    """A strategy that departs from the rules as before and declares nothing."""

    def __init__(self, strategy: Strategy) -> None:
        self._strategy = strategy
        self.name = f"{strategy.name}, undeclared"
        self.traits: Traits = dataclasses.replace(strategy.traits, departures=frozenset())

    def on_event(self, view: View, event: Event, verdict: Verdict) -> Decision | Sequence[Decision]:
        return self._strategy.on_event(view, event, verdict)

    def at_safe_point(self, view: View, point: SafePoint) -> Take:
        return self._strategy.at_safe_point(view, point)

    def on_open_calls(self, view: View, calls: Sequence[OpenCall], moment: Moment) -> Mapping[str, Closing]:
        return self._strategy.on_open_calls(view, calls, moment)


def _breached(record: RunRecord) -> set[str]:
    return {breach.invariant for breach in check(record)}


@pytest.mark.parametrize(
    ("name", "spec", "departure", "invariant"),
    [
        ("langgraph-rollback", world([request(), event("U2", 5000)]), Departure.REWINDS, "history_is_append_only"),
        (
            "codex-interrupt",
            world([request(), event("U2", 4000), urgent("U3", 5000)]),
            Departure.CLEARS_BACKLOG,
            "dropping_is_declared",
        ),
        (
            "cline-steer-front",
            world([request(), event("U2", 4000), event("U3", 5000)]),
            Departure.REORDERS,
            "order_is_kept_within_a_source",
        ),
        ("pipecat-cancel", world([request(), event("U2", 5000)]), Departure.EDITS, "history_is_append_only"),
        (
            "claude-esc",
            world([request(), urgent("U2", 11_000)]),
            Departure.KEEPS_PARTIAL,
            "partial_output_is_never_recorded",
        ),
        (
            "docker-steer-no-entry",
            world([request(), event("U2", 11_000)]),
            Departure.WAITS,
            "every_event_is_consumed_once_or_accounted_for",
        ),
    ],
)
def test_a_declared_departure_is_no_breach_and_an_undeclared_one_is(
    name: str, spec: WorldSpec, departure: Departure, invariant: str
) -> None:
    strategy = STRATEGIES.get(name)
    assert departure in strategy.traits.departures
    assert _breached(run(name, spec)) == set()
    assert invariant in _breached(simulate(spec, Undeclared(strategy), ROUTERS.get("by_type")))


def test_a_rolled_back_run_repeats_its_effect_when_the_client_sends_the_request_again() -> None:
    spec = world([request(), event("U2", 8000)], SENDS)
    assert _breached(run("langgraph-rollback-concat", spec)) == {EFFECTS}


def test_a_rolled_back_run_repeats_its_effect_when_the_person_asks_again() -> None:
    patient = dataclasses.replace(request(), patience_ms=Constant(value=20_000.0), repeats=1)
    spec = world([patient, event("U2", 8000)], SENDS)
    record = run("langgraph-rollback", spec)
    assert [effect.at_ms for effect in record.effects] == [6000, 26_000]  # asked again 20,000; called by 22,000
    assert _breached(record) == {EFFECTS}
    assert _breached(run("langgraph-enqueue", spec)) == set()


def test_collecting_starves_under_a_steady_drip_and_an_idle_join_does_not() -> None:
    drip = [event(f"E{number}", 3000 + 400 * number) for number in range(200)]  # until 83,000, one each 400 ms
    spec = world([request(), *drip])
    assert _breached(run("openclaw-collect", spec)) == {STARVES}
    assert _breached(run("gemini-idle-join", spec)) == set()


HONEST = [name for name in STRATEGIES if name not in LEAVES_CALLS_OPEN]


def _check_worlds(name: str, seeds: range) -> None:
    strategy = STRATEGIES.get(name)
    for seed in seeds:
        record = simulate(random_world(Random(seed)), strategy, ROUTERS.get(("by_type", "oracle")[seed % 2]), seed=seed)
        assert _breached(record) <= KNOWN.get(name, frozenset()), f"seed {seed}"


@pytest.mark.parametrize("name", HONEST)
def test_no_undeclared_breach_occurs_over_random_worlds(name: str) -> None:
    _check_worlds(name, range(40))


@pytest.mark.nightly
@pytest.mark.parametrize("name", HONEST)
def test_no_undeclared_breach_occurs_over_many_worlds(name: str) -> None:
    _check_worlds(name, range(40, 1000))


def test_a_stranded_request_that_is_asked_again_is_done_once_whichever_is_read_first() -> None:
    stranded = dataclasses.replace(request("U2", 1000), patience_ms=Constant(value=5000.0), repeats=1)
    record = run("docker-steer-no-entry", world([event("U1", 0), stranded], SENDS))
    assert [effect.at_ms for effect in record.effects] == [12_000]  # asked again 6,000; called 8,000
    assert record.events["U2"].consumed_ms == 16_000  # with the results of its own repetition
    assert check(record) == []
