"""Walks are random, repeatable, and find nothing wrong with correct strategies."""

from random import Random

import pytest

from simlab.strategies import LEAVES_CALLS_OPEN, STRATEGIES
from simlab.testing.known import surprises
from simlab.testing.walking import Swarm, perform, random_swarm, walk


@pytest.mark.parametrize("name", [name for name in STRATEGIES.names() if name not in LEAVES_CALLS_OPEN])
def test_random_walks_find_nothing_wrong_with_a_shipped_strategy(name: str) -> None:
    for number in range(15):
        stage = walk(STRATEGIES.get(name), Random(number))
        assert surprises(name, stage.found) == []


def test_a_walk_is_a_function_of_its_generator_and_performs_again() -> None:
    first, second = (walk(STRATEGIES.get("routed"), Random(5)) for _ in range(2))
    assert first.played == second.played
    again = perform(tuple(first.played), STRATEGIES.get("routed"))
    assert [str(each) for each in again.trace.records] == [str(each) for each in first.trace.records]


def test_a_swarm_leaves_at_least_one_of_everything() -> None:
    for number in range(50):
        swarm = random_swarm(Random(number))
        assert swarm.types
        assert swarm.handlings
        assert swarm.tools


def test_walks_reach_every_kind_of_move() -> None:
    verbs: set[str] = set()
    for number in range(60):
        verbs |= {move.verb for move in walk(STRATEGIES.get("routed"), Random(number), swarm=Swarm(moves=40)).played}
    assert verbs >= {"arrives", "is-routed", "says", "stops", "ends", "acknowledges", "is-prepared", "is-answered"}
