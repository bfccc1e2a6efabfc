"""Each strategy by itself: means, quantiles and their intervals, the table that stands above the comparisons.

Never read a comparison off this table: two separate intervals ignore that both arms shared their luck.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from simlab.analysis.arms import Key, Metric, Per, Statistic, censored_size, pack_arms, size, statistic_name
from simlab.analysis.stats.clusters import Clustered
from simlab.analysis.stats.quantiles import quantile
from simlab.analysis.stats.ratio import event_mean
from simlab.analysis.stats.student import influence_interval
from simlab.analysis.stats.values import Interval

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, kw_only=True, slots=True)
class Summary:
    """One statistic of one metric under one strategy; see ``compare.Row`` for the names.

    ``interval.estimate`` is inf for a quantile beyond the horizon and nan where there was no value at all.
    """

    strategy: str
    metric: str
    unit: str
    per: Per
    statistic: str
    interval: Interval
    size: int
    censored_size: int


def summarise(
    *,
    replications: int,
    runs: Mapping[Key, ArrayLike] | None = None,
    events: Mapping[Key, tuple[ArrayLike, ArrayLike]] | None = None,
    metrics: Mapping[str, Metric] | None = None,
    quantiles: Sequence[float] = (0.5, 0.9, 0.99),
    run_quantiles: Sequence[float] = (0.5, 0.9, 0.99),
    level: float = 0.95,
) -> tuple[Summary, ...]:
    """Summarise every strategy; arguments as for ``compare.compare``."""
    arms = pack_arms(replications=replications, runs=runs, events=events, metrics=metrics)
    rows = []
    for (per, metric, strategy), arm in arms.items():
        declared = (metrics or {}).get(metric, Metric())
        for statistic in (None, *(quantiles if per == "event" else run_quantiles)):
            rows.append(
                Summary(
                    strategy=strategy,
                    metric=metric,
                    unit=declared.unit,
                    per=per,
                    statistic=statistic_name(statistic, declared),
                    interval=_interval(arm, declared, statistic, replications, level),
                    size=size(arm),
                    censored_size=censored_size(arm),
                )
            )
    return tuple(rows)


def to_frame(rows: Sequence[Summary]) -> "pd.DataFrame":
    """Return the rows as a flat table; estimate and limits are in the unit of the column ``unit``."""
    import pandas as pd

    names = ("metric", "per", "statistic", "unit", "strategy", "size", "censored_size")
    limits = ("estimate", "low", "high", "n", "level")
    flat = [
        {name: getattr(row, name) for name in names} | {name: getattr(row.interval, name) for name in limits}
        for row in rows
    ]
    return pd.DataFrame(flat, columns=[*names, *limits])


def _interval(
    arm: Clustered | None, declared: Metric, statistic: Statistic, replications: int, level: float
) -> Interval:
    if arm is None:
        nothing = np.full(replications, math.nan)
        return influence_interval(math.nan, nothing, level=level)
    if statistic is None:
        return event_mean(arm.restricted(declared.horizon), level=level)
    return quantile(arm, statistic, level=level)
