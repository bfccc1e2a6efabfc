from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simlab.core.errors import SimlabError
from simlab.sim.laws import (
    Constant,
    Discrete,
    Empirical,
    Lognormal,
    ParetoTail,
    ZeroInflated,
)
from tests.sim.laws.examples import (
    SHELL,
    quadrature_moment,
)


def test_a_pareto_tail_leaves_the_body_alone_and_falls_as_a_power_above_the_threshold() -> None:
    body = Lognormal(median=1.0, sigma=2.0)
    law = ParetoTail(body=body, threshold=60.0, alpha=1.08)
    assert law.quantile(0.9) == body.quantile(0.9)
    assert law.cdf(60.0) == body.cdf(60.0)
    above = 1 - law.cdf(60.0)
    assert 1 - law.cdf(600.0) == pytest.approx(above * 10**-1.08)
    assert law.quantile(1 - above / 2) == pytest.approx(60.0 * 2 ** (1 / 1.08))


@pytest.mark.parametrize("cap", [10.0, 60.0, 100.0, 3600.0])
@pytest.mark.parametrize("order", [1, 2])
def test_moments_with_a_pareto_tail_equal_quadrature_below_at_and_above_the_threshold(cap: float, order: int) -> None:
    law = ParetoTail(body=SHELL, threshold=60.0, alpha=1.08, cap=cap)
    assert law.moment(order) == pytest.approx(quadrature_moment(law, order), rel=1e-6)


@given(st.lists(st.floats(0, 1e6), min_size=1, max_size=30), st.floats(2.0**-53, 1 - 2.0**-53))
def test_an_empirical_law_has_numpys_quantiles(values: list[float], u: float) -> None:
    law = Empirical(values=tuple(values))
    assert law.quantile(u) == pytest.approx(float(np.quantile(values, u)), rel=1e-9, abs=1e-9)


def test_an_empirical_law_of_one_value_is_that_value() -> None:
    law = Empirical(values=(4.0,))
    assert (law.quantile(0.3), law.mean(), law.cdf(3.9), law.cdf(4.0)) == (4.0, 4.0, 0.0, 1.0)


def test_a_discrete_law_gives_each_value_its_share() -> None:
    law = Discrete(values=(1.0, 2.0, 4.0), weights=(3.0, 0.0, 1.0))
    assert [law.quantile(u) for u in (0.1, 0.75, 0.7501, 0.99)] == [1.0, 1.0, 4.0, 4.0]
    assert law.mean() == 1.75
    assert [law.cdf(value) for value in (0.5, 1.0, 3.0, 4.0)] == [0.0, 0.75, 0.75, 1.0]


def test_a_zero_inflated_law_is_zero_that_often() -> None:
    law = ZeroInflated(zero_probability=0.3, body=Lognormal(median=4.0, sigma=1.35))
    assert law.quantile(0.3) == 0.0
    assert law.quantile(0.65) == pytest.approx(4.0)
    assert law.cdf(0.0) == 0.3
    assert law.cdf(-1.0) == 0.0


@pytest.mark.parametrize(
    ("make", "culprit"),
    [
        (lambda: ParetoTail(body=Lognormal(median=1.0, sigma=1.0, cap=9.0), threshold=2.0, alpha=1.0), "the body"),
        (lambda: ParetoTail(body=Lognormal(median=1.0, sigma=0.1), threshold=1e9, alpha=1.0), "threshold"),
        (lambda: ZeroInflated(zero_probability=1.0, body=Lognormal(median=1.0, sigma=1.0)), "zero_probability"),
        (lambda: Empirical(values=()), "values"),
        (lambda: Empirical(values=(1.0, -1.0)), "values"),
        (lambda: Discrete(values=(2.0, 1.0), weights=(1.0, 1.0)), "values"),
        (lambda: Discrete(values=(1.0,), weights=(1.0, 1.0)), "values"),
        (lambda: Discrete(values=(1.0,), weights=(0.0,)), "weights"),
    ],
)
def test_parameters_that_make_no_sense_are_refused_by_name(make: Any, culprit: str) -> None:
    with pytest.raises(SimlabError, match=f"^{culprit}"):
        make()


def test_a_constant_cannot_carry_a_tail() -> None:
    """The type says which bodies there are; the file reader says it again for files."""
    assert Constant not in ParetoTail.__annotations__["body"].__args__
