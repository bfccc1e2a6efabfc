import subprocess
import sys

import pytest
from scipy import stats

from simlab.analysis.stats.laws import binomial_below, normal_quantile, t_quantile, t_upper_tail


@pytest.mark.parametrize("probability", [0.0, 1e-6, 0.025, 0.5, 0.9, 0.975, 1.0])
def test_quantiles_agree_with_scipy_stats(probability: float) -> None:
    assert normal_quantile(probability) == pytest.approx(stats.norm.ppf(probability), abs=1e-12)
    for df in (1, 2, 9, 199):
        assert t_quantile(probability, df) == pytest.approx(stats.t.ppf(probability, df), rel=1e-9, abs=1e-12)


def test_tails_agree_with_scipy_stats() -> None:
    assert t_upper_tail(2.5, 7) == pytest.approx(stats.t.sf(2.5, 7), rel=1e-12)
    assert t_upper_tail(-40.0, 7) == pytest.approx(1.0)
    below = binomial_below(12, 0.3)
    assert below == pytest.approx([stats.binom.cdf(count - 1, 12, 0.3) for count in range(1, 13)], rel=1e-12)


def test_nothing_is_known_without_degrees_of_freedom() -> None:
    assert t_quantile(0.975, 0) == float("inf")
    assert t_quantile(0.025, 0) == float("-inf")
    assert t_upper_tail(3.0, 0) == 0.5


def test_the_statistics_load_neither_scipy_stats_nor_pandas() -> None:
    code = (
        "import sys; import simlab.analysis.compare, simlab.analysis.stats.verdict as v;"
        "from simlab.analysis.stats.student import mean_interval; mean_interval([1.0, 2.0, 4.0]);"
        "print(sorted({'scipy.stats', 'pandas', 'SALib'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
