"""I14: a run's requests can be sent to every provider; a strategy that leaves calls open is caught."""

import importlib
from random import Random

from simlab.check.wire import roles_follow_each_other_as_the_provider_demands as on_the_wire
from simlab.core.record import RunRecord
from simlab.dialects.registry import DIALECTS
from simlab.experiment.scenario import load_scenario
from simlab.invariants import ELSEWHERE, Blame
from simlab.routers import ROUTERS
from simlab.sim.driver import simulate
from simlab.strategies import LEAVES_CALLS_OPEN, STRATEGIES
from simlab.testing.worlds import random_world


def ran(strategy: str, scenario: str = "02-stop-said-it-wrong") -> RunRecord:
    return simulate(load_scenario(scenario).world, STRATEGIES.get(strategy), ROUTERS.get("by_type"))


def test_no_strategy_that_closes_its_calls_breaks_it() -> None:
    for strategy in sorted(set(STRATEGIES.names()) - LEAVES_CALLS_OPEN):
        record = simulate(random_world(Random(3)), STRATEGIES.get(strategy), ROUTERS.get("by_type"), seed=3)
        assert list(on_the_wire(record)) == [], strategy


def test_a_call_left_open_is_told_once_with_every_dialect_that_refuses_it() -> None:
    (breach,) = on_the_wire(ran("hard-cancel"))
    assert breach.blame is Blame.STRATEGY
    assert breach.at_ms == 4_000
    assert breach.what == f"model call 2 would be refused (dangling_tool_call) by {', '.join(DIALECTS)}"


def test_one_provider_can_be_asked_alone() -> None:
    (breach,) = on_the_wire(ran("hard-cancel"), ["mistral"])
    assert breach.what.endswith("by mistral")


def test_the_catalogue_says_where_it_is() -> None:
    (entry,) = [each for each in ELSEWHERE if each.number == "I14"]
    found = getattr(importlib.import_module(entry.place), entry.name)
    assert found is on_the_wire
    assert entry.statement in " ".join((found.__doc__ or "").split())
