"""A run is a case: its last request with what its tools really did, and the strict rules find what the strategy did."""

from random import Random

import pytest

from simlab.check.cases import read_case
from simlab.check.runs import case_of
from simlab.check.verdict import judge
from simlab.core.commands import CallModel
from simlab.core.decisions import Departure
from simlab.core.errors import SimlabError
from simlab.core.record import RunRecord
from simlab.dialects.registry import DIALECTS
from simlab.experiment.scenario import load_scenario
from simlab.routers import ROUTERS
from simlab.sim.driver import simulate
from simlab.sim.spec import WorldSpec
from simlab.strategies import LEAVES_CALLS_OPEN, STRATEGIES
from simlab.testing.worlds import random_world


def ran(world: WorldSpec, strategy: str) -> RunRecord:
    return simulate(world, STRATEGIES.get(strategy), ROUTERS.get("by_type"), seed=1)


def strict_errors(record: RunRecord, dialect: str) -> set[str]:
    verdict = judge(read_case(case_of(record, dialect)), mode="strict")
    return {one.rule for one in verdict.findings if one.severity == "error"}


def test_strict_mode_finds_in_a_run_what_its_strategy_did_and_nothing_else() -> None:
    blamed: dict[str, set[str]] = {}
    for seed in (1, 2, 3):
        for number, strategy in enumerate(STRATEGIES.names()):
            record = ran(random_world(Random(seed)), strategy)
            if not any(isinstance(each, CallModel) for _, each in record.trace.records):
                continue
            dialect = DIALECTS[(number + seed) % len(DIALECTS)]
            if found := strict_errors(record, dialect):
                blamed.setdefault(strategy, set()).update(found)
    rewinds = {name for name in STRATEGIES.names() if Departure.REWINDS in STRATEGIES.get(name).traits.departures}
    assert {name for name, rules in blamed.items() if "unrecorded_execution" in rules} <= rewinds
    left_open = {name for name, rules in blamed.items() if "dangling_tool_call" in rules}
    assert left_open
    assert left_open <= LEAVES_CALLS_OPEN
    assert set().union(*blamed.values()) == {"unrecorded_execution", "dangling_tool_call"}


def test_the_ledger_stands_beside_the_request() -> None:
    case = case_of(ran(load_scenario("02-stop-said-it-wrong-at-5500").world, "cancel"), "anthropic")
    assert [(line["t"], line["kind"]) for line in case["events"]] == [
        (2.0, "exec_start"),
        (5.0, "effect"),
        (5.5, "cancel"),
        (5.5, "exec_killed"),
    ]
    assert case["messages"][2]["content"][0]["is_error"] is True
    assert case["request"]["tools"][0]["name"] == "send_email"


def test_a_run_without_a_model_call_has_no_request() -> None:
    record = ran(load_scenario("02-stop-said-it-wrong").world, "cancel")
    record.trace.records.clear()
    with pytest.raises(SimlabError, match="the model was never called, so there is no request to write"):
        case_of(record, "anthropic")
