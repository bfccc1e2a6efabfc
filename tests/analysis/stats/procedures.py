"""Experiments on whole procedures: sequential stopping, selection of the best, claims on null comparisons."""

from dataclasses import dataclass

import numpy as np
from scipy import special

from simlab.analysis.stats.multiple import Adjustment
from simlab.analysis.stats.selection import SelectionPlan, select
from simlab.analysis.stats.sequential import Precision, StoppingRule, look, look_points
from simlab.analysis.stats.student import mean_interval, p_different
from simlab.analysis.stats.values import Floats, StudentInterval
from simlab.analysis.stats.verdict import winner
from tests.analysis.stats.worlds import World


@dataclass(frozen=True, kw_only=True, slots=True)
class Stopping:
    """How often the interval at the stop covers the truth, and when it stopped."""

    world: str
    metric: str
    relative_half_width: float
    floor_runs: int
    chunk_runs: int
    experiments: int
    covered: float
    reached: float
    median_runs: float
    first_look: float


def stopping(world: World, metric: str, half_width: float, experiments: int, *, seed: int, floor_runs: int) -> Stopping:
    """Repeat a sequential experiment on a per-run total (``mean`` or paired ``difference``), relative to b's mean."""
    a, b = world.a.whole(), world.b.whole()
    totals_a, totals_b = a.total(a.value), b.total(b.value)
    values = totals_b if metric == "mean" else totals_a - totals_b
    truth, reference = float(values.mean()), float(totals_b.mean())
    rule = StoppingRule(
        precisions={metric: Precision(half_width=half_width)}, chunk_runs=25, floor_runs=floor_runs, cap_runs=5000
    )
    rng = np.random.default_rng([seed, int(1000 * half_width)])
    ends = [_stop(rule, metric, values[rng.integers(len(values), size=5000)], reference) for _ in range(experiments)]
    sizes = np.array([end.n for end in ends])
    return Stopping(
        world=world.name,
        metric=metric,
        relative_half_width=half_width,
        floor_runs=floor_runs,
        chunk_runs=25,
        experiments=experiments,
        covered=float(np.mean([end.covers(truth) for end in ends])),
        reached=float(np.mean(sizes < 5000)),
        median_runs=float(np.median(sizes)),
        first_look=float(np.mean(sizes == min(look_points(rule)))),
    )


def _stop(rule: StoppingRule, metric: str, values: Floats, reference: float) -> StudentInterval:
    for n in look_points(rule):
        interval = mean_interval(values[:n])
        if look(rule, {metric: interval}, references={metric: reference}).stop:
            break
    return interval


@dataclass(frozen=True, kw_only=True, slots=True)
class Correctness:
    """How often selection names the best when it leads by exactly the indifference, the hardest case promised."""

    law: str
    strategies: int
    correlation: float
    first_runs: int
    chunk_runs: int
    experiments: int
    correct: float
    mean_runs: float


def correctness(
    law: str, strategies: int, correlation: float, experiments: int, *, seed: int, first_runs: int = 20, chunk_runs: int
) -> Correctness:
    """Repeat a selection at alpha 5 %: unit variances, all others equal and worse by 0.3."""
    plan = SelectionPlan(indifference=0.3, alpha=0.05, first_runs=first_runs, chunk_runs=chunk_runs)
    rng = np.random.default_rng([seed, strategies])
    names = [f"s{at}" for at in range(strategies)]
    right, runs = 0, 0
    for _ in range(experiments):
        noise = _noise(rng, law, strategies, correlation, n=12_000 if strategies > 5 else 4000)
        values = {
            name: row + (0.0 if at == 0 else 0.3) for at, (name, row) in enumerate(zip(names, noise, strict=True))
        }
        found = select(values, plan)
        assert found.best is not None, "the simulated runs are too few"
        right += found.best == "s0"
        runs += found.longest_runs or 0
    return Correctness(
        law=law,
        strategies=strategies,
        correlation=correlation,
        first_runs=first_runs,
        chunk_runs=chunk_runs,
        experiments=experiments,
        correct=right / experiments,
        mean_runs=runs / experiments,
    )


def _noise(rng: np.random.Generator, law: str, arms: int, correlation: float, n: int) -> Floats:
    """Shape (arms, n): unit variance, mean 0, the given correlation between arms; normal or lognormal (sigma 0.8)."""
    shared, own = rng.normal(size=n), rng.normal(size=(arms, n))
    if law == "normal":
        return np.asarray(np.sqrt(correlation) * shared + np.sqrt(1 - correlation) * own)
    # the correlation of two lognormals is (exp(s^2 r) - 1) / (exp(s^2) - 1); r is solved for
    s2 = 0.64
    r = np.log1p(correlation * np.expm1(s2)) / s2
    draws = np.exp(np.sqrt(s2) * (np.sqrt(r) * shared + np.sqrt(1 - r) * own))
    return np.asarray((draws - np.exp(s2 / 2)) / np.sqrt(np.exp(s2) * np.expm1(s2)))


@dataclass(frozen=True, kw_only=True, slots=True)
class Discovery:
    """Claims at 5 % where nothing is truly different: share of families with any claim, and of all comparisons."""

    family: str
    adjust: str
    comparisons: int
    families: int
    any_claim: float
    claims: float


def discovery(family: str, p_values: Floats, name: str, adjust: Adjustment) -> Discovery:
    """Count the claims; ``p_values`` has shape (families, comparisons)."""
    claims = np.array([(adjust(row) <= 0.05).sum() for row in p_values])
    return Discovery(
        family=family,
        adjust=name,
        comparisons=p_values.shape[1],
        families=len(p_values),
        any_claim=float(np.mean(claims > 0)),
        claims=float(np.sum(claims) / p_values.size),
    )


def null_maps(families: int, *, third: float, cells: int = 64, runs: int = 200, seed: int) -> Floats:
    """Shape (families, cells): p values of the winners among three strategies in each cell of a map.

    Two are equal; the third is worse by ``third`` (0: all are equal), so that no claim of a winner is ever true.

    Runs are lognormal; part of the luck is shared by all cells, as where a map keeps its seeds.
    """
    rng = np.random.default_rng([seed, cells])
    found = np.empty((families, cells))
    for family in range(families):
        luck = rng.normal(size=(3, runs))
        for cell in range(cells):
            noise = np.exp(0.6 * luck + 0.8 * rng.normal(size=(3, runs)))
            noise[2] += third
            found[family, cell] = winner({f"s{at}": row for at, row in enumerate(noise)}).p_value
    return found


def null_tables(families: int, *, alike: bool, rows: int = 12, runs: int = 50, seed: int) -> Floats:
    """Shape (families, rows): p values of paired comparisons of two strategies with equal means.

    ``alike``: both lognormal (sigma 1), so that the difference is symmetric. Otherwise the second is exponential
    with the same mean, and the difference is skewed. Metrics of one table share part of their luck.
    """
    rng = np.random.default_rng([seed, rows, alike])
    found = np.empty((families, rows))
    for family in range(families):
        luck = rng.normal(size=(2, runs))
        for row in range(rows):
            first, second = 0.8 * luck + 0.6 * rng.normal(size=(2, runs))
            a = np.exp(first)
            b = np.exp(second) if alike else -np.exp(0.5) * np.log(special.ndtr(-second))
            found[family, row] = p_different(mean_interval(a - b))
    return found
