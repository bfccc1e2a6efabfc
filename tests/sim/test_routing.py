"""The router's desk: capacity, time-outs, order, and a delay that every event pays."""

from math import factorial, log

import pytest

from simlab.analysis.metrics import overtakes
from simlab.core.errors import SimlabError
from simlab.core.events import Event, EventType, Handling, Verdict
from simlab.core.inputs import Routed
from simlab.core.plugins import Hints, Service
from simlab.core.record import IntentKind, RunRecord
from simlab.routers import ROUTERS
from simlab.routers.classifier import Classifier
from simlab.sim.driver import simulate
from simlab.sim.laws import Exponential
from simlab.sim.routing import EventHints
from simlab.sim.spec import EventSpec, Intent, ModelSpec, Step, StreamSpec, WorldSpec
from simlab.sim.streams import Draws
from simlab.strategies import STRATEGIES
from tests.validation.building import constant, event, light_stream, request, tool, world


class Slow:
    """A router of the tests: exponential or constant latency, always the same verdict."""

    def __init__(self, service: Service, *, mean_ms: float, exponential: bool = False) -> None:
        self.name = "slow"
        self.service = service
        self._mean_ms = mean_ms
        self._exponential = exponential

    def route(self, _event: Event, _hints: Hints) -> Verdict:
        return Verdict(handling=Handling.QUEUE)

    def latency_ms(self, _event: Event, hints: Hints) -> float:
        return -self._mean_ms * log(1 - hints.uniform("latency")) if self._exponential else self._mean_ms


def routed(record: RunRecord) -> dict[str, int]:
    """Return for each event how long its verdict took."""
    return {
        name: each.routed_ms - each.arrived_ms for name, each in record.events.items() if each.routed_ms is not None
    }


def run(spec: WorldSpec, router: Slow | Classifier, strategy: str = "queue", replication: int = 0) -> RunRecord:
    return simulate(spec, STRATEGIES.get(strategy), router, seed=5, replication=replication)


# --- delay --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("strategy", ["queue", "queue-turn", "cancel", "parallel", "cancel-background"])
def test_a_constant_delay_is_the_same_as_every_event_arriving_that_much_later(strategy: str) -> None:
    """Pathwise: the delay is added to every event exactly, late results included (they go through the router too)."""
    delay_ms = 700
    at_ms = {"U1": 0, "a": 2500, "b": 2500, "c": 9100, "d": 30_000}
    tools = (tool("t", 6000),)

    def events(shift_ms: int) -> tuple[EventSpec, ...]:
        return tuple(
            request(when + shift_ms) if name == "U1" else event(name, when + shift_ms, IntentKind.LIGHT)
            for name, when in at_ms.items()
        )

    model = ModelSpec(call_ms=constant(2000))
    step = _one_step()
    slow = run(
        world(tools=tools, steps=step, events=events(0), model=model), Slow(Service(), mean_ms=delay_ms), strategy
    )
    late = run(
        world(tools=tools, steps=step, events=events(delay_ms), model=model), Slow(Service(), mean_ms=0), strategy
    )
    assert routed(slow) == dict.fromkeys(routed(slow), delay_ms)
    if not any(name.startswith("late:") for name in slow.events):  # a late result pays the delay once more
        for name in at_ms:
            assert slow.events[name].consumed_ms == late.events[name].consumed_ms, name
            assert slow.events[name].acted_ms == late.events[name].acted_ms, name


def _one_step() -> tuple[Step, ...]:
    return (Step(id="s", tool="t"),)


# --- Q5 -----------------------------------------------------------------------------------------------------------


def waits_of_a_queue(arrivals_ms: list[int], services_ms: list[int], workers: int) -> list[int]:
    """Return the waits of a first-come-first-served queue with several servers (Kiefer and Wolfowitz 1955)."""
    free_ms = [0] * workers
    waits = []
    for arrival_ms, service_ms in zip(arrivals_ms, services_ms, strict=True):
        free_ms.sort()
        start_ms = max(arrival_ms, free_ms[0])
        waits.append(start_ms - arrival_ms)
        free_ms[0] = start_ms + service_ms
    return waits


@pytest.mark.parametrize("workers", [1, 2, 4])
def test_every_single_wait_for_a_worker_follows_the_recursion(workers: int) -> None:
    spec = light_stream(mean_gap_ms=1000, until_ms=400_000, call_ms=constant(1))
    router = Slow(Service(workers=workers, keeps_order=False), mean_ms=600.0 * workers, exponential=True)
    record = run(spec, router)
    took = routed(record)
    names = list(record.events)
    hints = [_hints(name) for name in names]
    services = [round(router.latency_ms(_EVENT, each)) for each in hints]
    arrivals = [record.events[name].arrived_ms for name in names]
    waits = waits_of_a_queue(arrivals, services, workers)
    assert [took[name] for name in names] == [wait + own for wait, own in zip(waits, services, strict=True)]


_EVENT = Event(id="e", type=EventType.USER_INPUT, source="user", content="")


def _hints(name: str) -> EventHints:
    return EventHints(Draws(5, 0), name, Handling.QUEUE)


def erlang_c_wait(*, rate: float, mean_service: float, servers: int) -> float:
    """Return the mean wait of M/M/c (Erlang 1917): P(wait) / (c mu - lambda)."""
    load = rate * mean_service
    tail = load**servers / factorial(servers) / (1 - load / servers)
    waiting = tail / (sum(load**number / factorial(number) for number in range(servers)) + tail)
    return waiting / (servers / mean_service - rate)


@pytest.mark.parametrize("workers", [1, 3])
def test_the_mean_delay_is_erlangs(workers: int) -> None:
    """Q5: with Poisson arrivals and exponential service the mean is Erlang C's wait plus the service itself.

    Means of 40 replications of 400 events each; the first 50 events of each are left out. The test is at 4 standard
    errors of the means over replications.
    """
    mean_gap_ms, mean_ms = 2000.0, 2000.0 * workers * 0.5
    spec = light_stream(mean_gap_ms=mean_gap_ms, until_ms=800_000, call_ms=constant(1))
    router = Slow(Service(workers=workers, keeps_order=False), mean_ms=mean_ms, exponential=True)
    means = []
    for replication in range(40):
        took = list(routed(run(spec, router, replication=replication)).values())[50:]
        means.append(sum(took) / len(took))
    expected = erlang_c_wait(rate=1 / mean_gap_ms, mean_service=mean_ms, servers=workers) + mean_ms
    mean = sum(means) / len(means)
    error = (sum((each - mean) ** 2 for each in means) / (len(means) - 1) / len(means)) ** 0.5
    assert error < 0.05 * expected
    assert abs(mean - expected) < 4 * error


# --- order and time-outs --------------------------------------------------------------------------------------------


def burst(sources: tuple[str, ...]) -> WorldSpec:
    events = tuple(
        EventSpec(
            id=f"e{number}",
            at_ms=10 * number,
            type=EventType.USER_INPUT,
            source=sources[number % len(sources)],
            intent=Intent(kind=IntentKind.LIGHT),
        )
        for number in range(20)
    )
    return WorldSpec(name="burst", events=events, model=ModelSpec(call_ms=constant(50)))


def test_order_within_a_source_is_kept_and_other_sources_do_not_wait_for_it() -> None:
    kept = run(burst(("ana", "bob")), Slow(Service(), mean_ms=500, exponential=True))
    for source in ("ana", "bob"):
        verdicts = [each.routed_ms for each in kept.events.values() if each.source == source]
        assert verdicts == sorted(verdicts, key=lambda at_ms: at_ms or 0)
    both = [each.routed_ms for each in kept.events.values()]
    assert both != sorted(both, key=lambda at_ms: at_ms or 0)


def test_lost_order_is_counted() -> None:
    lost = run(burst(("ana",)), Slow(Service(keeps_order=False), mean_ms=500, exponential=True))
    kept = run(burst(("ana",)), Slow(Service(keeps_order=True), mean_ms=500, exponential=True))
    assert overtakes(lost) > 0
    assert overtakes(kept) == 0
    assert max(routed(kept).values()) >= max(routed(lost).values())


def test_a_time_out_takes_the_fallback_and_frees_the_worker() -> None:
    router = Slow(Service(workers=1, timeout_ms=300, fallback=Handling.CANCEL), mean_ms=1000)
    record = run(burst(("ana",)), router, "routed")
    assert set(routed(record).values()) == {300}
    assert {each.verdict.handling for _, each in record.trace.records if isinstance(each, Routed)} == {Handling.CANCEL}


def test_every_verdict_is_paid_for() -> None:
    record = run(burst(("ana",)), Classifier(service=Service(usd_per_event=0.25)))
    assert record.router_cost_usd == pytest.approx(0.25 * 20)


# --- routers ----------------------------------------------------------------------------------------------------------


def test_the_classifier_errs_as_often_as_its_matrix_says() -> None:
    """4,000 light events; the share of each verdict lies within 4 standard errors of the matrix."""
    stream = StreamSpec(
        name="s",
        gap_ms=Exponential(scale=2000.0),
        variants=((1.0, event("e", 0, IntentKind.LIGHT)),),
        until_ms=8_000_000,
    )
    spec = WorldSpec(name="many", streams=(stream,), model=ModelSpec(call_ms=constant(1)))
    record = run(spec, Classifier())
    verdicts = [each.verdict.handling for _, each in record.trace.records if isinstance(each, Routed)]
    assert len(verdicts) > 3000
    for handling, share in {Handling.CANCEL: 0.04, Handling.QUEUE: 0.13, Handling.PARALLEL: 0.83}.items():
        error = (share * (1 - share) / len(verdicts)) ** 0.5
        assert abs(verdicts.count(handling) / len(verdicts) - share) < 4 * error


def test_a_matrix_row_that_is_no_distribution_is_refused() -> None:
    with pytest.raises(SimlabError, match=r"confusion\.queue: shares must be from 0 up and add up to 1"):
        Classifier(confusion={Handling.QUEUE: {Handling.QUEUE: 0.9, Handling.CANCEL: 0.2}})


def test_all_shipped_routers_say_the_same_of_an_event_under_every_strategy() -> None:
    spec = burst(("ana",))
    for name in ROUTERS:
        verdicts = []
        for strategy in ("queue", "cancel", "parallel"):
            record = simulate(spec, STRATEGIES.get(strategy), ROUTERS.get(name), seed=3)
            found = {each.event_id: each.verdict for _, each in record.trace.records if isinstance(each, Routed)}
            verdicts.append(
                {event_id: found[event_id] for event_id in record.events if not event_id.startswith("late")}
            )
        assert verdicts[0] == verdicts[1] == verdicts[2], name
