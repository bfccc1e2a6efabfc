"""Fuzzing: random schedules on the stage and random worlds, by turns; each failure is shrunk and saved.

Swarm testing: a random part of what a world can do is switched off in each run. Run ``number`` of a seed depends on
these two and on nothing else.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random
from time import monotonic
from typing import Final

from simlab.core.events import EventType
from simlab.core.record import IntentKind
from simlab.routers import ROUTERS
from simlab.sim.laws import Constant
from simlab.sim.spec import Acts, CancelPoints, EventSpec, Intent, ModelSpec, Plan, ToolModel, WorldSpec
from simlab.testing.cases import FOLDER, Case, WorldRun, make_strategy, run_world, save_case
from simlab.testing.known import surprises
from simlab.testing.schedule import Schedule
from simlab.testing.shrinking import shrink
from simlab.testing.stage import Found, Stage
from simlab.testing.walking import perform, walk
from simlab.testing.worlds import random_world

# --- swarm ------------------------------------------------------------------------------------------------------------

Switch = Callable[[WorldSpec], WorldSpec]
"""Takes a feature out of a world."""


def _each_tool(world: WorldSpec, change: Callable[[ToolModel], ToolModel]) -> WorldSpec:
    return replace(world, tools=tuple(change(tool) for tool in world.tools))


def _each_event(world: WorldSpec, change: Callable[[EventSpec], EventSpec]) -> WorldSpec:
    return replace(world, events=tuple(change(event) for event in world.events))


def _routine(event: EventSpec) -> EventSpec:
    return replace(event, type=EventType.USER_INPUT, marked_urgent=False)


def _harmless(event: EventSpec) -> EventSpec:
    changes = (IntentKind.CORRECT, IntentKind.AMEND)
    return replace(event, intent=Intent(kind=IntentKind.LIGHT)) if event.intent.kind in changes else event


def _prompt(tool: ToolModel) -> ToolModel:
    return replace(tool, signal_ms=0, ack_ms=0, prepare_ms=0, cancel_points=CancelPoints.ANYWHERE)


def _unprepared(tool: ToolModel) -> ToolModel:
    return replace(tool, spec=replace(tool.spec, prepares=False))


def _reliable(tool: ToolModel) -> ToolModel:
    return replace(tool, failure=0.0, timeout_ms=None)


def _patient(event: EventSpec) -> EventSpec:
    return replace(event, patience_ms=None, retry_ms=None)


def _as_user(event: EventSpec) -> EventSpec:
    return replace(event, source="user")


SWITCHES: Final[dict[str, Switch]] = {
    "urgency": lambda world: _each_event(world, _routine),
    "corrections": lambda world: _each_event(world, _harmless),
    "impatience": lambda world: _each_event(world, _patient),
    "sources": lambda world: _each_event(world, _as_user),
    "delays": lambda world: _each_tool(world, _prompt),
    "preparation": lambda world: _each_tool(world, _unprepared),
    "failures": lambda world: _each_tool(world, _reliable),
    "streams": lambda world: replace(world, streams=()),
    "sessions": lambda world: replace(world, sessions=(), placed=()),
    "tokens": lambda world: replace(world, model=ModelSpec(call_ms=Constant(value=1_000.0))),
    "capacity": lambda world: replace(world, model_concurrency=None),
    "horizon": lambda world: replace(world, horizon_ms=3_600_000),
    "resampling": lambda world: replace(world, resample=False),
}
"""Features by name, and how each is switched off."""


def swarm_world(rng: Random) -> WorldSpec:
    """Return a random world with a random part of its features switched off."""
    world = random_world(rng)
    for switch in SWITCHES.values():
        if rng.random() < 0.3:
            world = switch(world)
    return world


# --- one run ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One run of the fuzzer: a schedule or a world, and what was found that the strategy is not known for."""

    run: Schedule | WorldRun
    found: Sequence[Found]


def fuzz_once(strategy: str, seed: int, number: int) -> Run:
    """Make run ``number`` of a seed: an even one on the stage, an odd one in a world."""
    rng = Random(f"{seed} {number}")
    if number % 2 == 0:
        stage = walk(make_strategy(strategy), rng)
        return Run(run=tuple(stage.played), found=surprises(strategy, stage.found))
    router = rng.choice(("by_type", "by_type", "oracle", "random", "keyword"))
    router = router if router in ROUTERS.names() else "by_type"
    run = WorldRun(world=swarm_world(rng), router=router, seed=number)
    _, found = run_world(run, make_strategy(strategy))
    return Run(run=run, found=surprises(strategy, found))


def smallest(strategy: str, run: Schedule | WorldRun, name: str) -> Schedule | WorldRun:
    """Return the smallest schedule or world found for which the strategy is still found guilty of ``name``."""
    if isinstance(run, WorldRun):
        return _smallest_world(strategy, run, name)

    def again(schedule: Schedule) -> Stage:
        return perform(schedule, make_strategy(strategy))

    return shrink(run, name, again)


def _smallest_world(strategy: str, run: WorldRun, name: str) -> WorldRun:
    best = run
    improved = True
    while improved:
        improved = False
        for candidate in _simpler_worlds(best.world):
            trial = replace(best, world=candidate)
            if _fails(strategy, trial, name):
                best, improved = trial, True
                break
    return best


def _fails(strategy: str, run: WorldRun, name: str) -> bool:
    _, found = run_world(run, make_strategy(strategy))
    return any(each.name == name for each in found)


def _simpler_worlds(world: WorldSpec) -> Iterator[WorldSpec]:
    for switch in SWITCHES.values():
        simpler = switch(world)
        if simpler != world:
            yield simpler
    for place in range(len(world.events)):
        yield replace(world, events=world.events[:place] + world.events[place + 1 :])
    yield from _fewer_plans(world)
    yield from _fewer_tools(world)
    yield from _earlier_events(world)


def _fewer_plans(world: WorldSpec) -> Iterator[WorldSpec]:
    if world.sessions or world.placed:
        return
    asked = [*world.events, *(variant for stream in world.streams for _, variant in stream.variants)]
    for name in sorted(world.plans.keys() - {event.intent.plan for event in asked}):
        yield replace(world, plans={key: plan for key, plan in world.plans.items() if key != name})


def _earlier_events(world: WorldSpec) -> Iterator[WorldSpec]:
    """Events at full seconds, or at the beginning, their order kept."""
    for place, event in enumerate(world.events):
        for at_ms in (0, event.at_ms // 1_000 * 1_000):
            if at_ms < event.at_ms and all(other.at_ms <= at_ms for other in world.events[:place]):
                moved = replace(event, at_ms=at_ms)
                yield replace(world, events=(*world.events[:place], moved, *world.events[place + 1 :]))


def _fewer_tools(world: WorldSpec) -> Iterator[WorldSpec]:
    used: set[str | None] = set()
    for plan in world.plans.values():
        if isinstance(plan, Plan):
            used |= {step.tool for step in plan.steps}
        else:
            used |= {plan.last_tool, *(name for _, name in plan.mix)}
    for tool in world.tools:
        if tool.spec.name not in used and tool.acts is Acts.RUN:
            yield replace(world, tools=tuple(each for each in world.tools if each is not tool))


# --- many runs --------------------------------------------------------------------------------------------------------


@dataclass(slots=True, kw_only=True)
class Tally:
    """What a fuzzing session came to. ``cases`` are the files of failures, by the name of what was found."""

    strategy: str
    seed: int
    first: int = 0
    runs: int = 0
    failures: int = 0
    cases: dict[str, Path] = field(default_factory=dict)


def fuzz(
    strategy: str,
    *,
    seed: int = 0,
    first: int = 0,
    runs: int | None = None,
    minutes: float | None = None,
    folder: Path = FOLDER,
    progress: Callable[[Tally], None] | None = None,
) -> Tally:
    """Fuzz a strategy for a number of runs or of minutes; save the smallest failure of each kind."""
    tally = Tally(strategy=strategy, seed=seed, first=first)
    until = None if minutes is None else monotonic() + 60 * minutes
    while (runs is None or tally.runs < runs) and (until is None or monotonic() < until):
        run = fuzz_once(strategy, seed, first + tally.runs)
        tally.runs += 1
        tally.failures += bool(run.found)
        for found in run.found[:1]:
            if found.name not in tally.cases:
                tally.cases[found.name] = _save(strategy, run.run, found, folder)
        if progress is not None:
            progress(tally)
    return tally


def _save(strategy: str, run: Schedule | WorldRun, found: Found, folder: Path) -> Path:
    made = smallest(strategy, run, found.name)
    return save_case(Case(strategy=strategy, run=made, found=found.name, what=found.what), folder)
