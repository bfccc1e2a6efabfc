"""What was measured and what was declared of it: the arrays behind a comparison.

Per-run values are treated as per-event values with one event a run, so that every statistic has one implementation.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from simlab.analysis.stats.clusters import Clustered, clustered
from simlab.analysis.stats.intervals import rank
from simlab.analysis.stats.values import StatisticsError, as_floats

Key = tuple[str, str]
Per = Literal["run", "event"]
Statistic = float | None
Arms = Mapping[tuple[Per, str, str], Clustered | None]


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


def pack_arms(
    *,
    replications: int,
    runs: Mapping[Key, ArrayLike] | None,
    events: Mapping[Key, tuple[ArrayLike, ArrayLike]] | None,
    metrics: Mapping[str, Metric] | None,
) -> Arms:
    """Check and pack what was measured; an arm without any event is None. Values at or beyond the horizon become inf.

    Raises:
        StatisticsError: lengths differ from ``replications``, a value is nan, or one is inf and no horizon is declared.
    """
    arms: dict[tuple[Per, str, str], Clustered | None] = {}
    for (strategy, metric), values in (runs or {}).items():
        array = as_floats(values, f"{strategy}: {metric}")
        if len(array) != replications:
            raise StatisticsError(f"{strategy}: {metric}: {len(array)} runs; needs {replications}, one per replication")
        arms["run", metric, strategy] = clustered(np.arange(replications), array, replications)
    for (strategy, metric), (replication, values) in (events or {}).items():
        some = np.size(np.asarray(values)) > 0
        arms["event", metric, strategy] = clustered(replication, values, replications) if some else None
    declared = metrics or {}
    return {
        key: arm and _censor(arm, declared.get(key[1], Metric()), f"{key[2]}: {key[1]}") for key, arm in arms.items()
    }


def _censor(arm: Clustered, declared: Metric, where: str) -> Clustered:
    if math.isinf(declared.horizon) and np.isinf(arm.value).any():
        raise StatisticsError(f"{where}: values are censored (inf); declare the metric's horizon")
    return replace(arm, value=np.where(arm.value >= declared.horizon, math.inf, arm.value))


def statistic_name(statistic: Statistic, declared: Metric) -> str:
    """Name a statistic as tables do: ``mean``, ``restricted mean``, ``p90``."""
    if statistic is None:
        return "restricted mean" if math.isfinite(declared.horizon) else "mean"
    return f"p{100 * statistic:g}"


def point(arm: Clustered, declared: Metric, statistic: Statistic) -> float:
    """Return the estimate itself: the (restricted) mean, or a quantile; inf for one beyond the horizon."""
    if statistic is None:
        return float(np.mean(np.minimum(arm.value, declared.horizon)))
    return float(np.sort(arm.value)[rank(len(arm.value), statistic)])


def size(arm: Clustered | None) -> int:
    """Return the number of values."""
    return 0 if arm is None else len(arm.value)


def censored_size(arm: Clustered | None) -> int:
    """Return the number of values beyond the horizon."""
    return 0 if arm is None else int(np.isinf(arm.value).sum())
