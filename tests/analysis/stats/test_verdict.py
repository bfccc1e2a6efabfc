import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from simlab.analysis.stats.multiple import benjamini_hochberg, unadjusted
from simlab.analysis.stats.student import at_level, mean_interval
from simlab.analysis.stats.values import Floats, StatisticsError, StudentInterval
from simlab.analysis.stats.verdict import Outcome, Question, judge, runs_to_decide, winner
from tests.analysis.stats.arrays import samples


def around(mean: float, spread: float = 1.0, n: int = 100) -> StudentInterval:
    """A difference whose standard error is about ``spread / sqrt(n)``."""
    return mean_interval(mean + spread * np.linspace(-math.sqrt(3), math.sqrt(3), n), guard=False)


def outcome(difference: StudentInterval, *, margin: float = 0.0, higher_is_better: bool = False) -> Outcome:
    return judge([Question(difference=difference, margin=margin, higher_is_better=higher_is_better)])[0].outcome


def test_the_sign_of_better_depends_on_the_metric() -> None:
    assert outcome(around(-1.0)) is Outcome.BETTER
    assert outcome(around(1.0)) is Outcome.WORSE
    assert outcome(around(1.0), higher_is_better=True) is Outcome.BETTER
    assert outcome(around(-1.0), higher_is_better=True) is Outcome.WORSE


def test_without_a_margin_nothing_is_equivalent() -> None:
    assert outcome(around(0.0)) is Outcome.UNDECIDED


def test_within_the_margin_is_equivalent_even_if_surely_not_zero() -> None:
    assert outcome(around(0.0), margin=0.5) is Outcome.EQUIVALENT
    assert outcome(around(0.3), margin=0.6) is Outcome.EQUIVALENT
    assert outcome(around(0.3), margin=0.4) is Outcome.WORSE


def test_a_wide_interval_is_undecided() -> None:
    assert outcome(around(0.1, spread=3.0), margin=0.2) is Outcome.UNDECIDED


def test_a_table_is_judged_as_a_whole() -> None:
    # p is about 0.03 for each: enough alone, not enough among three
    question = Question(difference=around(-0.22))
    assert judge([question])[0].outcome is Outcome.BETTER
    assert {verdict.outcome for verdict in judge([question] * 3)} == {Outcome.UNDECIDED}
    assert {verdict.outcome for verdict in judge([question] * 3, adjust=benjamini_hochberg)} == {Outcome.BETTER}


def test_runs_to_decide_is_the_textbook_sample_size() -> None:
    # two-sided 5 %, power 80 %: n = (1.959964 + 0.841621)^2 * (sigma / d)^2 = 7.848879 * (2 / 0.3)^2 = 348.84
    difference = replace(around(0.3), estimate=0.3, standard_error=0.2, n=100)
    assert runs_to_decide(Question(difference=difference)) == 349


def test_runs_to_decide_an_equivalence() -> None:
    # two one-sided 5 % tests at d = 0: n = (1.644854 + 1.281552)^2 * (2 / 0.5)^2 = 8.563847 * 16 = 137.02
    difference = replace(around(0.0), estimate=0.0, standard_error=0.2, n=100)
    assert runs_to_decide(Question(difference=difference, margin=0.5)) == 138


def test_no_number_of_runs_decides_a_difference_of_nothing_without_margin() -> None:
    assert runs_to_decide(Question(difference=replace(around(0.0), estimate=0.0))) is None
    assert runs_to_decide(Question(difference=mean_interval([1.0]))) is None


def test_the_runs_named_do_decide_four_times_in_five() -> None:
    rng = np.random.default_rng(1)
    pilot = mean_interval(rng.normal(0.3, 2.0, 100), guard=False)
    total = runs_to_decide(Question(difference=replace(pilot, estimate=0.3, standard_error=0.2)))
    assert total is not None
    decided = [outcome(mean_interval(rng.normal(0.3, 2.0, total))) is Outcome.WORSE for _ in range(400)]
    assert 0.74 < np.mean(decided) < 0.86


def test_only_the_undecided_are_told_how_many_more_runs() -> None:
    clear, open_ = judge([Question(difference=around(-1.0)), Question(difference=around(0.1))])
    assert clear.more_runs is None
    assert open_.outcome is Outcome.UNDECIDED
    assert open_.more_runs is not None
    assert open_.more_runs > 0


def test_an_error_rate_is_a_probability() -> None:
    with pytest.raises(StatisticsError, match=r"such as 0\.05"):
        judge([], alpha=1.0)


@given(samples(least=3), st.sampled_from([0.0, 1.0, 20.0]))
def test_a_verdict_agrees_with_the_intervals(values: Floats, margin: float) -> None:
    difference = mean_interval(values)
    verdict = judge([Question(difference=difference, margin=margin)], adjust=unadjusted)[0]
    narrow = at_level(difference, 0.9)
    inside = margin > 0 and -margin < narrow.low and narrow.high < margin
    apart = difference.low > 0 or difference.high < 0
    if min(abs(verdict.p_difference - 0.05), abs(verdict.p_equivalence - 0.05)) > 1e-9:
        assert (verdict.outcome is Outcome.EQUIVALENT) == inside
        assert (verdict.outcome in (Outcome.BETTER, Outcome.WORSE)) == (apart and not inside)


@given(samples(least=3), st.sampled_from([0.0, 1.0, 20.0]))
def test_better_for_one_is_worse_for_the_other(values: Floats, margin: float) -> None:
    turned = {Outcome.BETTER: Outcome.WORSE, Outcome.WORSE: Outcome.BETTER}
    one, other = outcome(mean_interval(values), margin=margin), outcome(mean_interval(-values), margin=margin)
    assert other is turned.get(one, one)


def test_the_winner_of_a_cell_must_beat_every_other() -> None:
    rng = np.random.default_rng(3)
    luck = rng.lognormal(size=200)
    slow, quick = luck + rng.normal(1.0, 0.1, 200), luck + rng.normal(0.0, 0.1, 200)
    found = winner({"slow": slow, "quick": quick})
    assert found.name == "quick"
    assert found.p_value < 1e-12
    assert winner({"slow": slow, "quick": quick}, higher_is_better=True).name == "slow"
    assert winner({"slow": slow, "quick": quick, "twin": quick + rng.normal(0, 0.1, 200)}).p_value > 0.05


def test_equal_strategies_have_no_winner() -> None:
    values = np.arange(10.0)
    assert winner({"a": values, "b": values}).p_value == 1.0


def test_a_race_needs_two() -> None:
    with pytest.raises(StatisticsError, match="at least two"):
        winner({"a": np.arange(3.0)})
