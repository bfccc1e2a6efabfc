"""What a named draw costs beside the alternatives. Run with: pytest tests/benchmarks/test_draws.py --benchmark-enable.

Every case makes the same 1,000 lognormal numbers' worth of uniforms for 1,000 different names, so the columns compare.
Blocks are faster, but a place in a block has to be assigned to a name beforehand; see `simlab.sim.streams`.
"""

from collections.abc import Callable

import numpy as np
import pytest
from pytest_benchmark.fixture import BenchmarkFixture

from simlab.sim.laws import Lognormal
from simlab.sim.streams import Draws
from tests.timing import least_cpu_seconds

NAMES = [("tool", f"task-{index // 10}", index) for index in range(1000)]
LAW = Lognormal(median=850.0, sigma=1.5)


def named_draws() -> list[float]:
    draws = Draws(1, 2)
    return [draws.uniform(*name) for name in NAMES]


def named_runs() -> list[float]:
    return Draws(1, 2).uniforms("gap", count=1000)


def named_lognormals() -> list[float]:
    draws = Draws(1, 2)
    quantile = LAW.quantile
    return [quantile(draws.uniform(*name)) for name in NAMES]


def generator_for_each_name() -> list[float]:
    return [float(np.random.Generator(np.random.PCG64([1, 2, index])).random()) for index, _ in enumerate(NAMES)]


def pre_drawn_philox_block() -> list[float]:
    block = np.random.Generator(np.random.Philox(key=1, counter=2)).random(1000).tolist()
    take = iter(block).__next__
    return [take() for _ in NAMES]


@pytest.mark.parametrize(
    "make", [named_draws, named_runs, named_lognormals, generator_for_each_name, pre_drawn_philox_block]
)
def test_a_thousand_draws(benchmark: BenchmarkFixture, make: Callable[[], list[float]]) -> None:
    values = benchmark(make)
    assert len(set(values)) == 1000


def test_a_named_draw_is_several_times_cheaper_than_a_generator_for_each_name() -> None:
    assert 4 * least_cpu_seconds(named_draws, 5) < least_cpu_seconds(generator_for_each_name, 5)
