from math import log

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from simlab.sim.laws.inversion import LogKnots, normal_between, normal_density, solve


def normal_tails(y: float, upper: bool) -> tuple[float, float]:
    """Log value normal with mean 1 and standard deviation 2."""
    law = stats.norm(1, 2)
    return float(law.sf(y) if upper else law.cdf(y)), float(law.pdf(y))


def gap_tails(y: float, upper: bool) -> tuple[float, float]:
    """Half of the mass in [0, 1], half in [5, 6]; nothing, and no slope, in between."""
    below = 0.5 * min(max(y, 0.0), 1.0) + 0.5 * min(max(y - 5, 0.0), 1.0)
    return (1 - below if upper else below), 0.5 if 0 <= y <= 1 or 5 <= y <= 6 else 0.0


@given(st.floats(2.0**-53, 1 - 2.0**-53))
def test_a_table_of_a_lognormal_law_inverts_it_far_into_both_tails(u: float) -> None:
    assert log(KNOTS.quantile(u)) == pytest.approx(float(stats.norm.ppf(u, 1, 2)), rel=1e-9, abs=1e-9)


KNOTS = LogKnots.of(normal_tails, -40, 40)


@given(st.floats(0.001, 0.999), st.floats(-1, 7))
def test_newtons_steps_stay_in_the_bracket_where_the_density_vanishes(u: float, guess: float) -> None:
    y = solve(gap_tails, u, -1, 7, guess)
    assert gap_tails(y, False)[0] == pytest.approx(u, abs=1e-9)


def test_inside_a_jump_the_place_of_the_jump_is_returned() -> None:
    assert solve(lambda y, upper: (0.2 if (y >= 1) == upper else 0.8, 0.0), 0.5, -3, 4, 0) == pytest.approx(1)


@pytest.mark.parametrize("guess", [-100.0, 100.0, float("nan")])
def test_a_guess_outside_the_bracket_is_replaced(guess: float) -> None:
    assert solve(normal_tails, 0.3, -30, 30, guess) == pytest.approx(float(stats.norm.ppf(0.3, 1, 2)))


def test_the_standard_normal_law_matches_scipy_also_far_out() -> None:
    for low, high in ((-40.0, -8.0), (-1.0, 2.0), (3.0, 3.5), (9.0, 10.0)):
        expected = stats.norm.cdf(high) - stats.norm.cdf(low) if low < 0 else stats.norm.sf(low) - stats.norm.sf(high)
        assert normal_between(low, high) == pytest.approx(float(expected), rel=1e-9)
    assert normal_density(1.5) == pytest.approx(float(stats.norm.pdf(1.5)))
