"""The trace file keeps to the trace-event format, and holds what the run holds."""

import json
from collections import defaultdict
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator  # type: ignore[import-untyped]

from simlab.analysis.lane_reading import lanes_of
from simlab.analysis.lanes import LaneKind, Lanes
from simlab.analysis.perfetto import trace_events
from tests.analysis.test_lane_reading import RUNS, made, slices_in

SCHEMA = json.loads((Path(__file__).parent / "trace_event.schema.json").read_text(encoding="utf-8"))
VALIDATOR = Draft202012Validator(SCHEMA)
SOME = RUNS[::41]


def document(*runs: Lanes) -> list[dict[str, Any]]:
    """Write and read back, as a viewer would."""
    read = json.loads(json.dumps(trace_events(runs)))
    VALIDATOR.validate(read)
    return list(read["traceEvents"])


def test_the_schema_refuses_what_the_format_refuses() -> None:
    good = {"ph": "X", "pid": 1, "tid": 1, "name": "a", "cat": "c", "ts": 0, "dur": 1}
    assert VALIDATOR.is_valid({"traceEvents": [good]})
    for key in good:
        assert not VALIDATOR.is_valid({"traceEvents": [{name: v for name, v in good.items() if name != key}]})
    assert not VALIDATOR.is_valid({"traceEvents": [good | {"dur": -1}]})
    assert not VALIDATOR.is_valid({"traceEvents": [{"ph": "C", "pid": 1, "name": "n", "ts": 0, "args": {"n": "1"}}]})


@pytest.mark.parametrize(("case", "strategy"), SOME)
def test_the_file_has_as_many_slices_as_the_trace(case: str, strategy: str) -> None:
    record = made(case, strategy)
    written = [event for event in document(lanes_of(record)) if event["ph"] == "X"]
    assert len(written) == sum(slices_in(record).values())
    by_kind = {kind: sum(event["cat"] == kind.value for event in written) for kind in slices_in(record)}
    assert by_kind == slices_in(record)


@pytest.mark.parametrize(("case", "strategy"), SOME)
def test_slices_of_a_thread_do_not_overlap_and_every_thread_has_a_name(case: str, strategy: str) -> None:
    events = document(lanes_of(made(case, strategy)))
    threads = defaultdict(list)
    for event in events:
        if event["ph"] == "X":
            threads[event["pid"], event["tid"]].append((event["ts"], event["ts"] + event["dur"]))
    for spans in threads.values():
        ordered = sorted(spans)
        assert all(one[1] <= other[0] for one, other in pairwise(ordered))
    named = {(event["pid"], event["tid"]) for event in events if event["name"] == "thread_name"}
    assert {(event["pid"], event["tid"]) for event in events if event["ph"] in "Xisf"} <= named


@pytest.mark.parametrize(("case", "strategy"), SOME)
def test_every_flow_starts_in_the_inbox_and_ends_in_what_read_the_event(case: str, strategy: str) -> None:
    found = lanes_of(made(case, strategy))
    events = document(found)
    slices = {(event["tid"], event["ts"]): event for event in events if event["ph"] == "X"}
    starts = {event["id"]: event for event in events if event["ph"] == "s"}
    ends = {event["id"]: event for event in events if event["ph"] == "f"}
    assert starts.keys() == ends.keys()
    assert len(starts) == len(found.flows)
    for number, start in starts.items():
        end = ends[number]
        assert start["ts"] <= end["ts"]
        assert slices[start["tid"], start["ts"]]["cat"] == LaneKind.INBOX.value
        assert slices[end["tid"], end["ts"]]["cat"] in {LaneKind.MODEL.value, LaneKind.SIDE.value}


def test_each_strategy_is_a_process_with_its_counters() -> None:
    runs = [lanes_of(made("worked/13-background-correction", name)) for name in ("queue", "cancel")]
    events = document(*runs)
    assert {event["args"]["name"] for event in events if event["name"] == "process_name"} == {
        "queue, routed by_type",
        "cancel, routed by_type",
    }
    backlog = [(event["ts"], event["args"]["events"]) for event in events if event["name"] == "backlog"]
    assert (3_000_000, 1) in backlog
    assert len({event["id"] for event in events if event["ph"] == "s"}) == sum(len(run.flows) for run in runs)
