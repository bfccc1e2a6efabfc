"""What arrives: scripted events, renewal streams, and what people do because of what happened to them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from simlab.core.events import Event, EventType
from simlab.core.record import REPEATED, EventTruth
from simlab.sim.clock import EVENT, TIMER, Clock, rank
from simlab.sim.spec import EventSpec, Intent, PlacedSpec, SessionSpec, StreamSpec, Variants
from simlab.sim.streams import Draws

LATEST = "@latest"

Reference = Mapping[str, tuple[int, int]]
"""When each task of an unperturbed run was asked for and finished, in milliseconds."""


@dataclass(slots=True)
class _Source:
    """How far a stream has got. Times are kept unrounded, so that rounding does not add up."""

    stream: StreamSpec
    number: int = 0
    event: int = 0
    at_ms: float = 0.0


class Workload:
    """Feeds arrivals to the world. ``arrive`` gets the event and its true intent, and what caused it.

    Exogenous events have absolute times, the same under every strategy. Reactive ones (a repeat after patience, a retry
    after refusal, the next request after a think time) are named for their cause.
    """

    __slots__ = ("_arrive", "_clock", "_draws", "_horizon_ms", "_latest", "_next_index", "_sessions", "_specs",
                 "_unanswered", "waiting")  # fmt: skip

    def __init__(
        self,
        *,
        clock: Clock,
        draws: Draws,
        horizon_ms: int | None,
        arrive: Callable[[Event, Intent, str | None], None],
        unanswered: set[str],
    ) -> None:
        self._clock = clock
        self._draws = draws
        self._horizon_ms = horizon_ms
        self._arrive = arrive
        self._unanswered = unanswered
        self._latest: str | None = None
        self._next_index = 0
        self._specs: dict[str, EventSpec] = {}
        self._sessions: dict[str, tuple[SessionSpec, int]] = {}
        self.waiting = 0

    @property
    def is_over(self) -> bool:
        """Whether nobody will send anything more, as things stand."""
        return self.waiting == 0 and not self._unanswered

    # --- exogenous --------------------------------------------------------------------------------------------------

    def begin(
        self,
        events: tuple[EventSpec, ...],
        streams: tuple[StreamSpec, ...],
        sessions: tuple[SessionSpec, ...],
        placed: tuple[PlacedSpec, ...],
        reference: Reference,
    ) -> None:
        """Schedule scripted and placed events, and the first arrival of every stream and session."""
        for spec in events:
            self.schedule(spec, spec.at_ms)
        for number, each in enumerate(placed):
            self._place(number, each, reference)
        for stream in streams:
            self._next_arrival(_Source(stream, at_ms=float(stream.start_ms)))
        for session in sessions:
            self._next_request(session, 1, session.start_ms, None)

    def schedule(self, spec: EventSpec, delay_ms: int, cause: str | None = None) -> None:
        """Let an event arrive ``delay_ms`` from now. Ties keep the order in which events were scheduled."""
        self.waiting += 1
        self._next_index += 1
        kind = TIMER if spec.type is EventType.TIMER_TRIGGER else EVENT
        self._clock.after(delay_ms, rank(kind, self._next_index), self._happen, (spec, cause))

    def _happen(self, arrival: tuple[EventSpec, str | None]) -> None:
        spec, cause = arrival
        self.waiting -= 1
        self.deliver(spec, cause)

    def deliver(self, spec: EventSpec, cause: str | None = None) -> None:
        """Let an event arrive now."""
        intent = spec.intent
        if intent.task == LATEST:
            intent = replace(intent, task=self._latest)
            spec = replace(spec, intent=intent)
        if intent.plan is not None and intent.repeats is None:
            self._latest = spec.id
        if spec.patience_ms is not None or spec.retry_ms is not None:
            self._specs[spec.id] = spec
        event = Event(
            id=spec.id,
            type=spec.type,
            source=spec.source,
            channel=spec.channel,
            content=spec.text,
            context=intent.task or "",
            marked_urgent=spec.marked_urgent,
        )
        if spec.patience_ms is not None:
            self._wait_patiently(spec)
        self._arrive(event, intent, cause)

    def _place(self, number: int, placed: PlacedSpec, reference: Reference) -> None:
        if self._draws.uniform("placed", number, "chance") >= placed.chance or placed.task not in reference:
            return
        asked_ms, finished_ms = reference[placed.task]
        share = min(1.0, max(0.0, placed.share.quantile(self._draws.uniform("placed", number, "share"))))
        spec = self._pick(placed.variants, "placed", number)
        self.schedule(spec, asked_ms + round(share * (finished_ms - asked_ms)))

    # --- streams ----------------------------------------------------------------------------------------------------

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

    def _stream_arrives(self, source: _Source) -> None:
        self.waiting -= 1
        stream, number = source.stream, source.number
        size = 1
        if stream.burst is not None:
            size = max(1, round(stream.burst.quantile(self._draws.uniform("burst", stream.name, number))))
        delay_ms = 0.0
        for place in range(size):
            source.event += 1
            spec = self._numbered(self._pick(stream.variants, "variant", stream.name, source.event), source.event)
            if place == 0:
                self.deliver(spec)
                continue
            if stream.burst_gap_ms is not None:
                u = self._draws.uniform("burst_gap", stream.name, number, place)
                delay_ms += stream.burst_gap_ms.quantile(u)
            self.schedule(spec, round(delay_ms))
        self._next_arrival(source)

    def _pick(self, variants: Variants, *name: str | int) -> EventSpec:
        """Return the template that the named draw selects."""
        spec = variants[0][1]
        if len(variants) > 1:
            left = self._draws.uniform(*name) * sum(weight for weight, _ in variants)
            for weight, each in variants:
                spec = each
                if left < weight:
                    break
                left -= weight
        return spec

    @staticmethod
    def _numbered(spec: EventSpec, number: int) -> EventSpec:
        return replace(spec, id=f"{spec.id}-{number}")

    # --- reactions --------------------------------------------------------------------------------------------------

    def _next_request(self, session: SessionSpec, number: int, delay_ms: int, cause: str | None) -> None:
        spec = self._numbered(self._pick(session.variants, "session", session.name, number), number)
        self._sessions[spec.id] = (session, number)
        self.schedule(spec, delay_ms, cause)

    def answered(self, task_id: str) -> None:
        """A request got its final answer: its session's next request comes a think time later."""
        session, number = self._sessions.pop(task_id.rstrip("~"), (None, 0))
        if session is not None and number < session.requests:
            think_ms = round(session.think_ms.quantile(self._draws.uniform("think", task_id)))
            self._next_request(session, number + 1, think_ms, task_id)

    def _wait_patiently(self, spec: EventSpec) -> None:
        """Let a person wait for an answer to this event as long as their patience lasts."""
        if spec.patience_ms is None:
            return
        self._unanswered.add(spec.id)
        patience_ms = round(spec.patience_ms.quantile(self._draws.uniform("patience", spec.id)))
        self._next_index += 1
        self._clock.after(patience_ms, rank(EVENT, self._next_index), self._lose_patience, spec)

    def _lose_patience(self, spec: EventSpec) -> None:
        if spec.id not in self._unanswered:
            return
        self._unanswered.discard(spec.id)
        # a message that was refused and retried is repeated once
        if spec.repeats > 0 and spec.id + REPEATED not in self._specs:
            intent = replace(spec.intent, repeats=spec.intent.repeats or spec.id)
            again = replace(spec, id=spec.id + REPEATED, intent=intent, repeats=spec.repeats - 1)
            self.deliver(again, spec.id)

    def refused(self, truth: EventTruth) -> None:
        """An event was refused: its sender may try again, with the same event."""
        truth.refusals += 1
        spec = self._specs.get(truth.event_id)
        self._unanswered.discard(truth.event_id)
        if spec is not None and spec.retry_ms is not None:
            u = self._draws.uniform("retry", truth.event_id, truth.refusals)
            self.schedule(spec, round(spec.retry_ms.quantile(u)), truth.event_id)
