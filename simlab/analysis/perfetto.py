"""A run as a file in the Chrome trace-event format, which the Perfetto viewer opens.

Each run is a process and each row of a lane a thread, so that slices of one thread never overlap. Slices are complete
events (``X``), marks are instants (``i``), the way of an event to what read it is a flow (``s`` to ``f``), numbers are
counters (``C``), names and order are metadata (``M``). Times are microseconds of virtual time.

Source: "Trace Event Format", Google, 2016, and the notes on it in the documentation of Perfetto.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any

from simlab.analysis.lanes import LaneKind, Lanes, MarkKind, Slice, packed

_MARKS_THREAD = 1
Fields = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Thread:
    """A row of a lane: its number in the process, its name and what stands in it."""

    number: int
    name: str
    slices: Sequence[Slice]


def trace_events(runs: Sequence[Lanes]) -> Fields:
    """Return the document: ``json.dumps`` of it is the file."""
    flow_ids = count(1)
    events: list[Fields] = []
    for number, run in enumerate(runs, start=1):
        events += _process(run, number, flow_ids)
    return {
        "traceEvents": events,
        "displayTimeUnit": "ms",
        "otherData": {"scenario": runs[0].scenario if runs else "", "clock": "virtual time of the simulation"},
    }


def _process(run: Lanes, number: int, flow_ids: Iterator[int]) -> Iterator[Fields]:
    threads = list(_threads(run))
    router = f", routed {run.router}" if run.router else ""
    yield _meta("process_name", number, None, name=f"{run.strategy}{router}")
    yield _meta("process_sort_index", number, None, sort_index=number)
    for thread in (_Thread(number=_MARKS_THREAD, name="safe points and marks", slices=()), *threads):
        yield _meta("thread_name", number, thread.number, name=thread.name)
        yield _meta("thread_sort_index", number, thread.number, sort_index=thread.number)
    homes = {}
    for thread in threads:
        for each in thread.slices:
            homes[each.kind, each.lane_name, each.ident] = thread.number
            yield _slice(each, number, thread.number)
    yield from _instants(run, number, homes)
    yield from _flows(run, number, homes, flow_ids)
    for counter in run.counters:
        for at_ms, value in counter.values:
            yield {"ph": "C", "name": counter.name, "pid": number, "ts": 1000 * at_ms, "args": {counter.unit: value}}


def _threads(run: Lanes) -> Iterator[_Thread]:
    """Yield the rows of every lane that holds slices."""
    order = list(LaneKind)
    lanes = dict.fromkeys((each.kind, each.lane_name) for each in run.slices)
    number = count(_MARKS_THREAD + 1)
    for kind, name in sorted(lanes, key=lambda lane: order.index(lane[0])):
        placed = packed(each for each in run.slices if (each.kind, each.lane_name) == (kind, name))
        title = f"{kind.value} {name}".strip()
        for row in range(1 + max(row for row, _ in placed)):
            yield _Thread(
                number=next(number),
                name=title if row == 0 else f"{title} ({row + 1})",
                slices=[each for at, each in placed if at == row],
            )


def _meta(what: str, process: int, thread: int | None, **arguments: str | int) -> Fields:
    place = {"pid": process} if thread is None else {"pid": process, "tid": thread}
    return {"ph": "M", "name": what, **place, "args": arguments}


def _slice(each: Slice, process: int, thread: int) -> Fields:
    return {
        "ph": "X",
        "name": each.label,
        "cat": each.kind.value,
        "pid": process,
        "tid": thread,
        "ts": 1000 * each.start_ms,
        "dur": 1000 * (each.end_ms - each.start_ms),
        "args": {"id": each.ident, "state": each.state, **each.facts},
    }


Homes = dict[tuple[LaneKind, str, str], int]


def _instants(run: Lanes, process: int, homes: Homes) -> Iterator[Fields]:
    for mark in run.marks:
        if mark.kind is not MarkKind.ARRIVAL:
            thread = homes.get((mark.lane, mark.lane_name, mark.ident), _MARKS_THREAD)
            yield {
                "ph": "i",
                "name": f"{mark.kind.value}: {mark.label}",
                "cat": mark.kind.value,
                "pid": process,
                "tid": thread,
                "ts": 1000 * mark.at_ms,
                "s": "t",
            }


def _flows(run: Lanes, process: int, homes: Homes, flow_ids: Iterator[int]) -> Iterator[Fields]:
    for flow in run.flows:
        ends = (
            ("s", homes.get((LaneKind.INBOX, "", flow.event_id)), flow.arrived_ms),
            ("f", homes.get((flow.consumer, "", flow.to)), flow.read_ms),
        )
        if any(thread is None for _, thread, _ in ends):
            continue
        number = next(flow_ids)
        for phase, thread, at_ms in ends:
            found: Fields = {"ph": phase, "name": "read", "cat": "flow", "id": number}
            found |= {"pid": process, "tid": thread, "ts": 1000 * at_ms}
            yield found | ({"bp": "e"} if phase == "f" else {})
