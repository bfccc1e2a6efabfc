"""Every single wait equals the recursion that it comes from, to the millisecond, on the same draws.

Source: docs/validation.md. The recursions below know the arrival times and the named draws of the service
times, and nothing else of the simulation.
"""

from collections.abc import Mapping

import pytest

from simlab.core.record import RunRecord
from simlab.sim.laws import Law
from simlab.sim.streams import Draws
from tests.validation.building import LAWS, light_stream, run

SEED = 20_26
Times = Mapping[str, tuple[int, int]]
"""For each event: when the call that serves it begins, and when that call ends."""


def arrivals(record: RunRecord) -> list[tuple[str, int]]:
    return [(name, truth.arrived_ms) for name, truth in record.events.items()]


class Service:
    """Service times by the names under which the model draws them."""

    def __init__(self, law: Law, replication: int) -> None:
        self.law = law
        self.draws = Draws(SEED, replication)
        self.begun: dict[str, int] = {}

    def main(self, event_id: str) -> int:
        """The next attempt of the call that is led by this event."""
        attempt = self.begun.get(event_id, 0)
        self.begun[event_id] = attempt + 1
        return round(self.law.quantile(self.draws.uniform("call_ms", "answer", event_id, attempt)))

    def side(self, event_id: str) -> int:
        return round(self.law.quantile(self.draws.uniform("call_ms", "side", event_id)))


def lindley(events: list[tuple[str, int]], service: Service) -> Times:
    """One at a time: W(n+1) = max(0, W(n) + S(n) - gap) (Lindley 1952)."""
    times: dict[str, tuple[int, int]] = {}
    wait_ms, before = 0, None
    for name, at_ms in events:
        if before is not None:
            wait_ms = max(0, wait_ms + before[1] - (at_ms - before[0]))
        service_ms = service.main(name)
        times[name] = (at_ms + wait_ms, at_ms + wait_ms + service_ms)
        before = (at_ms, service_ms)
    return times


def flush(events: list[tuple[str, int]], service: Service) -> Times:
    """A batch: whatever has arrived by the end of the call in progress is served by the next one."""
    times: dict[str, tuple[int, int]] = {}
    free_ms, rest = -1, list(events)
    while rest:
        begins_ms = max(free_ms, rest[0][1])
        batch = [name for name, at_ms in rest if at_ms <= begins_ms]
        free_ms = begins_ms + service.main(batch[0])
        times.update(dict.fromkeys(batch, (begins_ms, free_ms)))
        rest = rest[len(batch) :]
    return times


def restart(events: list[tuple[str, int]], service: Service) -> Times:
    """Every arrival that meets a call discards it and starts a fresh one, which serves all that are unanswered."""
    times: dict[str, tuple[int, int]] = {}
    unanswered: list[str] = []
    for (name, at_ms), (_, next_ms) in zip(events, [*events[1:], ("", 1 << 62)], strict=True):
        unanswered.append(name)
        if next_ms == at_ms:
            continue  # they interrupt in the same instant: one call
        ends_ms = at_ms + service.main(unanswered[0])
        if ends_ms <= next_ms:  # a call that ends in the instant of an arrival has ended before it
            times.update(dict.fromkeys(unanswered, (at_ms, ends_ms)))
            unanswered = []
    return times


def aside(events: list[tuple[str, int]], service: Service) -> Times:
    """Who meets an idle agent wakes it; everybody else has a session of his own."""
    times: dict[str, tuple[int, int]] = {}
    free_ms = -1
    for name, at_ms in events:
        if at_ms > free_ms:
            times[name] = (at_ms, at_ms + service.main(name))
            free_ms = times[name][1]
        else:
            times[name] = (at_ms, at_ms + service.side(name))
    return times


RECURSIONS = {"queue-turn": lindley, "queue": flush, "cancel": restart, "parallel": aside}


def simulated(record: RunRecord) -> dict[str, int | None]:
    return {name: truth.first_answer_ms for name, truth in record.events.items()}


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("strategy", RECURSIONS)
@pytest.mark.parametrize("mean_gap_ms", [60_000, 25_000])
def test_every_answer_comes_when_the_recursion_says(strategy: str, law: str, mean_gap_ms: int) -> None:
    record = run(
        light_stream(mean_gap_ms=mean_gap_ms, until_ms=250 * mean_gap_ms, call_ms=LAWS[law]), strategy, replication=3
    )
    events = arrivals(record)
    assert len(events) > 200
    expected = RECURSIONS[strategy](events, Service(LAWS[law], 3))
    assert simulated(record) == {name: ends_ms for name, (_, ends_ms) in expected.items()}


@pytest.mark.parametrize("strategy", ["queue-turn", "queue"])
def test_every_wait_ends_when_the_serving_call_begins(strategy: str) -> None:
    record = run(light_stream(mean_gap_ms=30_000, until_ms=6_000_000, call_ms=LAWS["gamma"]), strategy, replication=4)
    expected = RECURSIONS[strategy](arrivals(record), Service(LAWS["gamma"], 4))
    consumed = {name: truth.consumed_ms for name, truth in record.events.items()}
    assert consumed == {name: begins_ms for name, (begins_ms, _) in expected.items()}


@pytest.mark.parametrize("strategy", RECURSIONS)
def test_ties_obey_the_recursion_too(strategy: str) -> None:
    """Constant calls of 4 ms and gaps of 2 ms on average: nearly every arrival coincides with something."""
    from simlab.sim.laws import Constant

    law = Constant(value=4.0)
    record = run(light_stream(mean_gap_ms=2, until_ms=800, call_ms=law), strategy, replication=5)
    expected = RECURSIONS[strategy](arrivals(record), Service(law, 5))
    assert simulated(record) == {name: ends_ms for name, (_, ends_ms) in expected.items()}
