"""One run of a runtime under one schedule: the same code on the virtual clock and on the real one."""

import asyncio
import json
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from hashlib import blake2b
from typing import Any

from simlab.testing.contract import ASIDE, EXTRA, TASK, Desk, MakeRuntime
from simlab.testing.errors import DeadlockError, StalledWorkerError
from simlab.testing.fakes import World
from simlab.testing.grades import Finding, Record, judge
from simlab.testing.loop import VirtualLoop, run, waiting_tasks
from simlab.testing.placement import Arrival, Place, Schedule, places_of

SETTLE_S = 30.0  # virtual seconds before the extra turn, in which whatever was left running shows itself
HORIZON_S = 3600.0  # virtual seconds after which a run is taken to hang

PlaceArrival = Callable[[Arrival, Callable[[], None]], None]


@dataclass(frozen=True, kw_only=True, slots=True)
class Run:
    """What one schedule did. ``places`` are those of its first turn; ``digest`` covers all that was judged."""

    schedule: Schedule
    record: Record
    findings: list[Finding]
    places: list[Place]
    digest: str

    @property
    def faults(self) -> list[Finding]:
        """The findings that fail."""
        return [finding for finding in self.findings if finding.grade.fails]


@dataclass(eq=False, slots=True)
class Session:
    """The conversation of one run: the task, what arrives, quiet, and always one more user turn."""

    make: MakeRuntime
    schedule: Schedule
    world: World
    place: PlaceArrival
    settle_s: float = SETTLE_S
    horizon_s: float = HORIZON_S
    desk: Desk | None = None
    extra_began: bool = False
    first: tuple[float, int] = (0.0, 0)
    last: tuple[float, int] | None = None
    hops_at: dict[float, int] | None = None

    async def main(self) -> str | None:
        """Return why the run hangs, or None."""
        loop = asyncio.get_running_loop()
        self.world.now_s = loop.time
        talk = loop.create_task(self._talk(), name="product")
        await asyncio.wait({talk}, timeout=self.horizon_s * self.world.scale)
        if talk.done():
            talk.result()
            return None
        self.give_up()
        why = f"no end after {self.horizon_s:g} s; {waiting_tasks(loop)}"
        talk.cancel()
        return why

    async def _talk(self) -> None:
        runtime = self.make(self.world)
        desk = self.desk = Desk(runtime, self.schedule.policy, self.world.tick)
        for number, arrival in enumerate(self.schedule.arrivals):
            text = _text_of(arrival, number, self.schedule.policy)
            self.place(arrival, partial(desk.arrive, arrival.kind, text))
        self._note_start()
        desk.start(TASK)
        await self._until_idle(desk)
        self._note_end()
        await asyncio.sleep(self.settle_s * self.world.scale)
        await self._until_idle(desk)
        self.extra_began = True
        desk.start(EXTRA)
        await self._until_idle(desk)
        close = getattr(runtime, "close", None)
        if close is not None:
            await close()

    async def _until_idle(self, desk: Desk) -> None:
        while desk.running or desk.waiting:
            quiet = asyncio.Event()
            desk.on_idle = quiet.set
            await quiet.wait()

    def _note_start(self) -> None:
        loop = asyncio.get_running_loop()
        if isinstance(loop, VirtualLoop):
            self.first = loop.moment

    def _note_end(self) -> None:
        loop = asyncio.get_running_loop()
        if isinstance(loop, VirtualLoop):
            self.last, self.hops_at = loop.moment, dict(loop.hops_at)

    def give_up(self) -> None:
        """Note that the run hangs, before its tasks are torn down."""
        if self.desk is not None:
            self.desk.over = True

    def close(self, hang: str | None) -> Run:
        """Judge what the run left behind."""
        desk = self.desk
        assert desk is not None
        record = Record(world=self.world, desk=desk, hang=hang, extra=desk.turns[-1] if self.extra_began else None)
        findings = judge(record)
        places = places_of(self.hops_at, self.first, self.last) if self.hops_at and self.last else []
        return Run(
            schedule=self.schedule, record=record, findings=findings, places=places, digest=_digest(record, findings)
        )


def run_schedule(make: MakeRuntime, schedule: Schedule) -> Run:
    """Run one schedule in virtual time and judge it."""
    loops: list[VirtualLoop] = []

    def place(arrival: Arrival, callback: Callable[[], None]) -> None:
        loops[0].place(arrival.place.instant_s, arrival.place.hop, callback)

    session = Session(make, schedule, World(schedule.workload), place)
    try:
        hang = run(session.main(), prepare=loops.append, on_failure=session.give_up)
    except (DeadlockError, StalledWorkerError) as error:
        hang = str(error)
    return session.close(hang)


def _text_of(arrival: Arrival, number: int, policy: str) -> str:
    if arrival.kind == "stop":
        return f"[stop-{number}]"
    head = ASIDE if policy == "parallel" else "[message"
    return f"{head}-{number}] How far are you?"


def _digest(record: Record, findings: list[Finding]) -> str:
    told: list[Any] = [[request.tick, request.at_s, request.messages] for request in record.world.requests]
    done = [[run.label, run.receipt, run.began, run.effect, run.finished, run.cancelled] for run in record.world.ledger]
    judged = [[finding.grade, finding.rule, finding.evidence] for finding in findings]
    return blake2b(json.dumps([told, done, judged]).encode(), digest_size=8).hexdigest()
