"""What nobody could know changes nothing: two worlds that differ in one hidden fact, and the first record that differs.

The agent learns through inputs alone. So when a drawn tool end, a commit instant or a true intent is altered, the
first difference between the two traces must be the input that shows it; before it, command by command, they are equal.
"""

from collections.abc import Callable
from dataclasses import replace
from itertools import zip_longest
from random import Random
from typing import get_args

import pytest

from simlab.core.canon import line
from simlab.core.inputs import (
    Input,
    ModelFinished,
    ModelStopped,
    Routed,
    SideEnded,
    StreamItem,
    ToolCancelled,
    ToolEnded,
)
from simlab.core.record import IntentKind, RunRecord
from simlab.core.trace import Record
from simlab.routers import ROUTERS
from simlab.sim.driver import simulate
from simlab.sim.spec import ToolModel, WorldSpec
from simlab.strategies import STRATEGIES
from simlab.testing.worlds import random_world
from tests.validation.building import constant

INPUTS = get_args(Input)
MODEL_INPUTS = (ModelFinished, ModelStopped, SideEnded, StreamItem)
SEEDS = range(25)
PLAIN = ("queue", "queue-turn", "cancel", "cancel-background", "parallel", "routed")
"""Strategies that let every event be read, so that the altered fact must come out in some of the worlds."""


def plain_world(seed: int) -> WorldSpec:
    """A random world without people who react and without places that hang on a reference run."""
    spec = random_world(Random(seed))
    events = tuple(replace(each, patience_ms=None, retry_ms=None) for each in spec.events)
    return replace(spec, placed=(), sessions=(), events=events, model_concurrency=None)


def first_difference(one: RunRecord, other: RunRecord) -> "tuple[Record | None, Record | None] | None":
    for left, right in zip_longest(one.trace.records, other.trace.records):
        if left is None or right is None or line(*left) != line(*right):
            return left, right
    return None


def both(seed: int, strategy: str, router: str, alter: Callable[[WorldSpec, int], WorldSpec]) -> list[RunRecord]:
    spec = plain_world(seed)
    return [simulate(alter(spec, which), STRATEGIES.get(strategy), ROUTERS.get(router), seed=seed) for which in (0, 1)]


def with_first_tool(spec: WorldSpec, change: Callable[[ToolModel], ToolModel]) -> WorldSpec:
    return replace(spec, tools=(change(spec.tools[0]), *spec.tools[1:]))


def other_end(spec: WorldSpec, which: int) -> WorldSpec:
    """The first tool runs 3 s or 7 s; the second result says so, and nothing before."""
    run_ms = constant((3_000, 7_000)[which])
    return with_first_tool(spec, lambda tool: replace(tool, run_ms=run_ms, timeout_ms=None))


def other_commit(spec: WorldSpec, which: int) -> WorldSpec:
    """The effect of the first tool takes place early or late in its run."""
    return with_first_tool(spec, lambda tool: replace(tool, commit_share=(0.1, 0.9)[which]))


def other_intent(spec: WorldSpec, which: int) -> WorldSpec:
    """The last event corrects the first request, or is a mere notice."""
    last = spec.events[-1]
    kind = (IntentKind.NOTICE, IntentKind.CORRECT)[which]
    intent = replace(last.intent, kind=kind, task="E1", step=None, plan=None)
    return replace(spec, events=(*spec.events[:-1], replace(last, intent=intent)))


def names_the_tool(record: "Record | None", allowed: tuple[type, ...]) -> bool:
    return record is not None and isinstance(record[1], allowed)


@pytest.mark.parametrize("strategy", STRATEGIES.names())
def test_a_tool_end_shows_when_one_of_the_two_has_ended(strategy: str) -> None:
    shown = 0
    for seed in SEEDS:
        difference = first_difference(*both(seed, strategy, "by_type", other_end))
        if difference is not None:
            shown += 1
            assert any(names_the_tool(each, (ToolEnded, ToolCancelled)) for each in difference), difference
            assert all(each is None or isinstance(each[1], INPUTS) for each in difference), difference
    assert shown > 3 or strategy not in PLAIN


@pytest.mark.parametrize("strategy", STRATEGIES.names())
def test_a_commit_instant_shows_in_an_acknowledgement_and_nowhere_else(strategy: str) -> None:
    for seed in SEEDS:
        difference = first_difference(*both(seed, strategy, "by_type", other_commit))
        if difference is not None:
            assert all(names_the_tool(each, (ToolCancelled,)) for each in difference), difference


@pytest.mark.parametrize("strategy", STRATEGIES.names())
def test_a_true_intent_shows_when_a_model_has_read_the_event(strategy: str) -> None:
    shown = 0
    for seed in SEEDS:
        one, other = both(seed, strategy, "by_type", other_intent)
        difference = first_difference(one, other)
        if difference is None:
            continue
        shown += 1
        told = [each for each in difference if each is not None]
        assert all(isinstance(each[1], INPUTS) for each in told), difference
        assert any(isinstance(each[1], ModelFinished | ModelStopped | SideEnded | StreamItem) for each in told), (
            difference
        )
        last = max((name for name in one.events if name.startswith("E")), key=lambda name: int(name[1:]))
        assert min(each[0] for each in told) >= one.events[last].arrived_ms
    assert shown > 1 or strategy not in PLAIN


def test_the_oracle_is_the_one_router_that_shows_an_intent_in_a_verdict() -> None:
    kinds = set()
    for seed in SEEDS:
        difference = first_difference(*both(seed, "queue", "oracle", other_intent))
        kinds |= {type(each[1]) for each in difference or () if each is not None}
    assert Routed in kinds
