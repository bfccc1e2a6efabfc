import pytest
from hypothesis import given
from hypothesis import strategies as st

from simlab.sim.laws import Law, LawError, scaled
from tests.sim.laws.examples import ALL, ALL_CAPPED


@given(
    law=st.sampled_from([*ALL.values(), *ALL_CAPPED.values()]),
    factor=st.floats(0.01, 100),
    u=st.floats(1e-9, 1 - 1e-9),
)
def test_a_scaled_law_draws_that_many_times_the_value(law: Law, factor: float, u: float) -> None:
    assert scaled(law, factor).quantile(u) == pytest.approx(factor * law.quantile(u), rel=1e-9)


@pytest.mark.parametrize("factor", [0.0, -1.0, float("nan"), float("inf")])
def test_a_factor_that_is_no_positive_number_is_refused(factor: float) -> None:
    with pytest.raises(LawError, match="factor must be"):
        scaled(ALL["lognormal"], factor)
