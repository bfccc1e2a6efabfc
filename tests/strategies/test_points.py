"""The policy space: each product is its point, or says what more it is."""

from random import Random

import pytest

from simlab.core.canon import canonical
from simlab.core.commands import Refuse
from simlab.core.record import RunRecord
from simlab.routers import ROUTERS
from simlab.sim.driver import simulate
from simlab.sim.spec import WorldSpec
from simlab.strategies import STRATEGIES
from simlab.strategies.points import MORE_THAN_A_POINT, POINTS
from simlab.strategies.policy_strategy import PolicyStrategy
from simlab.testing.worlds import random_world
from tests.strategies.products.kit import event, request, world

NO_POINT = {"queue-join", "routed", "routed-background", "oracle-policy", "random"}
EXACT = sorted(set(POINTS) - set(MORE_THAN_A_POINT))


def _story(record: RunRecord) -> bytes:
    """Return everything that happened; the words of a refusal and the strategy's own name are its own."""
    record.strategy = record.trace.strategy = ""
    record.trace.departures = frozenset()
    record.trace.records = [
        (at_ms, Refuse(event_id=item.event_id, reason="") if isinstance(item, Refuse) else item)
        for at_ms, item in record.trace.records
    ]
    return canonical(record)


def _same(name: str, spec: WorldSpec, seed: int) -> bool:
    router = ROUTERS.get(("by_type", "oracle")[seed % 2])
    by_hand = simulate(spec, STRATEGIES.get(name), router, seed=seed)
    by_point = simulate(spec, PolicyStrategy(POINTS[name]), router, seed=seed)
    return _story(by_hand) == _story(by_point)


def test_every_strategy_is_a_named_point_or_no_product() -> None:
    assert set(STRATEGIES.names()) == set(POINTS) | NO_POINT
    assert set(MORE_THAN_A_POINT) <= set(POINTS)


@pytest.mark.parametrize("name", EXACT)
def test_the_plug_in_and_its_point_tell_the_same_story_over_random_worlds(name: str) -> None:
    for seed in range(30):
        assert _same(name, random_world(Random(seed)), seed), f"seed {seed}"


@pytest.mark.nightly
@pytest.mark.parametrize("name", EXACT)
def test_the_plug_in_and_its_point_tell_the_same_story_over_many_worlds(name: str) -> None:
    for seed in range(40, 1000):
        assert _same(name, random_world(Random(seed)), seed), f"seed {seed}"


@pytest.mark.parametrize("name", sorted(set(MORE_THAN_A_POINT)))
def test_what_is_more_than_its_point_differs_from_it_somewhere(name: str) -> None:
    assert not all(_same(name, random_world(Random(seed)), seed) for seed in range(120))


@pytest.mark.parametrize("name", EXACT)
def test_a_point_declares_no_more_and_no_less_than_its_plug_in(name: str) -> None:
    assert PolicyStrategy(POINTS[name]).traits.departures == STRATEGIES.get(name).traits.departures


def test_the_same_text_is_merged_by_both() -> None:
    twice = [event(f"U{number}", 3000 + number, text="hurry") for number in range(2, 5)]
    assert _same("cline-steer-front", world([request(), *twice]), 0)


def test_more_than_the_cap_is_summarised_by_both() -> None:
    many = [event(f"E{number}", 3000 + number) for number in range(25)]
    assert _same("openclaw-collect", world([request(), *many]), 0)
    assert _same("docker-steer", world([request(), *many]), 0)
