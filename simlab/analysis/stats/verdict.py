"""What a comparison may say: better, worse, equivalent within a declared margin, or undecided.

Two kinds of claim are tested over a table, each with its own family: "the difference is not zero" (better, worse) and
"the difference is smaller than the margin" (equivalent, two one-sided tests). With Holm the chance of any false
better or worse in the table is at most alpha, and so is the chance of any false equivalent. Where both hold, the
difference is real but smaller than what was declared to matter, and the verdict is *equivalent*.

A difference that was the same in every replication has no error and is taken as certain. For rare faults that is too
much: none in n runs of either arm still allows 3 / n of them. Compare those by their rates (``intervals.rate``).
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from simlab.analysis.stats.laws import normal_quantile
from simlab.analysis.stats.multiple import Adjustment, holm
from simlab.analysis.stats.student import mean_interval, p_above, p_below, p_different, p_equivalent
from simlab.analysis.stats.values import Floats, StatisticsError, StudentInterval


class Outcome(StrEnum):
    """The four verdicts; *undecided* is one of them, not a failure."""

    BETTER = "better"
    WORSE = "worse"
    EQUIVALENT = "equivalent"
    UNDECIDED = "undecided"


@dataclass(frozen=True, kw_only=True, slots=True)
class Question:
    """A difference (strategy minus baseline) with what counts as good and what counts as nothing.

    Attributes:
        difference: the paired difference.
        margin: differences smaller than this do not matter, in the metric's unit; 0 declares none.
        higher_is_better: direction of the metric.
    """

    difference: StudentInterval
    margin: float = 0.0
    higher_is_better: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class Verdict:
    """The answer, its adjusted p values, and what it would take to have one.

    ``more_runs`` is given for *undecided* only: further replications after which the present difference, if it is the
    true one, would be decided with 80 % chance. None means that no number of runs can be named.
    """

    outcome: Outcome
    p_difference: float
    p_equivalence: float
    more_runs: int | None


@dataclass(frozen=True, kw_only=True, slots=True)
class Winner:
    """The strategy with the best mean, and the p value of "it does not beat all others"."""

    name: str
    p_value: float


def judge(questions: Sequence[Question], *, alpha: float = 0.05, adjust: Adjustment = holm) -> tuple[Verdict, ...]:
    """Judge a whole table at once; verdicts come in the order of the questions."""
    if not 0 < alpha < 1:
        raise StatisticsError(f"alpha: {alpha}; an error rate lies strictly between 0 and 1, such as 0.05")
    different = adjust([p_different(question.difference) for question in questions])
    equivalent = adjust([p_equivalent(question.difference, question.margin) for question in questions])
    return tuple(
        _verdict(question, float(p_d), float(p_e), alpha, len(questions))
        for question, p_d, p_e in zip(questions, different, equivalent, strict=True)
    )


def runs_to_decide(question: Question, *, alpha: float = 0.05, power: float = 0.8) -> int | None:
    """Return how many replications in all would decide, with chance ``power``, if the present estimate is the truth.

    Normal approximation; the cheaper of showing a difference and showing equivalence. None where the estimate is 0
    without a margin, or where the error is unknown.
    """
    difference = question.difference
    if not (math.isfinite(difference.low) and math.isfinite(difference.high)):
        return None
    variance, size = difference.standard_error**2 * difference.n, abs(difference.estimate)
    needs = []
    if size > 0:
        needs.append(variance * ((normal_quantile(1 - alpha / 2) + normal_quantile(power)) / size) ** 2)
    if question.margin > size:
        reach = normal_quantile(1 - alpha) + normal_quantile((1 + power) / 2)
        needs.append(variance * (reach / (question.margin - size)) ** 2)
    finite = [need for need in needs if math.isfinite(need)]
    return max(math.ceil(min(finite)), 2) if finite else None


def winner(values: Mapping[str, Floats], *, higher_is_better: bool = False) -> Winner:
    """Name the best of k strategies on paired per-run values and test that it beats every other one.

    Args:
        values: strategy -> shape (n,), replications in the same order.
        higher_is_better: direction of the metric.

    The p value is k times the largest one-sided p value against the others: an intersection-union test for the one
    named, with Bonferroni for having named it from the data. Where any two best strategies are equal, a claim at
    alpha is false with chance at most alpha. Adjust over the cells of a map with ``multiple.benjamini_hochberg``.
    """
    if len(values) < 2:
        raise StatisticsError(f"winner: {len(values)} strategies; needs at least two")
    sign = -1.0 if higher_is_better else 1.0
    best = min(values, key=lambda name: (sign * float(values[name].mean()), name))
    test = p_above if higher_is_better else p_below
    leads = (mean_interval(values[best] - other) for name, other in values.items() if name != best)
    return Winner(name=best, p_value=min(1.0, len(values) * max(test(lead, 0.0) for lead in leads)))


def _verdict(question: Question, p_difference: float, p_equivalence: float, alpha: float, rows: int) -> Verdict:
    outcome = _outcome(question, p_difference, p_equivalence, alpha)
    more = None
    if outcome is Outcome.UNDECIDED:
        total = runs_to_decide(question, alpha=alpha / rows)
        more = None if total is None else max(total - question.difference.n, 1)
    return Verdict(outcome=outcome, p_difference=p_difference, p_equivalence=p_equivalence, more_runs=more)


def _outcome(question: Question, p_difference: float, p_equivalence: float, alpha: float) -> Outcome:
    if p_equivalence <= alpha:
        return Outcome.EQUIVALENT
    if p_difference <= alpha:
        up = question.difference.estimate > 0
        return Outcome.BETTER if up == question.higher_is_better else Outcome.WORSE
    return Outcome.UNDECIDED
