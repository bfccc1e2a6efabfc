"""The router's desk: verdicts take time, need a worker, may time out, and may have to keep the order of a source."""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass

import simpy

from simlab.core.events import Event, Handling, Verdict
from simlab.core.plugins import Router
from simlab.sim.clock import VERDICT, Clock, rank
from simlab.sim.streams import Draws


class EventHints:
    """What a simulated router may use beyond the event: the truth, and numbers named for the event."""

    __slots__ = ("_draws", "_event_id", "true_handling")

    def __init__(self, draws: Draws, event_id: str, handling: Handling) -> None:
        self._draws = draws
        self._event_id = event_id
        self.true_handling = handling

    def uniform(self, *name: str | int) -> float:
        """Return a number in (0, 1) named for this event and ``name``."""
        return self._draws.uniform("router", self._event_id, *name)


@dataclass(slots=True)
class _Case:
    """One event at the desk. ``verdict`` is None until there is one."""

    event: Event
    index: int
    verdict: Verdict
    latency_ms: int
    at_once: bool
    ready: bool = False
    request: "simpy.resources.resource.Request | None" = None


class RouterDesk:
    """Takes events in, gives verdicts out through ``deliver``. ``cost_usd`` adds up what they cost."""

    __slots__ = ("_by_source", "_clock", "_count", "_deliver", "_draws", "_router", "_workers", "cost_usd")

    def __init__(self, clock: Clock, router: Router, draws: Draws, deliver: Callable[[str, Verdict], None]) -> None:
        self._clock = clock
        self._router = router
        self._draws = draws
        self._deliver = deliver
        self._count = 0
        self._by_source: dict[str, deque[_Case]] = {}
        workers = router.service.workers
        self._workers = simpy.Resource(clock.env, capacity=workers) if workers is not None else None
        self.cost_usd = 0.0

    def take(self, event: Event, handling: Handling) -> None:
        """Begin to route an event whose true handling is given (for routers that are simulated)."""
        hints = EventHints(self._draws, event.id, handling)
        verdict = self._router.route(event, hints)
        self._count += 1
        latency_ms = max(0.0, self._router.latency_ms(event, hints))
        case = _Case(event, self._count, verdict, round(latency_ms), at_once=latency_ms == 0)
        service = self._router.service
        self.cost_usd += 0.0 if case.at_once else service.usd_per_event
        if service.keeps_order:
            self._by_source.setdefault(event.source, deque()).append(case)
        if service.timeout_ms is not None and not case.at_once:
            self._clock.after(service.timeout_ms, rank(VERDICT, case.index), self._time_out, case)
        if self._workers is None or case.at_once:
            self._work(case)
        else:
            case.request = self._workers.request()
            if case.request.triggered:
                self._work(case)
            else:
                case.request.callbacks.append(lambda _granted: self._work(case))

    def _work(self, case: _Case) -> None:
        if not case.ready:
            self._clock.after(case.latency_ms, rank(VERDICT, case.index), self._finish, case)

    def _time_out(self, case: _Case) -> None:
        if not case.ready:
            case.verdict = Verdict(handling=self._router.service.fallback, confidence=0.0, reason="timed out")
            self._finish(case)

    def _finish(self, case: _Case) -> None:
        if case.ready:
            return
        case.ready = True
        if case.request is not None and self._workers is not None:
            if case.request.triggered:
                self._workers.release(case.request)
            else:
                case.request.cancel()
        if not self._router.service.keeps_order:
            self._deliver(case.event.id, case.verdict)
            return
        queue = self._by_source[case.event.source]
        while queue and queue[0].ready:
            done = queue.popleft()
            self._deliver(done.event.id, done.verdict)
