from itertools import pairwise
from math import inf, nan
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simlab.core.errors import SimlabError
from simlab.sim.laws import Constant, Exponential, Gamma, Law, Lognormal, Pareto, Uniform, Weibull
from tests.sim.laws.examples import ALL, ALL_CAPPED, PROBABILITIES, WITH_SCIPY, capped, quadrature_moment

INSIDE = st.floats(2.0**-53, 1 - 2.0**-53)
EVERY_LAW = {**ALL, **ALL_CAPPED}
SMOOTH = {name: law for name, law in ALL.items() if not isinstance(law, Constant) and name not in ("discrete",)}


@pytest.mark.parametrize("name", WITH_SCIPY)
@pytest.mark.parametrize("u", PROBABILITIES)
def test_the_quantile_matches_scipy(name: str, u: float) -> None:
    law, oracle = WITH_SCIPY[name]
    assert law.quantile(u) == pytest.approx(oracle.ppf(u), rel=1e-9, abs=1e-300)  # type: ignore[attr-defined]


@pytest.mark.parametrize("name", WITH_SCIPY)
def test_the_distribution_function_matches_scipy(name: str) -> None:
    law, oracle = WITH_SCIPY[name]
    for value in [-1.0, 0.0, *(law.quantile(u) for u in PROBABILITIES)]:
        assert law.cdf(value) == pytest.approx(oracle.cdf(value), rel=1e-9, abs=1e-15)  # type: ignore[attr-defined]


@pytest.mark.parametrize("name", WITH_SCIPY)
def test_mean_and_second_moment_match_scipy(name: str) -> None:
    law, oracle = WITH_SCIPY[name]
    mean, variance = oracle.stats()  # type: ignore[attr-defined]
    assert law.mean() == pytest.approx(float(mean), rel=1e-9)
    if law.moment(2) < inf:
        assert law.moment(2) == pytest.approx(float(mean**2 + variance), rel=1e-9)


def test_a_pareto_tail_so_heavy_that_a_moment_does_not_exist_says_infinity_until_it_is_capped() -> None:
    assert Pareto(minimum=1.0, alpha=1.0).mean() == inf
    assert Pareto(minimum=1.0, alpha=1.5).moment(2) == inf
    assert Pareto(minimum=1.0, alpha=1.0, cap=100.0).mean() == pytest.approx(
        quadrature_moment(Pareto(minimum=1.0, alpha=1.0, cap=100.0), 1), rel=1e-7
    )
    assert Pareto(minimum=1.0, alpha=2.0, cap=100.0).moment(2) == pytest.approx(
        quadrature_moment(Pareto(minimum=1.0, alpha=2.0, cap=100.0), 2), rel=1e-7
    )


@pytest.mark.parametrize("order", [1, 2])
@pytest.mark.parametrize("name", ALL_CAPPED)
def test_capped_moments_equal_the_quadrature_of_the_quantile(name: str, order: int) -> None:
    law = ALL_CAPPED[name]
    assert law.moment(order) == pytest.approx(quadrature_moment(law, order), rel=1e-6)


@pytest.mark.parametrize("name", [name for name in ALL if "pareto" not in name])
def test_uncapped_moments_equal_the_quadrature_of_the_quantile(name: str) -> None:
    assert ALL[name].mean() == pytest.approx(quadrature_moment(ALL[name], 1), rel=1e-6)


@given(law=st.sampled_from(list(EVERY_LAW.values())), us=st.lists(INSIDE, min_size=2, max_size=20))
def test_the_quantile_never_falls(law: Law, us: list[float]) -> None:
    values = [law.quantile(u) for u in sorted(us)]
    for low, high in pairwise(values):
        assert low <= high * (1 + 1e-11)


@given(law=st.sampled_from(list(SMOOTH.values())), u=st.floats(1e-9, 1 - 1e-9))
def test_the_distribution_function_undoes_the_quantile(law: Law, u: float) -> None:
    value = law.quantile(u)
    below, above = law.cdf(value * (1 - 1e-12) - 1e-300), law.cdf(value * (1 + 1e-12))
    assert below - 1e-10 <= u <= above + 1e-10


@given(law=st.sampled_from(list(ALL.values())), u=INSIDE, share=st.floats(0.01, 0.99))
def test_a_cap_clips_and_changes_nothing_below_it(law: Law, u: float, share: float) -> None:
    cap = law.quantile(share) or 1.0
    clipped = capped(law, cap)
    assert clipped.quantile(u) == min(law.quantile(u), cap)
    assert clipped.cdf(cap) == 1.0
    assert clipped.cdf(cap * 0.99) == law.cdf(cap * 0.99)
    assert clipped.mean() <= min(cap, law.mean()) * (1 + 1e-12)


@pytest.mark.parametrize("name", ALL)
def test_a_cap_far_above_everything_changes_no_mean(name: str) -> None:
    law = ALL[name]
    if law.mean() < 100:
        assert capped(law, 1e30).mean() == pytest.approx(law.mean(), rel=0.2 if "pareto" in name else 1e-9)


def test_a_constant_law_is_a_step() -> None:
    law = Constant(value=3.0)
    assert (law.cdf(2.9), law.cdf(3.0), law.mean(), law.moment(2)) == (0.0, 1.0, 3.0, 9.0)
    assert Constant(value=3.0, cap=2.0).quantile(0.5) == 2.0


def test_a_lognormal_law_without_spread_is_its_median() -> None:
    law = Lognormal(median=4.0, sigma=0.0)
    assert (law.quantile(0.01), law.cdf(3.9), law.cdf(4.0), law.mean()) == (4.0, 0.0, 1.0, 4.0)


@pytest.mark.parametrize(
    ("law", "parameters", "culprit"),
    [
        (Constant, {"value": -1.0}, "value"),
        (Constant, {"value": 1.0, "cap": 0.0}, "cap"),
        (Constant, {"value": 1.0, "cap": nan}, "cap"),
        (Exponential, {"scale": 0.0}, "mean"),
        (Uniform, {"low": 2.0, "high": 1.0}, "low"),
        (Uniform, {"low": -2.0, "high": 1.0}, "low"),
        (Lognormal, {"median": 0.0, "sigma": 1.0}, "median"),
        (Lognormal, {"median": 1.0, "sigma": nan}, "sigma"),
        (Lognormal, {"median": inf, "sigma": 1.0}, "median"),
        (Gamma, {"shape": -1.0, "scale": 1.0}, "shape"),
        (Weibull, {"shape": 1.0, "scale": 0.0}, "scale"),
        (Pareto, {"minimum": 0.0, "alpha": 1.0}, "minimum"),
        (Pareto, {"minimum": 1.0, "alpha": 0.0}, "alpha"),
    ],
)
def test_parameters_that_make_no_sense_are_refused_by_name(law: Any, parameters: Any, culprit: str) -> None:
    with pytest.raises(SimlabError, match=f"^{culprit} must"):
        law(**parameters)


@pytest.mark.parametrize("name", ALL)
def test_nothing_lies_below_zero_and_what_is_limited_to_nothing_is_nothing(name: str) -> None:
    assert ALL[name].cdf(-1.0) == 0
    assert ALL[name].cdf(1e-300) <= ALL[name].cdf(1e-3)
    assert ALL[name].limited_moment(1, 0.0) == 0


@pytest.mark.parametrize("name", ALL)
def test_everything_lies_below_infinity(name: str) -> None:
    assert ALL[name].cdf(inf) == pytest.approx(1)
    assert ALL[name].cdf(1e300) == pytest.approx(1)


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("order", [1, 2])
def test_a_limited_moment_grows_with_its_limit_and_stays_below_it(name: str, order: int) -> None:
    law = ALL[name]
    limits = [law.quantile(u) for u in (0.001, 0.3, 0.5, 0.9, 0.999)]
    moments = [law.limited_moment(order, limit) for limit in limits]
    assert all(low <= high * (1 + 1e-9) for low, high in pairwise(moments))
    assert all(moment <= limit**order * (1 + 1e-9) for moment, limit in zip(moments, limits, strict=True))
