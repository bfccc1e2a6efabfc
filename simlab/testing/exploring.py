"""The explorer: every placement of a few events in a small scripted scenario, and the smallest one that breaks.

The first event of the scenario stays where it is. What is placed are its other events, and some standard ones: a light
question, an urgent one, a correction, an amendment, a second request. Instants are those at which anything happens in
the run so far (a run with the events placed before), the milliseconds just after and just before each, one in the
middle between each two of them, and one after the end; placements at one instant are tried in every order. Up to the
arrival of the next event a run depends on the earlier ones only, so no instant is missed.

Merged as symmetric: equal events in another order, and the other milliseconds between two instants, for which the
middle one stands. What those may hide (a coincidence of later instants) is counted, not explored.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from math import prod
from typing import Final

from simlab.core.errors import SimlabError
from simlab.core.events import EventType
from simlab.core.record import IntentKind, RunRecord
from simlab.experiment.population import is_scripted
from simlab.invariants import Blame
from simlab.sim.spec import EventSpec, Intent, WorldSpec
from simlab.testing.cases import WorldRun, make_strategy, run_world
from simlab.testing.stage import Found

AFTER_MS: Final = 1_000
"""How long after its end a run is disturbed to see what an idle agent does."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Placed:
    """One event at its place. ``stands_for`` is the number of milliseconds that this instant stands for."""

    kind: EventSpec
    at_ms: int
    stands_for: int

    def __str__(self) -> str:
        return f"{self.kind.id} ({self.kind.type}, {self.kind.intent.kind}) at {self.at_ms:,} ms"


Placement = tuple[Placed, ...]
"""Events in the order of their arrival."""


@dataclass(slots=True, kw_only=True)
class Exploration:
    """What an exploration came to.

    ``runs`` counts all runs, ``placements`` those with the full number of events; ``stands_for`` is the number of
    placements in whole milliseconds that these stand for, themselves included. ``instants`` is the number of distinct
    instants of the run that was not disturbed. ``broken`` is the smallest placement that breaks something.
    """

    strategy: str
    events: int
    kinds: Sequence[EventSpec]
    runs: int = 0
    placements: int = 0
    stands_for: int = 0
    instants: int = 0
    broken: Placement | None = None
    found: list[Found] = field(default_factory=list)
    run: WorldRun | None = None

    @property
    def not_run(self) -> int:
        """How many placements in whole milliseconds were not run themselves."""
        return self.stands_for - self.placements


def kinds_of(world: WorldSpec) -> list[EventSpec]:
    """Return what is placed: the scenario's other events, then the standard ones that are of another kind."""
    first = world.events[0]
    standard = [
        _kind("light", EventType.USER_INPUT, Intent(kind=IntentKind.LIGHT)),
        _kind("urgent", EventType.USER_INTERRUPT, Intent(kind=IntentKind.LIGHT)),
        _kind("correction", EventType.USER_INTERRUPT, Intent(kind=IntentKind.CORRECT, task=first.id)),
        _kind("amendment", EventType.USER_INPUT, Intent(kind=IntentKind.AMEND, task=first.id)),
        _kind("request", EventType.USER_INPUT, Intent(kind=IntentKind.REQUEST, plan=first.intent.plan)),
    ]
    kinds: list[EventSpec] = []
    for each in (*world.events[1:], *standard):
        if all((each.type, each.intent) != (other.type, other.intent) for other in kinds):
            kinds.append(each)
    return kinds


def _kind(name: str, kind: EventType, intent: Intent) -> EventSpec:
    return EventSpec(id=name, at_ms=0, type=kind, intent=intent)


def explore(
    world: WorldSpec,
    strategy: str,
    *,
    events: int,
    router: str = "by_type",
    progress: Callable[[Exploration], None] | None = None,
) -> Exploration:
    """Try every placement, those of fewer events first; stop at the first that breaks something.

    Raises SimlabError for a world that leaves something to chance, or that has no event.
    """
    if not world.events or not is_scripted(world) or world.streams or world.sessions or world.placed:
        raise SimlabError(f"{world.name}: explore needs a scripted scenario: constant times, and events at fixed times")
    make_strategy(strategy)
    exploration = Exploration(strategy=strategy, events=events, kinds=kinds_of(world))
    explorer = _Explorer(world=world, router=router, exploration=exploration, progress=progress)
    explorer.go()
    return exploration


@dataclass(slots=True, kw_only=True)
class _Explorer:
    world: WorldSpec
    router: str
    exploration: Exploration
    progress: Callable[[Exploration], None] | None

    def go(self) -> None:
        """Go level by level: all placements of one event, then all of two, ..."""
        level: Iterable[Placement] = ((),)
        for depth in range(self.exploration.events + 1):
            grown: list[Placement] = []
            for placement in level:
                record = self._run(placement, full=depth == self.exploration.events)
                if self.exploration.broken is not None:
                    return
                if record is not None and depth < self.exploration.events:
                    grown += self._grow(placement, record)
            level = grown

    def _run(self, placement: Placement, *, full: bool) -> RunRecord | None:
        done = self.exploration
        run = WorldRun(world=self._world(placement), router=self.router)
        record, found = run_world(run, make_strategy(done.strategy))
        done.runs += 1
        if full:
            done.placements += 1
            done.stands_for += prod(each.stands_for for each in placement)
        found = [each for each in found if each.blame is not Blame.MODEL]
        if found:
            done.broken, done.found, done.run = placement, found, run
        if self.progress is not None:
            self.progress(done)
        return record

    def _world(self, placement: Placement) -> WorldSpec:
        placed = tuple(
            replace(each.kind, id=f"P{number}", at_ms=each.at_ms) for number, each in enumerate(placement, start=1)
        )
        return replace(self.world, events=(self.world.events[0], *placed))

    def _grow(self, placement: Placement, record: RunRecord) -> Iterator[Placement]:
        since_ms = placement[-1].at_ms if placement else 0
        spots = list(spots_of(record, since_ms))
        if not placement:
            self.exploration.instants = len(spots)
        for at_ms, stands_for in spots:
            for kind in self.exploration.kinds:
                yield (*placement, Placed(kind=kind, at_ms=at_ms, stands_for=stands_for))


def spots_of(record: RunRecord, since_ms: int) -> Iterator[tuple[int, int]]:
    """Return the distinct instants of a run from ``since_ms`` on, each with the milliseconds for which it stands."""
    times = {at_ms for at_ms, _ in record.trace.records}
    times |= {run.committed_ms for run in record.tool_runs if run.committed_ms is not None}
    times |= {run.stopped_ms for run in record.tool_runs if run.stopped_ms is not None}
    ordered = sorted({at_ms for at_ms in times if at_ms > since_ms} | {since_ms})
    for at_ms, next_ms in zip(ordered, [*ordered[1:], ordered[-1]], strict=True):
        yield at_ms, 1
        yield from _between(at_ms, next_ms)
    yield ordered[-1] + AFTER_MS, 1


def _between(at_ms: int, next_ms: int) -> Iterator[tuple[int, int]]:
    """Return just after, in the middle, and just before: as many of them as there is room for."""
    room = next_ms - at_ms - 1
    if room >= 1:
        yield at_ms + 1, 1
    if room >= 3:
        yield (at_ms + next_ms) // 2, room - 2
    if room >= 2:
        yield next_ms - 1, 1
