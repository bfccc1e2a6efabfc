import math

import numpy as np
import pytest

from simlab.analysis.stats.sensitivity import morris_design, morris_indices, sobol_design, sobol_indices
from simlab.analysis.stats.values import StatisticsError

ANGLES = {"x1": (-math.pi, math.pi), "x2": (-math.pi, math.pi), "x3": (-math.pi, math.pi)}
LINE = {"patience_ms": (0.0, 10.0), "rate": (1.0, 3.0), "nothing": (0.0, 1.0)}


def test_sobol_indices_of_the_ishigami_function_are_the_analytical_ones() -> None:
    # T. Ishigami and T. Homma 1990, a = 7, b = 0.1: S1 = 0.3139, 0.4424, 0; ST = 0.5576, 0.4424, 0.2437
    points = sobol_design(ANGLES, base=2048, seed=1)
    outputs = np.sin(points[:, 0]) + 7 * np.sin(points[:, 1]) ** 2 + 0.1 * points[:, 2] ** 4 * np.sin(points[:, 0])
    found = {index.parameter: index for index in sobol_indices(ANGLES, outputs, seed=1)}
    assert [found[name].first.estimate for name in ANGLES] == pytest.approx([0.3139, 0.4424, 0.0], abs=0.03)
    assert [found[name].total.estimate for name in ANGLES] == pytest.approx([0.5576, 0.4424, 0.2437], abs=0.03)
    assert found["x1"].total.covers(0.5576)


def test_the_most_important_parameter_comes_first() -> None:
    points = sobol_design(LINE, base=64, seed=1)
    found = sobol_indices(LINE, 3 * points[:, 0] + points[:, 1], seed=1)
    assert [index.parameter for index in found] == ["patience_ms", "rate", "nothing"]


def test_morris_effects_of_a_line_are_slope_times_range() -> None:
    points = morris_design(LINE, trajectories=10, seed=1)
    assert points.shape == (40, 3)
    found = morris_indices(LINE, points, -2 * points[:, 0] + 3 * points[:, 1], seed=1)
    assert [index.parameter for index in found] == ["patience_ms", "rate", "nothing"]
    assert [index.mu_star.estimate for index in found] == pytest.approx([20.0, 6.0, 0.0])
    assert [index.mu for index in found] == pytest.approx([-20.0, 6.0, 0.0])
    assert [index.sigma for index in found] == pytest.approx([0.0, 0.0, 0.0], rel=1e-9, abs=1e-9)
    assert found[0].mu_star.n == 10


def test_a_design_is_the_same_for_the_same_seed() -> None:
    assert (morris_design(LINE, trajectories=4, seed=7) == morris_design(LINE, trajectories=4, seed=7)).all()
    assert (sobol_design(LINE, base=8, seed=7) == sobol_design(LINE, base=8, seed=7)).all()


def test_points_lie_within_the_ranges() -> None:
    points = sobol_design(LINE, base=16, seed=3)
    assert points.shape == (80, 3)
    for column, (low, high) in zip(points.T, LINE.values(), strict=True):
        assert low <= column.min() <= column.max() <= high


def test_mistakes_are_told() -> None:
    with pytest.raises(StatisticsError, match="power of two"):
        sobol_design(LINE, base=100, seed=1)
    with pytest.raises(StatisticsError, match="low < high"):
        sobol_design({"x": (1.0, 1.0)}, base=8, seed=1)
    with pytest.raises(StatisticsError, match="multiple of 5"):
        sobol_indices(LINE, [1.0, 2.0], seed=1)
    with pytest.raises(StatisticsError, match="every output is the same"):
        sobol_indices(LINE, [1.0] * 40, seed=1)
    with pytest.raises(StatisticsError, match="finite values"):
        sobol_indices(LINE, [1.0] * 39 + [math.inf], seed=1)
    with pytest.raises(StatisticsError, match="needs 40"):
        morris_indices(LINE, morris_design(LINE, trajectories=10, seed=1), [1.0, 2.0], seed=1)
