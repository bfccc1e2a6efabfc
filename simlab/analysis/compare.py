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
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import ArrayLike

from simlab.analysis.stats.clusters import Clustered, clustered
from simlab.analysis.stats.multiple import Adjustment, holm
from simlab.analysis.stats.paired import unknown_difference
from simlab.analysis.stats.quantiles import Censored, paired_quantiles, quantile
from simlab.analysis.stats.ratio import event_mean, paired_event_means
from simlab.analysis.stats.values import PairedDifference, StatisticsError, as_floats
from simlab.analysis.stats.verdict import Question, Verdict, judge

if TYPE_CHECKING:
    import pandas as pd

Key = tuple[str, str]
Per = Literal["run", "event"]
Statistic = float | None


@dataclass(frozen=True, kw_only=True, slots=True)
class Metric:
    """What is declared of a metric before the runs.

    Attributes:
        unit: for the table.
        higher_is_better: direction.
        margin: differences below this do not matter, in ``unit``.
        relative_margin: the same as a share of the baseline's value; the larger of the two margins counts.
        horizon: common horizon of times that can be censored (given as inf), in ``unit``.
    """

    unit: str = ""
    higher_is_better: bool = False
    margin: float = 0.0
    relative_margin: float = 0.0
    horizon: float = math.inf


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
        arms=_arms(runs, events, replications),
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


Arms = Mapping[tuple[Per, str, str], Clustered | None]


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
        paired, censored, value, baseline_value = self.measure(a, b, declared, statistic, metric)
        margin = max(declared.margin, declared.relative_margin * _finite(abs(baseline_value)))
        question = Question(difference=paired.difference, margin=margin, higher_is_better=declared.higher_is_better)
        row = partial(
            Row,
            strategy=strategy,
            baseline=self.baseline,
            metric=metric,
            unit=declared.unit,
            per=per,
            statistic=_statistic_name(statistic, declared),
            value=value,
            baseline_value=baseline_value,
            higher_is_better=declared.higher_is_better,
            paired=paired,
            censored=censored,
            size=_size(a),
            censored_size=_beyond(a, declared.horizon),
            baseline_size=_size(b),
            baseline_censored_size=_beyond(b, declared.horizon),
        )
        return _Draft(question=question, row=row)

    def measure(
        self, a: Clustered | None, b: Clustered | None, declared: Metric, statistic: Statistic, metric: str
    ) -> tuple[PairedDifference, Censored, float, float]:
        if a is None or b is None:
            values = [math.nan if arm is None else self.value(arm, declared, statistic) for arm in (a, b)]
            return unknown_difference(self.replications, self.level), "none", values[0], values[1]
        if math.isinf(declared.horizon) and (np.isinf(a.value).any() or np.isinf(b.value).any()):
            raise StatisticsError(f"compare: {metric}: values are censored (inf); declare the metric's horizon")
        value, baseline_value = self.value(a, declared, statistic), self.value(b, declared, statistic)
        if statistic is None:
            cut = a.restricted(declared.horizon), b.restricted(declared.horizon)
            return paired_event_means(*cut, level=self.level), "none", value, baseline_value
        found = paired_quantiles(a, b, statistic, horizon=declared.horizon, level=self.level)
        return found.paired, found.censored, value, baseline_value

    def value(self, arm: Clustered, declared: Metric, statistic: Statistic) -> float:
        if statistic is None:
            return event_mean(arm.restricted(declared.horizon), level=self.level).estimate
        estimate = quantile(arm, statistic, level=self.level).estimate
        return math.inf if estimate >= declared.horizon else estimate


def _arms(
    runs: Mapping[Key, ArrayLike] | None, events: Mapping[Key, tuple[ArrayLike, ArrayLike]] | None, replications: int
) -> Arms:
    """Pack everything as per-event values; a run is a cluster of one."""
    arms: dict[tuple[Per, str, str], Clustered | None] = {}
    for (strategy, metric), values in (runs or {}).items():
        array = as_floats(values, f"{strategy}: {metric}")
        if len(array) != replications:
            raise StatisticsError(f"{strategy}: {metric}: {len(array)} runs; needs {replications}, one per replication")
        arms["run", metric, strategy] = clustered(np.arange(replications), array, replications)
    for (strategy, metric), (replication, values) in (events or {}).items():
        some = np.size(np.asarray(values)) > 0
        arms["event", metric, strategy] = clustered(replication, values, replications) if some else None
    return arms


def _statistic_name(statistic: Statistic, declared: Metric) -> str:
    if statistic is None:
        return "restricted mean" if math.isfinite(declared.horizon) else "mean"
    return f"p{100 * statistic:g}"


def _finite(value: float) -> float:
    return value if math.isfinite(value) else 0.0


def _size(arm: Clustered | None) -> int:
    return 0 if arm is None else len(arm.value)


def _beyond(arm: Clustered | None, horizon: float) -> int:
    return 0 if arm is None else int((arm.value >= horizon).sum())
