"""Confirm a fault in plain asyncio on the real clock.

The loop is asyncio's own ``SelectorEventLoop``; only its selector is wrapped, to count the loop's iterations. A place
(instant, hop) is tied to the wake-up of the fake model or of a tool that happens at that instant in virtual time: the
event is delivered so many iterations after the same wake-up. Durations are scaled down.
"""

import asyncio
import selectors
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from simlab.testing.contract import MakeRuntime
from simlab.testing.fakes import World
from simlab.testing.placement import Arrival, Schedule
from simlab.testing.session import Run, Session, run_schedule

SCALE = 0.02  # real seconds per virtual second


@dataclass(frozen=True, slots=True)
class Anchor:
    """A place on the real clock: after wake-up number ``wake`` (-1 is the start), so many hops and seconds later."""

    wake: int
    hop: int
    later_s: float


def anchor_of(arrival: Arrival, wakes_s: list[float]) -> Anchor:
    """Tie a virtual place to the wake-ups of the same run in virtual time."""
    place = arrival.place
    if place.instant_s in wakes_s:
        return Anchor(wakes_s.index(place.instant_s), place.hop, 0.0)
    earlier = [index for index, at_s in enumerate(wakes_s) if at_s < place.instant_s]
    if not earlier:
        return Anchor(-1, place.hop if place.instant_s == 0 else 0, place.instant_s)
    return Anchor(earlier[-1], 0, place.instant_s - wakes_s[earlier[-1]])


class CountingSelector(selectors.DefaultSelector):
    """The system's selector, which counts the iterations of its loop and calls back at a chosen one."""

    def __init__(self) -> None:
        super().__init__()
        self.iteration = -1
        self.due: list[tuple[int, Callable[[], None]]] = []
        self.loop: asyncio.AbstractEventLoop | None = None

    def select(self, timeout: float | None = None) -> Any:
        """Count, and hand the loop what is due, behind what is ready and before its timers."""
        self.iteration += 1
        for entry in [entry for entry in self.due if entry[0] <= self.iteration]:
            assert self.loop is not None
            self.due.remove(entry)
            self.loop.call_soon(entry[1])
            timeout = 0
        return super().select(0 if self.due else timeout)


@dataclass(eq=False, slots=True)
class _RealClock:
    """Places arrivals by their anchors on a plain asyncio loop."""

    selector: CountingSelector
    scale: float
    wakes_s: list[float]
    anchors: list[tuple[Anchor, Callable[[], None]]]

    def place(self, arrival: Arrival, callback: Callable[[], None]) -> None:
        """Remember an arrival; what is tied to the start is due at once."""
        anchor = anchor_of(arrival, self.wakes_s)
        if anchor.wake < 0:
            self._set(anchor, callback, start=0)
        else:
            self.anchors.append((anchor, callback))

    def woke(self, number: int) -> None:
        """Handle a wake-up of the world, before the task that waits for it goes on."""
        for anchor, callback in [item for item in self.anchors if item[0].wake == number]:
            self.anchors.remove((anchor, callback))
            if anchor.hop == 0 and anchor.later_s == 0:
                callback()
            else:
                self._set(anchor, callback, start=self.selector.iteration)

    def _set(self, anchor: Anchor, callback: Callable[[], None], *, start: int) -> None:
        if anchor.later_s:
            asyncio.get_running_loop().call_later(anchor.later_s * self.scale, callback)
        else:
            self.selector.due.append((start + anchor.hop, callback))


def run_on_the_real_clock(make: MakeRuntime, schedule: Schedule, *, scale: float = SCALE) -> Run:
    """Run a schedule in plain asyncio. Takes about ``scale`` times its virtual length in real seconds."""
    virtual = run_schedule(make, schedule)
    clock = _RealClock(CountingSelector(), scale, virtual.record.world.wakes_s, [])
    world = World(schedule.workload, scale=scale, on_wake=clock.woke)
    session = Session(make, schedule, world, clock.place, settle_s=_longest_s(schedule) * 2, horizon_s=120.0)
    with asyncio.Runner(loop_factory=lambda: _plain_loop(clock.selector)) as runner:
        hang = runner.run(session.main())
    return session.close(hang)


def confirmed(make: MakeRuntime, schedule: Schedule, rule: str, *, attempts: int = 3) -> bool:
    """Say whether the real clock shows the same rule broken by the same schedule, at least once in a few attempts."""
    return any(
        rule in {finding.rule for finding in run_on_the_real_clock(make, schedule).findings} for _ in range(attempts)
    )


def _plain_loop(selector: CountingSelector) -> asyncio.SelectorEventLoop:
    loop = asyncio.SelectorEventLoop(selector)
    selector.loop = loop
    loop.set_exception_handler(lambda _loop, _context: None)
    return loop


def _longest_s(schedule: Schedule) -> float:
    return max(ms for calls in schedule.workload.rounds_ms for ms in calls) / 1000
