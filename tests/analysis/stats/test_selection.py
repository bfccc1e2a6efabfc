from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simlab.analysis.stats.selection import SelectionPlan, select
from simlab.analysis.stats.values import Floats, StatisticsError

PLAN = SelectionPlan(indifference=0.5, alpha=0.05, first_runs=10)


def race(seed: int, means: dict[str, float], n: int = 4000) -> dict[str, Floats]:
    """Arms that share three quarters of their variance."""
    rng = np.random.default_rng(seed)
    luck = rng.normal(size=n)
    return {name: mean + np.sqrt(3) * luck + rng.normal(size=n) for name, mean in means.items()}


def spread(first: Floats, other: Floats) -> float:
    """The paper's S^2: sample variance of the differences."""
    gaps = [float(x - y) - float(first.mean() - other.mean()) for x, y in zip(first, other, strict=True)]
    return sum(gap**2 for gap in gaps) / (len(gaps) - 1)


def kim_and_nelson(values: dict[str, Floats], plan: SelectionPlan) -> tuple[str, int]:
    """The procedure as the paper writes it, one replication at a time, largest mean best, c = 1."""
    n0, k, names = plan.first_runs, len(values), list(values)
    eta = 0.5 * ((2 * plan.alpha / (k - 1)) ** (-2 / (n0 - 1)) - 1)
    h2 = 2 * eta * (n0 - 1)
    s2 = {(i, m): spread(values[i][:n0], values[m][:n0]) for i in names for m in names}
    most = {i: max(int(h2 * s2[i, m] / plan.indifference**2) for m in names if m != i) for i in names}
    if n0 > max(most.values()):
        return max(names, key=lambda i: float(values[i][:n0].mean())), n0
    r, alive = n0, names
    while True:
        mean = {i: float(values[i][:r].mean()) for i in alive}

        def wide(i: str, m: str, r: int = r) -> float:
            return float(max(0.0, plan.indifference / (2 * r) * (h2 * s2[i, m] / plan.indifference**2 - r)))

        alive = [i for i in alive if all(mean[i] >= mean[m] - wide(i, m) for m in alive if m != i)]
        if len(alive) == 1:
            return alive[0], r
        r += 1
        if r == max(most.values()) + 1:
            return max(alive, key=lambda i: float(values[i][:r].mean())), r


@given(st.integers(0, 200), st.sampled_from([2, 3, 5]))
def test_it_is_the_published_procedure_step_by_step(seed: int, k: int) -> None:
    values = race(seed, {f"s{i}": -0.2 * i for i in range(k)}, n=2000)
    plan = replace(PLAN, higher_is_better=True)
    found = select(values, plan)
    assert (found.best, found.longest_runs) == kim_and_nelson(values, plan)


def test_clear_losers_leave_early_and_the_trace_says_why() -> None:
    values = race(1, {"good": 0.0, "fair": 0.6, "bad": 9.0})
    found = select(values, PLAN)
    assert found.best == "good"
    assert found.alive == ("good",)
    first = found.eliminations[0]
    assert (first.name, first.n) == ("bad", 10)
    assert first.gap > first.allowed
    assert found.eliminations[-1].name == "fair"
    assert found.eliminations[-1].n > 10


def test_it_asks_for_what_it_needs_until_it_knows() -> None:
    values = race(2, {"a": 0.0, "b": 0.4, "c": 0.5})
    plan = replace(PLAN, chunk_runs=7)
    have: dict[str, Floats] = {name: array[:0] for name, array in values.items()}
    asked = []
    found = select(have, plan)
    while found.best is None:
        assert found.next_runs is not None
        asked.append(found.next_runs)
        have |= {name: values[name][: found.next_runs] for name in found.alive}
        found = select(have, plan)
    assert asked[:3] == [10, 17, 24]
    assert found == select(values, plan)
    assert all(len(have[gone.name]) == gone.n for gone in found.eliminations)


def test_unused_runs_change_nothing() -> None:
    values = race(3, {"a": 0.0, "b": 1.0})
    found = select(values, PLAN)
    assert found.longest_runs is not None
    assert select({name: array[: found.longest_runs] for name, array in values.items()}, PLAN) == found


def test_common_luck_saves_runs() -> None:
    paired = race(4, {"a": 0.0, "b": 0.5})
    apart = {"a": race(5, {"a": 0.0})["a"], "b": race(6, {"b": 0.5})["b"]}
    few, many = select(paired, PLAN).longest_runs, select(apart, PLAN).longest_runs
    assert few is not None
    assert many is not None
    assert few < many / 2


def test_identical_strategies_end_at_once_with_the_first() -> None:
    values = race(7, {"a": 0.0})["a"]
    found = select({"a": values, "b": values}, PLAN)
    assert (found.best, found.longest_runs, found.alive) == ("a", 10, ("a", "b"))


@pytest.mark.parametrize(
    "change", [{"indifference": 0.0}, {"alpha": 0.5}, {"alpha": 0.0}, {"first_runs": 2}, {"chunk_runs": 0}]
)
def test_plans_without_sense_are_refused(change: dict[str, float]) -> None:
    with pytest.raises(StatisticsError, match="selection: needs"):
        replace(PLAN, **change)  # type: ignore[arg-type]


def test_censored_times_must_be_restricted() -> None:
    with pytest.raises(StatisticsError, match="common horizon"):
        select({"a": [1.0, float("inf")], "b": [1.0, 2.0]}, PLAN)


def test_a_selection_needs_two() -> None:
    with pytest.raises(StatisticsError, match="at least two"):
        select({"a": [1.0] * 20}, PLAN)


@given(st.integers(0, 1000), st.sampled_from([0.001, 60.0]))
def test_units_do_not_change_the_choice(seed: int, scale: float) -> None:
    values = race(seed, {"a": 0.0, "b": 0.3, "c": 0.6}, n=1500)
    scaled = {name: array * scale for name, array in values.items()}
    one = select(values, replace(PLAN, chunk_runs=50))
    other = select(scaled, replace(PLAN, chunk_runs=50, indifference=0.5 * scale))
    assert (one.best, one.next_runs) == (other.best, other.next_runs)
    assert [gone.n for gone in one.eliminations] == [gone.n for gone in other.eliminations]
