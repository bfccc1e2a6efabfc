import math

import numpy as np
import pytest

from simlab.analysis.arms import Metric
from simlab.analysis.compare import Row, compare, to_frame
from simlab.analysis.stats.clusters import clustered
from simlab.analysis.stats.multiple import holm
from simlab.analysis.stats.paired import paired_means
from simlab.analysis.stats.quantiles import paired_quantiles
from simlab.analysis.stats.ratio import paired_event_means
from simlab.analysis.stats.student import p_different
from simlab.analysis.stats.values import Floats, Ints, StatisticsError
from simlab.analysis.stats.verdict import Outcome

N = 120
Events = dict[tuple[str, str], tuple[Ints, Floats]]


def costs() -> dict[tuple[str, str], Floats]:
    rng = np.random.default_rng(1)
    luck = rng.lognormal(size=N)
    return {
        ("queue", "cost"): luck,
        ("cancel", "cost"): luck * 1.3 + rng.normal(0, 0.05, N),
        ("parallel", "cost"): luck + rng.normal(0, 0.01, N),
    }


def waits() -> Events:
    rng = np.random.default_rng(2)
    owner = np.repeat(np.arange(N), rng.poisson(9, N))
    base = rng.lognormal(size=len(owner)) * 10
    return {("queue", "wait"): (owner, base), ("cancel", "wait"): (owner, base * 0.5 + 0.1)}


def only(rows: tuple[Row, ...], **wanted: str) -> Row:
    (row,) = [row for row in rows if all(getattr(row, name) == value for name, value in wanted.items())]
    return row


def test_every_statistic_of_every_strategy_has_a_row() -> None:
    rows = compare(baseline="queue", replications=N, runs=costs(), events=waits(), run_quantiles=(0.9,))
    assert [(row.strategy, row.metric, row.per, row.statistic) for row in rows] == [
        ("cancel", "cost", "run", "mean"),
        ("cancel", "cost", "run", "p90"),
        ("parallel", "cost", "run", "mean"),
        ("parallel", "cost", "run", "p90"),
        ("cancel", "wait", "event", "mean"),
        ("cancel", "wait", "event", "p50"),
        ("cancel", "wait", "event", "p90"),
        ("cancel", "wait", "event", "p99"),
    ]


def test_rows_hold_what_the_statistics_say() -> None:
    runs, events = costs(), waits()
    rows = compare(baseline="queue", replications=N, runs=runs, events=events)
    cost = only(rows, strategy="cancel", metric="cost")
    expected = paired_means(runs["cancel", "cost"], runs["queue", "cost"])
    assert (cost.paired.low, cost.paired.high) == pytest.approx((expected.low, expected.high))
    assert cost.value == pytest.approx(runs["cancel", "cost"].mean())
    assert cost.relative == pytest.approx(cost.value / cost.baseline_value - 1)
    arms = [clustered(*events[name, "wait"], N) for name in ("cancel", "queue")]
    assert only(rows, metric="wait", statistic="mean").paired == paired_event_means(arms[0], arms[1])
    assert only(rows, metric="wait", statistic="p90").paired == paired_quantiles(arms[0], arms[1], 0.9).paired


def test_verdicts_are_adjusted_over_the_whole_table() -> None:
    rows = compare(baseline="queue", replications=N, runs=costs(), events=waits())
    expected = holm([p_different(row.paired.difference) for row in rows])
    assert [row.verdict.p_difference for row in rows] == pytest.approx(expected)


def test_a_dearer_strategy_is_worse_a_faster_one_better_a_twin_equivalent() -> None:
    rows = compare(
        baseline="queue",
        replications=N,
        runs=costs(),
        events=waits(),
        metrics={"cost": Metric(unit="usd", relative_margin=0.05)},
    )
    assert only(rows, strategy="cancel", metric="cost").verdict.outcome is Outcome.WORSE
    assert only(rows, strategy="parallel", metric="cost").verdict.outcome is Outcome.EQUIVALENT
    assert only(rows, metric="wait", statistic="mean").verdict.outcome is Outcome.BETTER


def test_the_direction_of_a_metric_turns_verdict_and_wins() -> None:
    rows = compare(baseline="queue", replications=N, runs=costs(), metrics={"cost": Metric(higher_is_better=True)})
    row = only(rows, strategy="cancel")
    assert row.verdict.outcome is Outcome.BETTER
    assert row.wins == row.paired.above > row.losses == row.paired.below
    assert row.wins + row.paired.ties + row.losses == N


def test_starving_a_tenth_of_the_events_does_not_look_good() -> None:
    events = waits()
    owner, base = events["queue", "wait"]
    starved = np.where(base > np.quantile(base, 0.9), math.inf, base)
    rows = compare(
        baseline="queue",
        replications=N,
        events={("queue", "wait"): (owner, base), ("drop", "wait"): (owner, starved)},
        metrics={"wait": Metric(unit="s", horizon=600.0)},
    )
    mean, p99 = only(rows, statistic="restricted mean"), only(rows, statistic="p99")
    assert mean.verdict.outcome is Outcome.WORSE
    assert mean.censored_size == int(np.isinf(starved).sum()) > 0
    assert (p99.value, p99.censored, p99.paired.high) == (math.inf, "a", math.inf)
    assert p99.verdict.outcome is not Outcome.BETTER


def test_nothing_has_no_relative_difference() -> None:
    nothing, something = np.zeros(N), np.arange(float(N))
    (row,) = compare(baseline="a", replications=N, runs={("a", "lost"): nothing, ("b", "lost"): something})
    assert math.isnan(row.relative)
    assert row.verdict.outcome is Outcome.WORSE


def test_censored_values_need_a_declared_horizon() -> None:
    events: Events = {
        ("a", "wait"): (np.array([0]), np.array([math.inf])),
        ("b", "wait"): (np.array([0]), np.array([1.0])),
    }
    with pytest.raises(StatisticsError, match="a: wait: values are censored"):
        compare(baseline="b", replications=2, events=events)


def test_an_arm_without_events_stays_in_the_table() -> None:
    events = waits() | {("drop", "wait"): (np.array([], dtype=np.int64), np.array([]))}
    row = only(compare(baseline="queue", replications=N, events=events), strategy="drop", statistic="p50")
    assert math.isnan(row.value)
    assert row.size == 0
    assert row.verdict.outcome is Outcome.UNDECIDED
    assert row.verdict.more_runs is None


def test_a_strategy_against_its_own_copy_differs_by_exactly_nothing() -> None:
    runs, events = costs(), waits()
    rows = compare(
        baseline="queue",
        replications=N,
        runs={("queue", "cost"): runs["queue", "cost"], ("copy", "cost"): runs["queue", "cost"]},
        events={("queue", "wait"): events["queue", "wait"], ("copy", "wait"): events["queue", "wait"]},
        metrics={"cost": Metric(margin=0.01), "wait": Metric(margin=0.01)},
    )
    assert {row.paired.estimate for row in rows} == {0.0}
    known = [row for row in rows if math.isfinite(row.paired.high)]
    assert len(known) >= 4
    assert {row.verdict.outcome for row in known} == {Outcome.EQUIVALENT}


def test_the_table_becomes_a_frame_of_plain_columns() -> None:
    rows = compare(baseline="queue", replications=N, runs=costs(), events=waits(), metrics={"cost": Metric(unit="usd")})
    frame = to_frame(rows)
    assert len(frame) == len(rows)
    first = frame.iloc[0]
    assert (first["metric"], first["unit"], first["strategy"], first["baseline"]) == ("cost", "usd", "cancel", "queue")
    assert first["difference"] == rows[0].paired.estimate
    assert (first["wins"], first["losses"]) == (rows[0].wins, rows[0].losses)
    assert first["verdict"] == "worse"
    assert not frame[["value", "difference", "low", "high", "n", "correlation", "p_difference"]].isna().any().any()


def test_an_empty_frame_keeps_its_columns() -> None:
    assert "variance_factor_low" in to_frame(()).columns


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"baseline": "none"}, "'none' has no 'cost' per run"),
        ({"replications": 7}, "120 runs; needs 7"),
    ],
)
def test_mistakes_are_told(change: dict[str, object], says: str) -> None:
    settings: dict[str, object] = {"baseline": "queue", "replications": N} | change
    with pytest.raises(StatisticsError, match=says):
        compare(runs=costs(), **settings)  # type: ignore[arg-type]
