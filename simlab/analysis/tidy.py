"""From the tables of an experiment to the tidy frames that charts take.

``runs`` and ``events`` are the tables of one scenario with the column ``arm`` added, one row for each run and for each
event; times in milliseconds. What comes out is per run or per event as its name says, times in seconds, with 95 %
intervals; per-event means are ratio estimates with replications as clusters.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from simlab.analysis.compare import Row
from simlab.analysis.stats.clusters import clustered
from simlab.analysis.stats.paired import paired_means
from simlab.analysis.stats.ratio import event_mean, ratio
from simlab.analysis.stats.student import mean_interval
from simlab.analysis.stats.values import Interval
from simlab.core.commands import Append
from simlab.core.messages import EventMessage, LateResultMessage, SideMessage
from simlab.core.record import RunRecord

if TYPE_CHECKING:
    import pandas as pd

TOKEN_PARTS: Final[Mapping[str, Callable[["pd.DataFrame"], Any]]] = {
    "kept": lambda runs: runs["output_tokens"] - runs["discarded_tokens"],
    "discarded": lambda runs: runs["discarded_tokens"],
}
INPUT_PARTS: Final[Mapping[str, Callable[["pd.DataFrame"], Any]]] = {
    "new": lambda runs: runs["input_tokens"] - runs["cached_tokens"] - runs["recomputed_tokens"],
    "from cache": lambda runs: runs["cached_tokens"],
    "recomputed": lambda runs: runs["recomputed_tokens"],
}
TOOL_PARTS: Final[Mapping[str, Callable[["pd.DataFrame"], Any]]] = {
    "used": lambda runs: runs["tool_used_ms"] / 1000,
    "thrown away": lambda runs: runs["tool_thrown_ms"] / 1000,
    "doubled": lambda runs: runs["tool_doubled_ms"] / 1000,
}


def run_means(runs: "pd.DataFrame", column: str, factor: float = 1.0) -> dict[str, Interval]:
    """Return the mean of a column per run for each arm."""
    return {str(arm): mean_interval(mine[column] * factor) for arm, mine in runs.groupby("arm", sort=False)}


def event_means(events: "pd.DataFrame", column: str, *, horizon_ms: float, factor: float = 1e-3) -> dict[str, Interval]:
    """Return the mean of a time per event for each arm, restricted to the horizon: what never came counts as that."""
    replications = int(events["replication"].max()) + 1
    found: dict[str, Interval] = {}
    for arm, mine in events.groupby("arm", sort=False):
        counted = mine[~(mine[column].isna() & ~mine["censored"])]
        values = np.minimum(counted[column].astype(float).fillna(horizon_ms).to_numpy(dtype=float), horizon_ms) * factor
        packed = clustered(counted["replication"].to_numpy(), values, replications)
        found[str(arm)] = event_mean(packed)
    return found


def pareto_frame(x: Mapping[str, Interval], y: Mapping[str, Interval]) -> "pd.DataFrame":
    """Return the frame of ``charts.pareto`` for the arms that have both metrics."""
    import pandas as pd

    return pd.DataFrame(
        [
            {"arm": arm, "x": x[arm].estimate, "x_low": x[arm].low, "x_high": x[arm].high}
            | {"y": y[arm].estimate, "y_low": y[arm].low, "y_high": y[arm].high}
            for arm in x
            if arm in y
        ]
    )


def waste_frame(runs: "pd.DataFrame", parts: Mapping[str, Callable[["pd.DataFrame"], Any]]) -> "pd.DataFrame":
    """Return the frame of ``charts.waste``: the mean of every part per run; the parts add up to what was spent."""
    import pandas as pd

    return pd.DataFrame(
        [
            {"arm": str(arm), "part": part, "mean": float(read(mine).mean())}
            for arm, mine in runs.groupby("arm", sort=False)
            for part, read in parts.items()
        ]
    )


def flush_sizes(record: RunRecord) -> list[int]:
    """Return how many events each flush of a run took: what was appended between two model calls at one instant."""
    sizes: dict[int, int] = {}
    for at_ms, item in record.trace.records:
        if isinstance(item, Append):
            message = item.message
            taken = len(message.events) if isinstance(message, EventMessage) else 0
            taken += isinstance(message, SideMessage | LateResultMessage)
            if taken:
                sizes[at_ms] = sizes.get(at_ms, 0) + taken
    return list(sizes.values())


def batch_frame(sizes: Mapping[str, Iterable[int]]) -> "pd.DataFrame":
    """Return the frame of ``charts.batches`` from the batch sizes of each arm."""
    import pandas as pd

    lines = []
    for arm, given in sizes.items():
        values, counts = np.unique(np.fromiter(given, dtype=np.int64), return_counts=True)
        lines += [
            {"arm": arm, "size": int(size), "share": float(number / counts.sum())}
            for size, number in zip(values, counts, strict=True)
        ]
    return pd.DataFrame(lines, columns=["arm", "size", "share"])


def largest_batches(runs: "pd.DataFrame") -> "pd.DataFrame":
    """Return the frame of ``charts.batches`` for the largest batch of each run that had one."""
    some = runs[runs["batch_size_max"] > 0]
    return batch_frame({str(arm): mine["batch_size_max"] for arm, mine in some.groupby("arm", sort=False)})


def router_frame(
    runs: "pd.DataFrame", events: "pd.DataFrame", outcome: Mapping[str, Interval] | None = None
) -> "pd.DataFrame":
    """Return the frame of ``charts.router_trade``: latency and accuracy of each router, and what came of it.

    ``outcome`` maps routers to a metric. Accuracy is per verdict, with replications as clusters.
    """
    import pandas as pd

    lines = []
    for router, mine in runs.groupby("router", sort=False):
        counts = mine.groupby("replication")[["verdicts_right", "verdicts"]].sum()
        accuracy = ratio(counts["verdicts_right"], counts["verdicts"])
        latency_s = events[events["router"] == router]["routing_ms"].mean() / 1000
        line = {
            "router": str(router),
            "latency_s": float(latency_s),
            "accuracy": accuracy.estimate,
            "accuracy_low": max(0.0, accuracy.low),
            "accuracy_high": min(1.0, accuracy.high),
        }
        if outcome is not None:
            told = outcome[str(router)]
            line |= {"outcome": told.estimate, "outcome_low": told.low, "outcome_high": told.high}
        lines.append(line)
    return pd.DataFrame(lines)


def tail_frame(rows: Mapping[float, Sequence[Row]], metric: str) -> "pd.DataFrame":
    """Return the frame of ``charts.tails``: the paired difference in a metric's mean by cap (seconds; inf: none)."""
    import pandas as pd

    return pd.DataFrame(
        [
            {"arm": row.strategy, "cap_s": cap_s, "value": row.paired.estimate}
            | {"low": row.paired.low, "high": row.paired.high}
            for cap_s, found in rows.items()
            for row in found
            if row.metric == metric and row.statistic.endswith("mean")
        ]
    )


def convergence_frame(runs: "pd.DataFrame", column: str, baseline: str, factor: float = 1.0) -> "pd.DataFrame":
    """Return the frame of ``charts.convergence``: the paired difference in a per-run mean after n replications."""
    import pandas as pd

    table = runs.pivot(index="replication", columns="arm", values=column).sort_index() * factor
    lines = []
    for arm in [arm for arm in dict.fromkeys(runs["arm"]) if arm != baseline]:
        for n in _looks(len(table)):
            found = paired_means(table[arm].to_numpy()[:n], table[baseline].to_numpy()[:n])
            lines.append({"arm": arm, "n": n, "value": found.estimate, "low": found.low, "high": found.high})
    return pd.DataFrame(lines, columns=["arm", "n", "value", "low", "high"])


def waits_per_run(events: "pd.DataFrame", *, horizon_ms: float) -> "pd.DataFrame":
    """Return for each arm and replication the mean time until the first answer, restricted to the horizon: ``wait_s``.

    Events that a correction voided do not count; replications in which an arm has no event are left out of all.
    """
    counted = events[~events["is_voided"]]
    waits = counted["response_ms"].astype(float).fillna(horizon_ms).clip(upper=horizon_ms) / 1000
    means = counted.assign(wait_s=waits).groupby(["arm", "replication"], sort=False)["wait_s"].mean().reset_index()
    whole = means.groupby("replication")["arm"].transform("count") == means["arm"].nunique()
    return means[whole]


def _looks(replications: int) -> list[int]:
    """Return the numbers of replications to look at: evenly spaced on a log scale, from 10 (or all there are)."""
    if replications <= 10:
        return [replications]
    return sorted({round(10 ** float(at)) for at in np.linspace(1, math.log10(replications), 40)})
