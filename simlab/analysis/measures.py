"""From the tables of an experiment to the arrays of a comparison: which metrics, in which unit, which way is better."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from numpy.typing import NDArray

from simlab.analysis.arms import Key, Metric

if TYPE_CHECKING:
    import pandas as pd

Floats = NDArray[Any]
EventArm = tuple[Floats, Floats]

MARGIN = 0.02
"""Differences below this share of the baseline do not matter, unless another margin is declared."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    """How a column becomes a metric: its label and unit, the factor from the column's unit, and the direction.

    ``same_as_response`` names the kinds of events of which this measure says nothing that the response does not say.
    """

    column: str
    label: str
    unit: str
    factor: float = 1.0
    higher_is_better: bool = False
    same_as_response: frozenset[str] = frozenset()


RUN_MEASURES: tuple[Measure, ...] = (
    Measure(column="main_calls", label="model calls", unit="calls"),
    Measure(column="main_calls_kept", label="model calls kept", unit="calls"),
    Measure(column="synchronous_call_share", label="synchronous share", unit="share", higher_is_better=True),
    Measure(column="input_tokens", label="input tokens", unit="tokens"),
    Measure(column="output_tokens", label="output tokens", unit="tokens"),
    Measure(column="discarded_tokens", label="discarded tokens", unit="tokens"),
    Measure(column="model_cost_usd", label="model cost", unit="USD"),
    Measure(column="router_cost_usd", label="router cost", unit="USD"),
    Measure(column="tool_thrown_ms", label="tool time thrown away", unit="s", factor=1e-3),
    Measure(column="tool_doubled_ms", label="tool time doubled", unit="s", factor=1e-3),
    Measure(column="effects_after_correction", label="mistaken effects", unit="effects"),
    Measure(column="effects_duplicate", label="duplicate effects", unit="effects"),
    Measure(column="decision_points", label="decision points", unit="points"),
    Measure(column="batch_size_mean", label="batch size", unit="events"),
    Measure(column="fabricate_exposure", label="fabrication: exposure", unit="points"),
    Measure(column="fabricate_expected", label="fabrication: expected", unit="faults"),
    Measure(column="fabricate_sampled", label="fabrication: sampled", unit="faults"),
    Measure(column="neglect_expected", label="neglect: expected", unit="faults"),
    Measure(column="forget_expected", label="forgotten task: expected", unit="faults"),
    Measure(column="repeat_expected", label="repeated call: expected", unit="faults"),
    Measure(column="derail_expected", label="derailment: expected", unit="faults"),
    Measure(column="misread_expected", label="misreading: expected", unit="faults"),
    Measure(column="overtakes", label="order lost by the router", unit="events"),
    Measure(column="events_censored", label="censored events", unit="events"),
)
"""Per run. What is the same number in every run of every arm is left out of a comparison."""

EVENT_MEASURES: tuple[Measure, ...] = (
    Measure(column="response_ms", label="response", unit="s", factor=1e-3),
    Measure(
        column="acted_ms", label="acted on", unit="s", factor=1e-3, same_as_response=frozenset({"light", "request"})
    ),
    Measure(column="wait_ms", label="wait", unit="s", factor=1e-3),
)
"""Per event, for each kind of event."""

SIGN_OF_LIFE: Final = Measure(column="sign_of_life_ms", label="sign of life", unit="s", factor=1e-3)
"""The holding reply or the answer, whichever comes first. Told only where some arm sends holding replies."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Arrays:
    """What ``analysis.compare.compare`` takes."""

    replications: int
    runs: Mapping[Key, Floats]
    events: Mapping[Key, EventArm]
    metrics: Mapping[str, Metric]
    arms: Sequence[str]


def arm_names(frame: "pd.DataFrame", *, with_router: bool) -> "pd.Series[str]":
    """Return a name for each row's arm: the strategy, with its router where there are several."""
    return frame["strategy"] + " / " + frame["router"] if with_router else frame["strategy"]


def arrays(runs: "pd.DataFrame", events: "pd.DataFrame", *, horizon_ms: int | None, margin: float = MARGIN) -> Arrays:
    """Turn the tables of one scenario, with the column ``arm`` added, into arrays.

    Events that were never answered count as inf: longer than the common horizon, which is the scenario's or, where it
    has none, the end of the longest run. Corrections' stop latency and the makespan are values of the runs that have
    one. A request that a correction voids is no value in any arm: else an arm that stops sooner would be compared over
    other requests than one that finishes first.
    """
    arms = list(dict.fromkeys(runs["arm"]))
    runs = runs.sort_values(["arm", "replication"], kind="stable")
    events = events.sort_values(["arm", "replication"], kind="stable")
    horizon_s = (horizon_ms if horizon_ms is not None else int(runs["ended_ms"].max())) / 1000
    found = _Found(arms=arms, margin=margin, horizon_s=horizon_s, runs={}, events={}, metrics={})
    _add_runs(found, runs)
    _add_some_runs(found, runs, "makespan_ms", "makespan", censored=True)
    _add_some_runs(found, runs, "stop_latency_ms", "stop latency", censored=False)
    measures = EVENT_MEASURES
    if events["acknowledge_ms"].notna().any():
        signs = events[["acknowledge_ms", "response_ms"]].astype(float).min(axis=1)
        events = events.assign(**{SIGN_OF_LIFE.column: signs})
        measures = (*EVENT_MEASURES, SIGN_OF_LIFE)
    for measure in measures:
        for kind in sorted(set(events["kind"]) - measure.same_as_response):
            _add_events(found, events[events["kind"] == kind], measure, f"{measure.label}, {kind}")
    return Arrays(
        replications=int(runs["replication"].nunique()),
        runs=found.runs,
        events=found.events,
        metrics=found.metrics,
        arms=arms,
    )


@dataclass(slots=True, kw_only=True)
class _Found:
    arms: Sequence[str]
    margin: float
    horizon_s: float
    runs: dict[Key, Floats]
    events: dict[Key, EventArm]
    metrics: dict[str, Metric]


def _add_runs(found: _Found, runs: "pd.DataFrame") -> None:
    for measure in RUN_MEASURES:
        values = runs[measure.column].astype(float) * measure.factor
        if values.nunique() <= 1:
            continue
        found.metrics[measure.label] = Metric(
            unit=measure.unit, higher_is_better=measure.higher_is_better, relative_margin=found.margin
        )
        for arm in found.arms:
            found.runs[arm, measure.label] = values[runs["arm"] == arm].to_numpy()


def _add_some_runs(found: _Found, runs: "pd.DataFrame", column: str, label: str, *, censored: bool) -> None:
    """Add a value that not every run has: one "event" for each run that has it."""
    has = runs if censored else runs[runs[column].notna()]
    if has[column].notna().sum() == 0:
        return
    found.metrics[label] = Metric(unit="s", relative_margin=found.margin, horizon=found.horizon_s)
    for arm in found.arms:
        mine = has[has["arm"] == arm]
        values = mine[column].astype(float).fillna(math.inf).to_numpy() / 1000
        found.events[arm, label] = (mine["replication"].to_numpy(), values)


def _add_events(found: _Found, events: "pd.DataFrame", measure: Measure, label: str) -> None:
    events = events[~events["is_voided"]]
    counted = events[~((events[measure.column].isna()) & (~events["censored"]))]
    if counted[measure.column].notna().sum() == 0:
        return
    found.metrics[label] = Metric(unit=measure.unit, relative_margin=found.margin, horizon=found.horizon_s)
    for arm in found.arms:
        mine = counted[counted["arm"] == arm]
        values = mine[measure.column].astype(float).fillna(math.inf).to_numpy() * measure.factor
        found.events[arm, label] = (mine["replication"].to_numpy(), values)
