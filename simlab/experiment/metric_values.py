"""One metric of many runs: for each arm a value for each replication."""

from typing import TYPE_CHECKING, TypeAlias

from simlab.core.errors import SimlabError
from simlab.experiment.columns import NUMBER, RUN_COLUMNS, TEXT

if TYPE_CHECKING:
    import pandas as pd

    Tables: TypeAlias = tuple[pd.DataFrame, pd.DataFrame]
    """The table of runs and the table of events."""

Arm = tuple[str, str]
"""A strategy and a router."""

RUN_METRICS = tuple(name for name, column in RUN_COLUMNS.items() if column.unit not in (TEXT, NUMBER))
EVENT_METRICS = {"response": "response_ms", "acted": "acted_ms", "wait": "wait_ms"}


def check_metric(metric: str) -> None:
    """Raise SimlabError for a metric that no run can have; whether a kind of event occurs only the runs can tell."""
    name, found, _ = metric.partition(":")
    if metric not in RUN_METRICS and not (found and name in EVENT_METRICS):
        raise SimlabError(
            f"no metric {metric!r}; known: {', '.join(RUN_METRICS)}, response:KIND, acted:KIND, wait:KIND"
        )


def metric_values(tables: "Tables", metric: str) -> "dict[Arm, pd.Series[float]]":
    """Return for each arm the metric by replication, in order; a replication without a value is left out.

    A metric is a numeric column of the table of runs, or ``response:KIND`` (``acted``, ``wait``): the mean over the
    events of that kind in the run, in seconds; an event that was never answered counts as answered when the run was
    cut. Raises SimlabError for an unknown metric.
    """
    check_metric(metric)
    runs, events = tables
    name, found, kind = metric.partition(":")
    if found:
        return _event_means(events, name, kind)
    return _by_arm(runs.assign(value=runs[metric].astype(float)))


def _event_means(events: "pd.DataFrame", name: str, kind: str) -> "dict[Arm, pd.Series[float]]":
    kinds = sorted(events["kind"].unique())
    if kind not in kinds:
        raise SimlabError(f"no metric {name}:{kind}; known: {', '.join(EVENT_METRICS)} of {', '.join(kinds)}")
    mine = events[(events["kind"] == kind) & ~events["is_voided"]]
    seconds = mine[EVENT_METRICS[name]].astype(float).fillna(mine["at_risk_ms"]) / 1000
    return _by_arm(mine.assign(value=seconds))


def _by_arm(rows: "pd.DataFrame") -> "dict[Arm, pd.Series[float]]":
    """Return the mean of the column ``value`` in each replication, arm by arm."""
    return {
        (str(arm[0]), str(arm[1])): mine.groupby("replication")["value"].mean().dropna().astype(float)
        for arm, mine in rows.groupby(["strategy", "router"], sort=False)
    }
