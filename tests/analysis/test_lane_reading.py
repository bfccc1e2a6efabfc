"""A run as lanes holds everything that the trace holds, once."""

from itertools import pairwise

import pytest

from simlab.analysis.lane_reading import lanes_of
from simlab.analysis.lanes import LaneKind, Lanes, MarkKind, packed
from simlab.core import commands as c
from simlab.core import inputs as i
from simlab.core.messages import EventMessage, LateResultMessage, PlaceholderMessage, SideMessage
from simlab.core.record import RunRecord
from simlab.experiment.comparison import Cell, run_cell
from simlab.experiment.scenario import load_scenario, shipped_scenarios
from simlab.strategies import STRATEGIES
from tests.worked_runs import worked

RUNS = [
    *((case, strategy) for case in shipped_scenarios() if "worked/" in case for strategy in STRATEGIES.names()),
    *((case, strategy) for case in ("chat-ops", "coding-assistant") for strategy in ("cancel-background", "parallel")),
]


def made(case: str, strategy: str) -> RunRecord:
    if "worked/" in case:
        return worked(case, strategy)
    cell = Cell(scenario=load_scenario(case), strategy=strategy, router="classifier", seed=1, replication=0)
    return run_cell(cell)


def slices_in(record: RunRecord) -> dict[LaneKind, int]:
    """Count by another way what should be a slice: from the trace alone, and the ledger for jobs (see the bench)."""
    items = [item for _, item in record.trace.records]
    arrived = {item.event.id for item in items if isinstance(item, i.EventArrived | c.Route)}
    started = [item.call.id for item in items if isinstance(item, c.StartTool)]
    return {
        LaneKind.INBOX: len(arrived),
        LaneKind.ROUTER: sum(isinstance(item, c.Route) for item in items),
        LaneKind.MODEL: sum(isinstance(item, c.CallModel) for item in items),
        LaneKind.TOOL: len(started) + sum(run.call_id not in started for run in record.tool_runs),
        LaneKind.SIDE: sum(isinstance(item, c.StartSide) for item in items),
    }


def counted(found: Lanes) -> dict[LaneKind, int]:
    kinds = (LaneKind.INBOX, LaneKind.ROUTER, LaneKind.MODEL, LaneKind.TOOL, LaneKind.SIDE)
    return {kind: sum(each.kind is kind for each in found.slices) for kind in kinds}


@pytest.mark.parametrize("case", dict.fromkeys(case for case, _ in RUNS))
def test_there_is_one_slice_for_each_thing_that_went_on(case: str) -> None:
    for strategy in [strategy for other, strategy in RUNS if other == case]:
        record = made(case, strategy)
        found = lanes_of(record)
        assert counted(found) == slices_in(record), strategy
        assert all(0 <= each.start_ms <= each.end_ms <= record.ended_ms for each in found.slices)


@pytest.mark.parametrize(("case", "strategy"), RUNS[::37])
def test_marks_stand_for_every_placeholder_late_result_cancellation_and_effect(case: str, strategy: str) -> None:
    record = made(case, strategy)
    found = lanes_of(record)
    items = [item for _, item in record.trace.records]
    written = [item.message for item in items if isinstance(item, c.Append | c.Replace | c.Insert)]
    marks = [mark.kind for mark in found.marks]
    assert marks.count(MarkKind.PLACEHOLDER) == sum(isinstance(each, PlaceholderMessage) for each in written)
    assert marks.count(MarkKind.LATE_RESULT) == sum(isinstance(each, LateResultMessage) for each in written)
    assert marks.count(MarkKind.CANCEL) == sum(isinstance(item, c.CancelModel | c.CancelTool) for item in items)
    assert marks.count(MarkKind.EFFECT) + marks.count(MarkKind.BAD_EFFECT) == len(record.effects)


@pytest.mark.parametrize(("case", "strategy"), RUNS[::29])
def test_every_event_that_was_read_flows_to_the_call_that_read_it(case: str, strategy: str) -> None:
    record = made(case, strategy)
    found = lanes_of(record)
    calls = {int(each.ident): each for each in found.slices if each.kind is LaneKind.MODEL}
    prompts = {
        item.generation: list(item.messages[: item.length])
        for _, item in record.trace.records
        if isinstance(item, c.CallModel)
    }
    for flow in found.flows:
        assert flow.arrived_ms <= flow.consumed_ms <= flow.read_ms
        if flow.consumer is LaneKind.MODEL:
            assert calls[int(flow.to)].start_ms == flow.read_ms
            read = {
                event.id
                for message in prompts[int(flow.to)]
                if isinstance(message, EventMessage | SideMessage | LateResultMessage)
                for event in (message.events if isinstance(message, EventMessage) else (message.event,))
            }
            assert flow.event_id in read


def test_a_cancelled_run_has_its_waste_its_placeholder_and_its_mistake_in_place() -> None:
    found = lanes_of(worked("02-stop-said-it-wrong-at-5500", "cancel"))
    tool = next(each for each in found.slices if each.kind is LaneKind.TOOL)
    assert (tool.lane_name, tool.start_ms, tool.end_ms, tool.state, tool.wasted) == (
        "send_email",
        2000,
        5500,
        "cancelled",
        True,
    )
    told = [(mark.at_ms, mark.kind, mark.ident) for mark in found.marks if mark.kind is not MarkKind.SAFE_POINT]
    assert told == [
        (0, MarkKind.ARRIVAL, "U1"),
        (5000, MarkKind.BAD_EFFECT, "c1"),
        (5500, MarkKind.ARRIVAL, "U2"),
        (5500, MarkKind.CANCEL, "c1"),
        (5500, MarkKind.PLACEHOLDER, "c1"),
    ]
    points = [(mark.at_ms, mark.ident) for mark in found.marks if mark.kind is MarkKind.SAFE_POINT]
    assert points == [
        (0, "before_call"),
        (2000, "message_closed"),
        (5500, "before_call"),
        (7500, "turn_closed"),
        (7500, "idle"),
    ]


def test_counters_follow_the_backlog_and_the_trajectory() -> None:
    counters = {each.name: each.values for each in lanes_of(worked("13-background-correction", "queue")).counters}
    assert counters["backlog"] == ((0, 0), (3000, 1), (7000, 2), (12000, 0))
    assert counters["open calls"] == ((0, 0), (2000, 1), (12000, 0))
    assert [value for _, value in counters["trajectory"]] == [1, 2, 5, 6]


def test_slices_of_one_row_never_overlap() -> None:
    found = lanes_of(made("chat-ops", "parallel"))
    for lane in found.rows:
        placed = packed(each for each in found.slices if (each.kind, each.lane_name) == lane)
        for row in {row for row, _ in placed}:
            ends = [(each.start_ms, each.end_ms) for at, each in placed if at == row]
            assert all(one[1] <= other[0] for one, other in pairwise(ends))
