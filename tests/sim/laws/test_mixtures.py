import pickle
from math import exp, inf, log
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simlab.core.errors import SimlabError
from simlab.sim.laws import (
    StallMixture,
    TwoLognormals,
)
from tests.sim.laws.examples import (
    FAR_APART,
    MANY_STALLS,
    PROBABILITIES,
    SHELL,
    STALLS,
    inverse_of,
    quadrature_moment,
    stall_cdf,
    two_lognormals_cdf,
)

MIDDLE = [u for u in PROBABILITIES if 1e-7 < u < 1 - 1e-7]


@pytest.mark.parametrize("law", [SHELL, FAR_APART], ids=["shell", "far apart"])
@pytest.mark.parametrize("u", MIDDLE)
def test_a_mixture_of_two_lognormals_inverts_scipys_mixture(law: TwoLognormals, u: float) -> None:
    assert law.quantile(u) == pytest.approx(inverse_of(lambda x: two_lognormals_cdf(law, x), u), rel=1e-8)


@pytest.mark.parametrize("law", [STALLS, MANY_STALLS], ids=["few", "many"])
@pytest.mark.parametrize("u", MIDDLE)
def test_stalls_invert_the_numerical_integral_over_the_stalls_size(law: StallMixture, u: float) -> None:
    assert law.quantile(u) == pytest.approx(inverse_of(lambda x: stall_cdf(law, x), u), rel=1e-7)


def test_stalls_agree_with_drawing_body_and_stall_apart() -> None:
    """The definition: body times 3 (1 + Lomax(1.5)), at most 60, in 1.5 % of the calls."""
    numbers = np.random.Generator(np.random.Philox(7))
    size = 400_000
    body = 0.8 * np.exp(0.5 * numbers.standard_normal(size))
    stall = np.minimum(60.0, 3 * (1 + numbers.pareto(1.5, size)))
    sample = np.where(numbers.random(size) < 0.015, body * stall, body)
    standard_error = float(sample.std()) / size**0.5
    assert abs(sample.mean() - STALLS.mean()) < 5 * standard_error
    for u in (0.5, 0.9, 0.99, 0.999):
        share = float((sample <= STALLS.quantile(u)).mean())
        assert abs(share - u) < 5 * (u * (1 - u) / size) ** 0.5


@given(
    weight=st.floats(0.001, 0.999),
    logs=st.tuples(st.floats(-12, 12), st.floats(-12, 12)),
    sigmas=st.tuples(st.floats(0.01, 4), st.floats(0.01, 4)),
    u=st.floats(2.0**-53, 1 - 2.0**-53),
)
def test_any_mixture_of_two_lognormals_is_inverted(
    weight: float, logs: tuple[float, float], sigmas: tuple[float, float], u: float
) -> None:
    law = TwoLognormals(
        weight=weight, median_1=exp(logs[0]), sigma_1=sigmas[0], median_2=exp(logs[1]), sigma_2=sigmas[1]
    )
    value = law.quantile(u)
    assert law.cdf(value * (1 - 1e-9)) - 1e-14 <= u <= law.cdf(value * (1 + 1e-9)) + 1e-14


@given(
    sigma=st.floats(0.01, 3),
    share=st.floats(0, 1),
    alpha=st.floats(0.2, 5),
    factor=st.floats(0.5, 10),
    spread=st.floats(1, 100),
    u=st.floats(1e-9, 1 - 1e-9),
)
def test_any_stall_mixture_is_inverted(
    sigma: float, share: float, alpha: float, factor: float, spread: float, u: float
) -> None:
    law = StallMixture(
        median=2.0,
        sigma=sigma,
        stall_probability=share,
        stall_alpha=alpha,
        stall_factor=factor,
        stall_limit=factor * spread,
    )
    value = law.quantile(u)
    assert law.cdf(value * (1 - 1e-9)) - 1e-11 <= u <= law.cdf(value * (1 + 1e-9)) + 1e-11


def test_stalls_with_extreme_parameters_do_not_overflow() -> None:
    law = StallMixture(median=1.0, sigma=0.01, stall_probability=0.5, stall_alpha=20.0)
    assert law.cdf(1e-9) == 0
    assert law.cdf(2.0) == pytest.approx(0.5)
    assert law.quantile(0.9) == pytest.approx(3.0 * 5 ** (1 / 20), rel=0.01)


@pytest.mark.parametrize("alpha", [1.0, 2.0, 1.5, 0.7])
@pytest.mark.parametrize("order", [1, 2])
@pytest.mark.parametrize("cap", [inf, 40.0, 7.0, 0.5])
def test_moments_of_stalls_equal_quadrature_also_where_the_power_meets_the_exponent(
    alpha: float, order: int, cap: float
) -> None:
    law = StallMixture(median=0.8, sigma=0.5, stall_probability=0.2, stall_alpha=alpha, cap=cap)
    assert law.moment(order) == pytest.approx(quadrature_moment(law, order), rel=1e-6)


def test_a_law_with_its_table_survives_a_trip_to_another_worker() -> None:
    law = pickle.loads(pickle.dumps(STALLS))
    assert law == STALLS
    assert law.quantile(0.77) == STALLS.quantile(0.77)


def test_the_tables_of_mixtures_are_fine_enough_for_the_extreme_draws() -> None:
    for law in (SHELL, FAR_APART, STALLS, MANY_STALLS):
        assert 0 < law.quantile(2.0**-53) < law.quantile(1 - 2.0**-53) < inf
        assert log(law.quantile(0.5)) == pytest.approx(log(inverse_of(law.cdf, 0.5)), abs=1e-9)


@pytest.mark.parametrize(
    ("make", "culprit"),
    [
        (lambda: TwoLognormals(weight=1.0, median_1=1.0, sigma_1=1.0, median_2=1.0, sigma_2=1.0), "weight"),
        (lambda: TwoLognormals(weight=0.5, median_1=1.0, sigma_1=0.0, median_2=1.0, sigma_2=1.0), "sigma_1"),
        (lambda: StallMixture(median=1.0, sigma=0.5, stall_probability=1.1), "stall_probability"),
        (lambda: StallMixture(median=1.0, sigma=0.5, stall_probability=0.1, stall_limit=2.0), "stall_limit"),
        (lambda: StallMixture(median=1.0, sigma=5.0, stall_probability=0.1, stall_alpha=5.0), "stall_alpha"),
        (lambda: StallMixture(median=1.0, sigma=0.1, stall_probability=0.1, stall_alpha=21.0), "stall_alpha"),
    ],
)
def test_parameters_that_make_no_sense_are_refused_by_name(make: Any, culprit: str) -> None:
    with pytest.raises(SimlabError, match=f"^{culprit}"):
        make()
