"""Frames for charts: parts add up to the whole, means and intervals are those of the statistics."""

import numpy as np
import pandas as pd
import pytest

from simlab.analysis.metrics import RUN_FIELDS, recomputed_tokens, run_row, verdicts_of
from simlab.analysis.stats.paired import paired_means
from simlab.analysis.tidy import (
    INPUT_PARTS,
    TOKEN_PARTS,
    TOOL_PARTS,
    batch_frame,
    convergence_frame,
    event_means,
    flush_sizes,
    largest_batches,
    router_frame,
    run_means,
    waits_per_run,
    waste_frame,
)
from simlab.core.record import ModelCall
from tests.analysis.test_lane_reading import made
from tests.worked_runs import worked

CASES = [
    ("chat-ops", "cancel-background"),
    ("coding-assistant", "parallel"),
    ("worked/13-background-correction", "cancel"),
]


def runs(case: str, strategy: str) -> pd.DataFrame:
    row = run_row(made(case, strategy))
    return pd.DataFrame([{name: getattr(row, name) for name in RUN_FIELDS}]).assign(arm=strategy)


@pytest.mark.parametrize(("case", "strategy"), CASES)
def test_the_parts_of_tokens_and_tool_time_add_up_to_what_was_spent(case: str, strategy: str) -> None:
    record = made(case, strategy)
    frame = runs(case, strategy)
    for parts, whole in (
        (TOKEN_PARTS, sum(call.output_tokens for call in record.model_calls)),
        (INPUT_PARTS, sum(call.input_tokens for call in record.model_calls)),
        (
            TOOL_PARTS,
            sum(
                (record.ended_ms if run.stopped_ms is None else run.stopped_ms) - run.started_ms
                for run in record.tool_runs
            )
            / 1000,
        ),
    ):
        found = waste_frame(frame, parts)
        assert found["mean"].sum() == pytest.approx(whole)
        assert (found["mean"] >= 0).all()


def call(given: int, cached: int) -> ModelCall:
    return ModelCall(generation=0, side=False, started_ms=0, input_tokens=given, cached_tokens=cached)


def test_tokens_are_recomputed_when_they_were_read_before_and_no_cache_spared_them() -> None:
    assert recomputed_tokens([call(100, 0), call(150, 100), call(180, 0)]) == 150
    assert recomputed_tokens([call(100, 60), call(100, 100)]) == 0
    assert recomputed_tokens([call(200, 0), call(120, 20)]) == 100


def test_every_verdict_on_an_event_counts_and_is_right_if_it_is_the_true_handling() -> None:
    record = made("chat-ops", "parallel")
    routed = [event for event in record.events.values() if event.routed_ms is not None and event.kind != "notice"]
    assert len(verdicts_of(record)) == len(routed)
    assert verdicts_of(worked("01-email-weather", "routed")) == [True, False]


def test_the_sizes_of_flushes_are_those_of_the_worked_case() -> None:
    assert flush_sizes(worked("13-background-correction", "queue")) == [1, 2]
    assert flush_sizes(worked("13-background-correction", "cancel")) == [1, 1, 1]


def test_shares_of_batch_sizes_add_up_to_one() -> None:
    frame = batch_frame({"queue": [1, 1, 2, 4], "cancel": [1]})
    assert frame.groupby("arm")["share"].sum().to_dict() == {"queue": 1.0, "cancel": 1.0}
    assert list(frame[frame["arm"] == "queue"]["size"]) == [1, 2, 4]
    empty = largest_batches(pd.DataFrame({"arm": ["a"], "batch_size_max": [0]}))
    assert empty.empty


EVENTS = pd.DataFrame(
    {
        "arm": ["a", "a", "a", "b", "b"],
        "replication": [0, 0, 1, 0, 1],
        "router": "r",
        "response_ms": [1000.0, 3000.0, np.nan, 2000.0, 4000.0],
        "routing_ms": [0.0, 500.0, 100.0, 0.0, 0.0],
        "censored": [False, False, True, False, False],
        "is_voided": False,
    }
)


def test_what_was_never_answered_counts_with_the_horizon() -> None:
    found = event_means(EVENTS, "response_ms", horizon_ms=10_000)
    assert found["a"].estimate == pytest.approx((1 + 3 + 10) / 3)
    assert found["b"].estimate == pytest.approx(3)
    waits = waits_per_run(EVENTS, horizon_ms=10_000)
    assert waits.set_index(["arm", "replication"])["wait_s"].to_dict() == {
        ("a", 0): 2.0,
        ("a", 1): 10.0,
        ("b", 0): 2.0,
        ("b", 1): 4.0,
    }


def test_the_last_point_of_a_convergence_is_the_paired_comparison_itself() -> None:
    draws = np.random.default_rng(1).normal(size=(2, 100))
    frame = pd.concat(
        pd.DataFrame({"arm": arm, "replication": range(100), "calls": values})
        for arm, values in (("queue", draws[0]), ("cancel", draws[0] + 0.2 * draws[1]))
    )
    last = convergence_frame(frame, "calls", "queue").iloc[-1]
    whole = paired_means(draws[0] + 0.2 * draws[1], draws[0])
    assert (last["n"], last["arm"]) == (100, "cancel")
    assert (last["value"], last["low"], last["high"]) == pytest.approx((whole.estimate, whole.low, whole.high))


def test_a_router_is_as_accurate_as_its_verdicts_and_as_slow_as_its_events_waited() -> None:
    table = pd.DataFrame(
        {
            "router": "r",
            "replication": [0, 1],
            "verdicts": [4, 4],
            "verdicts_right": [3, 2],
            "arm": "a",
            "main_calls": [2, 4],
        }
    )
    (row,) = router_frame(table, EVENTS).to_dict("records")
    assert row["accuracy"] == pytest.approx(5 / 8)
    assert row["accuracy_low"] < 5 / 8 < row["accuracy_high"] <= 1
    assert row["latency_s"] == pytest.approx(0.12)
    assert run_means(table, "main_calls")["a"].estimate == 3
