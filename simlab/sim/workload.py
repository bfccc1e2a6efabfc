"""What arrives: scripted events and renewal streams, at absolute times that are the same under every strategy."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from simlab.core.events import Event, EventType
from simlab.sim.clock import EVENT, TIMER, Clock, Happening, rank
from simlab.sim.spec import EventSpec, Intent, StreamSpec
from simlab.sim.streams import Draws

LATEST = "@latest"


@dataclass(slots=True)
class _Source:
    """How far a stream has got. Times are kept unrounded, so that rounding does not add up."""

    stream: StreamSpec
    number: int = 0
    event: int = 0
    at_ms: float = 0.0


class Workload:
    """Feeds arrivals to the world. ``arrive`` gets the event and its true intent."""

    __slots__ = ("_arrive", "_clock", "_draws", "_horizon_ms", "_latest", "_next_index", "waiting")

    def __init__(
        self, clock: Clock, draws: Draws, horizon_ms: int | None, arrive: Callable[[Event, Intent, str | None], None]
    ) -> None:
        self._clock = clock
        self._draws = draws
        self._horizon_ms = horizon_ms
        self._arrive = arrive
        self._latest: str | None = None
        self._next_index = 0
        self.waiting = 0

    def begin(self, events: tuple[EventSpec, ...], streams: tuple[StreamSpec, ...]) -> None:
        """Schedule the scripted events and the first arrival of every stream."""
        for spec in events:
            self.schedule(spec, spec.at_ms)
        for stream in streams:
            self._next_arrival(_Source(stream, at_ms=float(stream.start_ms)))

    def schedule(self, spec: EventSpec, delay_ms: int, cause: str | None = None) -> None:
        """Let an event arrive ``delay_ms`` from now. Ties keep the order in which events were scheduled."""
        self.waiting += 1
        self._next_index += 1
        kind = TIMER if spec.type is EventType.TIMER_TRIGGER else EVENT
        self._clock.after(delay_ms, rank(kind, self._next_index), self._happen, (spec, cause))

    def _happen(self, happening: Happening) -> None:
        spec, cause = happening.item
        self.waiting -= 1
        self.deliver(spec, cause)

    def deliver(self, spec: EventSpec, cause: str | None = None) -> None:
        """Let an event arrive now."""
        intent = spec.intent
        if intent.task == LATEST:
            intent = replace(intent, task=self._latest)
        if intent.plan is not None:
            self._latest = spec.id
        event = Event(
            id=spec.id,
            type=spec.type,
            source=spec.source,
            channel=spec.channel,
            content=spec.text,
            context=intent.task or "",
            marked_urgent=spec.marked_urgent,
        )
        self._arrive(event, intent, cause)

    # --- streams ------------------------------------------------------------------------------------------------

    def _next_arrival(self, source: _Source) -> None:
        """Schedule the next arrival of a stream, unless its time is over."""
        stream = source.stream
        source.at_ms += stream.gap_ms.quantile(self._draws.uniform("gap", stream.name, source.number))
        source.number += 1
        at_ms = round(source.at_ms)
        limits = [limit for limit in (stream.until_ms, self._horizon_ms) if limit is not None]
        if any(at_ms > limit for limit in limits):
            return
        self.waiting += 1
        self._next_index += 1
        kind = TIMER if stream.variants[0][1].type is EventType.TIMER_TRIGGER else EVENT
        self._clock.after(at_ms - self._clock.now_ms, rank(kind, self._next_index), self._stream_arrives, source)

    def _stream_arrives(self, happening: Happening) -> None:
        source: _Source = happening.item
        self.waiting -= 1
        stream, number = source.stream, source.number
        size = 1
        if stream.burst is not None:
            size = max(1, round(stream.burst.quantile(self._draws.uniform("burst", stream.name, number))))
        delay_ms = 0.0
        for place in range(size):
            source.event += 1
            spec = self._variant(stream, source.event)
            if place == 0:
                self.deliver(spec)
                continue
            if stream.burst_gap_ms is not None:
                u = self._draws.uniform("burst_gap", stream.name, number, place)
                delay_ms += stream.burst_gap_ms.quantile(u)
            self.schedule(spec, round(delay_ms))
        self._next_arrival(source)

    def _variant(self, stream: StreamSpec, number: int) -> EventSpec:
        """Return the event that the stream's ``number``-th named draw selects."""
        spec = stream.variants[0][1]
        if len(stream.variants) > 1:
            u = self._draws.uniform("variant", stream.name, number) * sum(weight for weight, _ in stream.variants)
            for weight, each in stream.variants:
                spec = each
                if u < weight:
                    break
                u -= weight
        return replace(spec, id=f"{spec.id}-{number}")
