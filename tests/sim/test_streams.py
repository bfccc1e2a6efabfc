import math
import os
import pickle
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from simlab.core.errors import SimlabError
from simlab.sim.streams import Draws
from tests.sim.planted_streams import CounterDraws

NAMES = st.lists(st.one_of(st.text(max_size=8), st.integers()), max_size=4).map(tuple)

CHANCE = 1e-6  # a test at fixed seeds: passes always or never; the level says how surprising a failure would have been


@given(name=NAMES, seed=st.integers(0, 2**128), replication=st.integers(0, 2**40))
def test_a_draw_lies_strictly_between_zero_and_one(name: tuple[str | int, ...], seed: int, replication: int) -> None:
    assert 0.0 < Draws(seed, replication).uniform(*name) < 1.0


def test_the_outermost_digests_still_give_numbers_inside() -> None:
    assert 0.0 < 0.5 * 2.0**-52
    assert (2**52 - 0.5) * 2.0**-52 < 1.0


@given(name=NAMES, others=st.lists(NAMES, max_size=5))
def test_a_draw_depends_on_its_name_and_on_nothing_that_was_drawn_before(
    name: tuple[str | int, ...], others: list[tuple[str | int, ...]]
) -> None:
    busy = Draws(5, 7)
    for other in others:
        busy.uniform(*other)
    assert busy.uniform(*name) == Draws(5, 7).uniform(*name)


@given(left=NAMES, right=NAMES)
def test_different_names_give_different_draws(left: tuple[str | int, ...], right: tuple[str | int, ...]) -> None:
    draws = Draws(1, 0)
    assert (draws.uniform(*left) == draws.uniform(*right)) == (left == right)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        (("a", "b"), ("ab",)),
        (("1",), (1,)),
        ((1, 2), (12,)),
        (("a', 'b",), ("a", "b")),
        (("a",), ("a", "")),
        ((), ("",)),
        (("é",), ("\\xe9",)),
        (("a", -1), ("a-1",)),
    ],
)
def test_names_that_look_alike_are_different_names(left: tuple[str | int, ...], right: tuple[str | int, ...]) -> None:
    assert Draws(1, 0).uniform(*left) != Draws(1, 0).uniform(*right)


def test_seed_and_replication_both_change_every_draw_and_are_not_interchangeable() -> None:
    values = {Draws(seed, replication).uniform("x") for seed in range(20) for replication in range(20)}
    assert len(values) == 400


@given(name=NAMES, count=st.integers(0, 6))
def test_a_run_of_draws_equals_the_single_draws_with_the_index_in_the_name(
    name: tuple[str | int, ...], count: int
) -> None:
    draws = Draws(3, 4)
    assert draws.uniforms(*name, count=count) == [draws.uniform(*name, index) for index in range(count)]


@pytest.mark.parametrize(
    "make",
    [
        lambda index: Draws(11, 0).uniform("tool", index),
        lambda index: Draws(11, index).uniform("tool", "task", 1),
        lambda index: Draws(index, 0).uniform("tool", "task", 1),
        lambda index: Draws(11, 0).uniform(f"event-{index}", "tokens"),
    ],
    ids=["over names", "over replications", "over seeds", "over texts"],
)
def test_draws_are_uniform(make: object) -> None:
    assert callable(make)
    values = [make(index) for index in range(20_000)]
    assert stats.kstest(values, "uniform").pvalue > CHANCE
    cells, _ = np.histogram(values, bins=256, range=(0, 1))
    assert stats.chisquare(cells).pvalue > CHANCE


def test_draws_of_different_names_are_independent() -> None:
    rows = np.array(
        [
            [
                Draws(2, replication).uniform("tool", "a"),
                Draws(2, replication).uniform("tool", "b"),
                Draws(2, replication).uniform("tokens", "a"),
                Draws(2, replication + 1).uniform("tool", "a"),
                Draws(3, replication).uniform("tool", "a"),
            ]
            for replication in range(20_000)
        ]
    )
    for left in range(rows.shape[1]):
        for right in range(left):
            table, _, _ = np.histogram2d(rows[:, left], rows[:, right], bins=12, range=((0, 1), (0, 1)))
            assert stats.chi2_contingency(table).pvalue > CHANCE, (left, right)


def test_neighbouring_draws_of_a_run_are_uncorrelated() -> None:
    values = np.array(Draws(9, 9).uniforms("gap", count=50_000))
    for lag in (1, 2, 7):
        correlation = float(np.corrcoef(values[:-lag], values[lag:])[0, 1])
        assert abs(correlation) * math.sqrt(values.size) < stats.norm.isf(CHANCE / 2)


def test_the_numbers_are_the_same_in_another_process_with_another_hash_seed() -> None:
    names: list[tuple[str | int, ...]] = [("tool", "täsk", 3), ("",), (), (-1, "x"), (2**70,), ("\ud800",)]
    code = f"from simlab.sim.streams import Draws\nprint([Draws(42, 17).uniform(*name) for name in {names!a}])"
    here = repr([Draws(42, 17).uniform(*name) for name in names])
    for hash_seed in ("0", "1", "4242"):
        there = subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": hash_seed},
            capture_output=True,
            text=True,
            check=True,
        )
        assert there.stdout.strip() == here


def test_the_numbers_never_change_between_versions() -> None:
    """Results already published must stay reproducible: these values were written down once."""
    assert Draws(0, 0).uniform("tool", "task", 1) == 0.4481577210813775
    assert Draws(2026, 3).uniform("tokens", "é") == 0.20504873616352592


def test_draws_survive_a_trip_to_another_worker() -> None:
    draws = pickle.loads(pickle.dumps(Draws(8, 9)))
    assert (draws.seed, draws.replication) == (8, 9)
    assert draws.uniform("x", 1) == Draws(8, 9).uniform("x", 1)
    assert repr(draws) == "Draws(seed=8, replication=9)"


@pytest.mark.parametrize(("seed", "replication"), [(-1, 0), (0, -1), (True, 0), (1.5, 0), ("1", 0), (0, None)])
def test_a_seed_that_is_no_whole_number_from_zero_up_is_refused(seed: int, replication: int) -> None:
    with pytest.raises(SimlabError, match=r"must be a whole number from 0 up"):
        Draws(seed, replication)


def cautious(draws: Draws | CounterDraws) -> dict[tuple[str | int, ...], float]:
    """Run one tool after another."""
    return {name: draws.uniform(*name) for name in (("tool", "a"), ("tool", "b"), ("tool", "c"))}


def hasty(draws: Draws | CounterDraws) -> dict[tuple[str | int, ...], float]:
    """Make one more model call before the second tool: one more draw, as an interrupting strategy would."""
    first = draws.uniform("tool", "a")
    draws.uniform("model", "retry")
    return {("tool", "a"): first, ("tool", "b"): draws.uniform("tool", "b"), ("tool", "c"): draws.uniform("tool", "c")}


def test_draws_of_the_same_name_are_equal_whatever_a_strategy_did_before() -> None:
    assert cautious(Draws(1, 1)) == hasty(Draws(1, 1))


def test_the_planted_counter_stream_gives_other_luck_to_a_strategy_that_draws_once_more() -> None:
    left, right = cautious(CounterDraws(1, 1)), hasty(CounterDraws(1, 1))
    assert left["tool", "a"] == right["tool", "a"]
    assert left["tool", "b"] != right["tool", "b"]
