"""Phase response: what becomes of one event when it arrives at another instant of the run."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from statistics import fmean

from simlab.analysis.metrics import event_rows, run_row
from simlab.core.errors import SimlabError
from simlab.core.record import RunRecord
from simlab.experiment.routing import find_router
from simlab.sim.driver import simulate
from simlab.sim.spec import EventSpec, WorldSpec
from simlab.strategies import STRATEGIES

MEASURES = {
    "response": "first answer after, seconds",
    "waste": "model and tool time thrown away, seconds",
    "mistakes": "mistaken effects after the event",
    "exposure": "decision points",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """One outcome of one run. ``value`` is in the unit of its measure; None: there is none."""

    arm: str
    at_ms: int
    measure: str
    value: float | None


Phase = tuple[float, float, str]
"""From, to (milliseconds), and what the undisturbed run does then."""


def find_event(world: WorldSpec, event_id: str) -> EventSpec:
    """Return a scripted event of a world. Raises SimlabError if there is none of that id."""
    for event in world.events:
        if event.id == event_id:
            return event
    known = ", ".join(event.id for event in world.events)
    raise SimlabError(f"{world.name}: no event {event_id!r}; its events: {known}")


def without(world: WorldSpec, event: EventSpec) -> WorldSpec:
    """Return the world without an event."""
    return replace(world, events=tuple(each for each in world.events if each is not event))


def phases_of(world: WorldSpec, strategy: str = "queue", router: str = "by_type") -> list[Phase]:
    """Return what the run without the event does: thinking and tools, one after the other."""
    record = simulate(world, STRATEGIES.get(strategy), find_router(router))
    spans: list[Phase] = []
    for call in record.model_calls:
        if not call.side and call.ended_ms is not None:
            spans.append((call.started_ms, call.ended_ms, "model"))
    for run in record.tool_runs:
        if run.stopped_ms is not None:
            spans.append((run.started_ms, run.stopped_ms, run.tool))
    return _disjoint(sorted(spans))


def _disjoint(spans: Sequence[Phase]) -> list[Phase]:
    """Leave out what begins while the one before still lasts."""
    kept: list[Phase] = []
    for span in spans:
        if not kept or span[0] >= kept[-1][1]:
            kept.append(span)
    return kept


def phase_response(
    world: WorldSpec,
    event: EventSpec,
    strategies: Sequence[str],
    *,
    step_ms: int,
    router: str = "by_type",
    seed: int = 0,
) -> Iterator[Point]:
    """Sweep the arrival of an event from the beginning to a little after the end of the run without it."""
    bare = without(world, event)
    end_ms = max(simulate(bare, STRATEGIES.get(each), find_router(router), seed=seed).ended_ms for each in strategies)
    for at_ms in range(0, end_ms + 2 * step_ms, step_ms):
        moved = replace(bare, events=(*bare.events, replace(event, at_ms=at_ms)))
        for strategy in strategies:
            record = simulate(moved, STRATEGIES.get(strategy), find_router(router), seed=seed)
            for measure, value in _outcome(record, event.id).items():
                yield Point(arm=strategy, at_ms=at_ms, measure=measure, value=value)


def _outcome(record: RunRecord, event_id: str) -> dict[str, float | None]:
    row = run_row(record)
    response_ms = next((each.response_ms for each in event_rows(record) if each.event_id == event_id), None)
    discarded_ms = sum(
        call.ended_ms - call.started_ms for call in record.model_calls if not call.kept and call.ended_ms is not None
    )
    return {
        "response": None if response_ms is None else response_ms / 1000,
        "waste": (discarded_ms + row.tool_thrown_ms) / 1000,
        "mistakes": float(row.effects_after_correction),
        "exposure": float(row.decision_points),
    }


def summary(points: Sequence[Point], strategies: Sequence[str]) -> str:
    """Write the least, the mean and the greatest of every measure for each strategy."""
    lines = []
    for measure, label in MEASURES.items():
        lines.append(f"{label}\n")
        for strategy in strategies:
            values = [each.value for each in points if each.arm == strategy and each.measure == measure]
            lines.append(f"  {strategy:<28}{_spread([each for each in values if each is not None])}\n")
    return "".join(lines).rstrip("\n")


def _spread(values: Sequence[float]) -> str:
    if not values:
        return "none"
    return f"least {min(values):8.2f}   mean {fmean(values):8.2f}   greatest {max(values):8.2f}"
