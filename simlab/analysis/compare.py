"""The table of paired comparisons against a named baseline.

Takes per-run values and per-event values as arrays in the order of replications, and returns one row for each strategy,
metric and statistic: both values, their paired difference with its interval, correlation, variance factor, win / tie /
loss counts and a verdict adjusted over the whole table. Means per event are ratio estimates and quantiles per event are
of the pooled events, both with replications as clusters.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from numpy.typing import ArrayLike

from simlab.analysis.arms import (
    Arms,
    Key,
    Metric,
    Per,
    Statistic,
    censored_size,
    pack_arms,
    point,
    size,
    statistic_name,
)
from simlab.analysis.stats.clusters import Clustered
from simlab.analysis.stats.multiple import Adjustment, holm
from simlab.analysis.stats.paired import unknown_difference
from simlab.analysis.stats.quantiles import Censored, paired_quantiles
from simlab.analysis.stats.ratio import paired_event_means
from simlab.analysis.stats.values import PairedDifference, StatisticsError
from simlab.analysis.stats.verdict import Outcome, Question, Verdict, judge

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, kw_only=True, slots=True)
class Row:
    """One strategy against the baseline in one statistic of one metric.

    ``statistic`` is ``mean``, ``restricted mean`` (cut at the metric's horizon) or a quantile such as ``p90``. A value
    of inf lies beyond the horizon; nan means that an arm had no event of the kind. ``size`` counts values (runs
    or events) of the strategy and ``censored_size`` those of them beyond the horizon; likewise for the baseline.
    """

    strategy: str
    baseline: str
    metric: str
    unit: str
    per: Per
    statistic: str
    value: float
    baseline_value: float
    higher_is_better: bool
    horizon: float
    paired: PairedDifference
    censored: Censored
    size: int
    censored_size: int
    baseline_size: int
    baseline_censored_size: int
    verdict: Verdict

    @property
    def relative(self) -> float:
        """Difference as a share of the baseline's value; nan where that is 0 or unknown."""
        if self.baseline_value == 0 or not math.isfinite(self.baseline_value):
            return math.nan
        return self.paired.estimate / abs(self.baseline_value)

    @property
    def never_differed(self) -> bool:
        """True for an undecided row without any difference in any replication: there was nothing to decide."""
        differed = self.paired.below or self.paired.above or self.paired.low or self.paired.high
        return self.verdict.outcome is Outcome.UNDECIDED and not differed

    @property
    def told(self) -> str:
        """The verdict in words: the outcome, or "the same" where nothing ever differed."""
        return "the same" if self.never_differed else self.verdict.outcome.value

    @property
    def wins(self) -> int:
        """Replications in which the strategy did better than the baseline."""
        return self.paired.above if self.higher_is_better else self.paired.below

    @property
    def losses(self) -> int:
        """Replications in which the strategy did worse than the baseline."""
        return self.paired.below if self.higher_is_better else self.paired.above


def compare(
    *,
    baseline: str,
    replications: int,
    runs: Mapping[Key, ArrayLike] | None = None,
    events: Mapping[Key, tuple[ArrayLike, ArrayLike]] | None = None,
    metrics: Mapping[str, Metric] | None = None,
    quantiles: Sequence[float] = (0.5, 0.9, 0.99),
    run_quantiles: Sequence[float] = (),
    level: float = 0.95,
    adjust: Adjustment = holm,
) -> tuple[Row, ...]:
    """Compare every strategy with ``baseline``.

    Args:
        baseline: name of a strategy that has values for every metric.
        replications: number of replications, the same for all strategies.
        runs: (strategy, metric) -> shape (replications,), in replication order.
        events: (strategy, metric) -> (replication index, value), each of shape (events,); inf for a censored one.
        metrics: declared properties; a metric that is missing here is unitless, lower is better, without margin.
        quantiles: probabilities of the quantiles of per-event metrics.
        run_quantiles: the same for per-run metrics.
        level: confidence level of the intervals (unadjusted); verdicts are adjusted at ``1 - level``.
        adjust: over all rows of the table.

    Raises:
        StatisticsError: the baseline lacks a metric, lengths differ from ``replications``, a value is nan, or
            values are censored without a declared horizon.
    """
    table = _Table(
        baseline=baseline,
        replications=replications,
        metrics=metrics or {},
        level=level,
        arms=pack_arms(replications=replications, runs=runs, events=events, metrics=metrics),
    )
    drafts = [
        table.draft(strategy, metric, per, statistic)
        for per, metric, strategy in table.pairs()
        for statistic in (None, *(quantiles if per == "event" else run_quantiles))
    ]
    verdicts = judge([draft.question for draft in drafts], alpha=1 - level, adjust=adjust)
    return tuple(draft.row(verdict=verdict) for draft, verdict in zip(drafts, verdicts, strict=True))


def to_frame(rows: Sequence[Row]) -> "pd.DataFrame":
    """Return the rows as a flat table; units of value, difference and limits are in the column ``unit``."""
    import pandas as pd

    return pd.DataFrame([_flat(row) for row in rows], columns=list(_COLUMNS))


_COLUMNS = (
    *("metric", "per", "statistic", "unit", "strategy", "baseline", "value", "baseline_value"),
    *("difference", "low", "high", "level", "relative", "n", "correlation"),
    *("variance_factor", "variance_factor_low", "variance_factor_high", "wins", "ties", "losses"),
    *("verdict", "p_difference", "p_equivalence", "more_runs", "censored"),
    *("size", "censored_size", "baseline_size", "baseline_censored_size"),
)


def _flat(row: Row) -> dict[str, object]:
    paired, verdict = row.paired, row.verdict
    same = {name: getattr(row, name) for name in _COLUMNS if name in Row.__slots__ and name != "verdict"}
    return same | {
        "difference": paired.estimate,
        "low": paired.low,
        "high": paired.high,
        "level": paired.difference.level,
        "relative": row.relative,
        "n": paired.n,
        "correlation": paired.correlation,
        "variance_factor": paired.variance_factor.estimate,
        "variance_factor_low": paired.variance_factor.low,
        "variance_factor_high": paired.variance_factor.high,
        "wins": row.wins,
        "ties": paired.ties,
        "losses": row.losses,
        "verdict": verdict.outcome.value,
        "p_difference": verdict.p_difference,
        "p_equivalence": verdict.p_equivalence,
        "more_runs": verdict.more_runs,
    }


@dataclass(frozen=True, kw_only=True, slots=True)
class _Draft:
    """A row that still lacks its verdict."""

    question: Question
    row: Callable[..., Row]


@dataclass(frozen=True, kw_only=True, slots=True)
class _Table:
    baseline: str
    replications: int
    metrics: Mapping[str, Metric]
    level: float
    arms: Arms = field(repr=False)

    def pairs(self) -> list[tuple[Per, str, str]]:
        """Return (per, metric, strategy) of every comparison, in the order given."""
        for per, metric, _ in self.arms:
            if (per, metric, self.baseline) not in self.arms:
                raise StatisticsError(f"compare: the baseline {self.baseline!r} has no {metric!r} per {per}")
        return [key for key in self.arms if key[2] != self.baseline]

    def draft(self, strategy: str, metric: str, per: Per, statistic: Statistic) -> _Draft:
        declared = self.metrics.get(metric, Metric())
        a, b = self.arms[per, metric, strategy], self.arms[per, metric, self.baseline]
        value, baseline_value = (math.nan if arm is None else point(arm, declared, statistic) for arm in (a, b))
        paired, censored = self.measure(a, b, declared, statistic)
        margin = max(declared.margin, declared.relative_margin * _finite(abs(baseline_value)))
        question = Question(difference=paired.difference, margin=margin, higher_is_better=declared.higher_is_better)
        row = partial(
            Row,
            strategy=strategy,
            baseline=self.baseline,
            metric=metric,
            unit=declared.unit,
            per=per,
            statistic=statistic_name(statistic, declared),
            value=value,
            baseline_value=baseline_value,
            higher_is_better=declared.higher_is_better,
            horizon=declared.horizon,
            paired=paired,
            censored=censored,
            size=size(a),
            censored_size=censored_size(a),
            baseline_size=size(b),
            baseline_censored_size=censored_size(b),
        )
        return _Draft(question=question, row=row)

    def measure(
        self, a: Clustered | None, b: Clustered | None, declared: Metric, statistic: Statistic
    ) -> tuple[PairedDifference, Censored]:
        if a is None or b is None:
            return unknown_difference(self.replications, self.level), "none"
        if statistic is None:
            cut = a.restricted(declared.horizon), b.restricted(declared.horizon)
            return paired_event_means(*cut, level=self.level), "none"
        found = paired_quantiles(a, b, statistic, horizon=declared.horizon, level=self.level)
        return found.paired, found.censored


def _finite(value: float) -> float:
    return value if math.isfinite(value) else 0.0
