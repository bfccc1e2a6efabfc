"""The closed forms, and what the simulator says about each: ratio estimates over independent cycles.

A form is a ratio E[Y] / E[N] over regeneration cycles (or independent replications). Under the closed form r the
numbers Y - r N are independent with mean zero, so z = mean(Y - r N) / (sd / sqrt n) is standard normal for light tails.
Sources: the classical M/G/1 formulas (Pollaczek 1930, Khinchine 1932), renewal theory, M/G/infinity;
numbered as in docs/validation.md.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from math import exp, factorial, sqrt
from random import Random
from statistics import NormalDist, fmean, stdev

from simlab.core.record import IntentKind, RunRecord
from simlab.routers import ROUTERS
from simlab.sim.driver import simulate
from simlab.sim.laws import Constant, Exponential, Gamma, Law
from simlab.sim.spec import ModelSpec, Step, StreamSpec, WorldSpec
from simlab.strategies import STRATEGIES
from tests.validation.building import LAWS, constant, event, light_stream, request, tool, world

GAP_MS = 50_000
RATE = 1 / GAP_MS
"""Arrivals a millisecond: with calls of 20 s on average the load is 0.4."""

CYCLES = 300
"""Complete cycles that are used of each replication: fixed in advance, so that no long cycle is left out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """A form with its closed value and the pairs (Y, N) that were observed."""

    name: str
    law: str
    closed: float
    pairs: list[tuple[float, float]]

    @property
    def estimate(self) -> float:
        return sum(y for y, _ in self.pairs) / sum(n for _, n in self.pairs)

    @property
    def z(self) -> float:
        """How many standard errors the closed form is away; 0 where the form holds in every single cycle."""
        rest = [y - self.closed * n for y, n in self.pairs]
        spread = stdev(rest)
        return fmean(rest) / (spread / sqrt(len(rest))) if spread > 0 else (0.0 if abs(fmean(rest)) < 1e-9 else 1e9)

    @property
    def standard_error(self) -> float:
        rest = [y - self.closed * n for y, n in self.pairs]
        return stdev(rest) / sqrt(len(rest)) / fmean([n for _, n in self.pairs])


def critical_z(forms: int, level: float = 0.01) -> float:
    """The two-sided limit for one of ``forms`` tests that together err with at most this chance (Bonferroni)."""
    return NormalDist().inv_cdf(1 - level / (2 * forms))


# --- moments, written out -----------------------------------------------------------------------------------------

MEAN_MS = 20_000.0


def second_moment(law: str) -> float:
    """E[S^2]: s^2, 2 s^2, and s^2 (1 + 1/k) for a gamma of shape k."""
    return {"constant": 1.0, "exponential": 2.0, "gamma": 4 / 3}[law] * MEAN_MS**2


def no_arrival(law: str) -> float:
    """a0 = E[exp(-rate S)]: the chance that nothing arrives during a call."""
    load = RATE * MEAN_MS
    return {"constant": exp(-load), "exponential": 1 / (1 + load), "gamma": (1 + load / 3) ** -3}[law]


# --- runs and their cycles ----------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Served:
    """One event: arrival, begin and end of the call that serves it."""

    arrived_ms: int
    begun_ms: int
    ended_ms: int


@dataclass(frozen=True, slots=True)
class Cycle:
    """What happens from an arrival that meets an idle agent to the next such arrival."""

    length_ms: int
    served: list[Served]
    calls: list[tuple[int, int, bool]]


def simulated(spec: WorldSpec, strategy: str, seed: int, replication: int) -> RunRecord:
    return simulate(spec, STRATEGIES.get(strategy), ROUTERS.get("by_type"), seed=seed, replication=replication)


def cycles(strategy: str, law: str, seed: int, replications: int) -> list[Cycle]:
    """Return the first complete cycles of several runs, each from empty."""
    found: list[Cycle] = []
    for replication in range(replications):
        spec = light_stream(mean_gap_ms=GAP_MS, until_ms=GAP_MS * CYCLES * 3, call_ms=LAWS[law])
        found += _split(simulated(spec, strategy, seed, replication))
    return found


def _split(record: RunRecord) -> list[Cycle]:
    served = []
    for truth in record.events.values():
        assert truth.consumed_ms is not None
        assert truth.first_answer_ms is not None
        served.append(Served(truth.arrived_ms, truth.consumed_ms, truth.first_answer_ms))
    starts = [served[0].arrived_ms]
    busy_until_ms = served[0].ended_ms
    for each in served:
        if each.arrived_ms > busy_until_ms:
            starts.append(each.arrived_ms)
        busy_until_ms = max(busy_until_ms, each.ended_ms)
    assert len(starts) > CYCLES, "the runs are too short for the number of cycles"
    calls = [(call.started_ms, call.ended_ms or 0, call.kept) for call in record.model_calls]
    made: list[Cycle] = []
    for begin_ms, end_ms in pairwise(starts[: CYCLES + 1]):
        made.append(
            Cycle(
                end_ms - begin_ms,
                _within(served, begin_ms, end_ms),
                [call for call in calls if begin_ms <= call[0] < end_ms],
            )
        )
    return made


def _within(served: list[Served], begin_ms: int, end_ms: int) -> list[Served]:
    return [each for each in served if begin_ms <= each.arrived_ms < end_ms]


# --- Q1 to Q4 -----------------------------------------------------------------------------------------------------


def _waits(each: Cycle) -> tuple[float, float]:
    return float(sum(one.begun_ms - one.arrived_ms for one in each.served)), float(len(each.served))


def _responses(each: Cycle) -> tuple[float, float]:
    return float(sum(one.ended_ms - one.arrived_ms for one in each.served)), float(len(each.served))


def _busy(each: Cycle) -> tuple[float, float]:
    return float(sum(ended_ms - started_ms for started_ms, ended_ms, _ in each.calls)), float(each.length_ms)


def _calls(each: Cycle) -> tuple[float, float]:
    return float(len(each.calls)), each.length_ms / 1e6


def _calls_per_completed(each: Cycle) -> tuple[float, float]:
    return float(len(each.calls)), float(sum(kept for _, _, kept in each.calls))


def _time_with(each: Cycle, number: int) -> tuple[float, float]:
    """How long exactly this many sessions were under way."""
    begin_ms = each.served[0].arrived_ms
    changes = sorted(
        [(one.arrived_ms, 1) for one in each.served]
        + [(one.ended_ms, -1) for one in each.served]
        + [(begin_ms + each.length_ms, 0)]
    )
    total_ms, now_ms, under_way = 0, begin_ms, 0
    for at_ms, change in changes:
        total_ms += (at_ms - now_ms) * (under_way == number)
        now_ms, under_way = at_ms, under_way + change
    return float(total_ms), float(each.length_ms)


def queueing(law: str, seed: int, replications: int) -> Iterator[Sample]:
    """Q1 to Q4 for one law of service times."""
    load, second, a0 = RATE * MEAN_MS, second_moment(law), no_arrival(law)

    def sample(name: str, closed: float, pairs: list[tuple[float, float]]) -> Sample:
        return Sample(name=name, law=law, closed=closed, pairs=pairs)

    one = cycles("queue-turn", law, seed, replications)
    yield sample("Q1 one at a time: E[W], ms", RATE * second / (2 * (1 - load)), [_waits(each) for each in one])

    batch = cycles("queue", law, seed + 1, replications)
    busy = (MEAN_MS / a0) / (MEAN_MS / a0 + GAP_MS)
    yield sample("Q2 batch flush: E[W], ms", busy * second / (2 * MEAN_MS), [_waits(each) for each in batch])
    yield sample("Q2 batch flush: P(busy)", busy, [_busy(each) for each in batch])
    calls = 1e6 * (1 / a0) / (MEAN_MS / a0 + GAP_MS)
    yield sample("Q2 batch flush: calls per 1,000 s", calls, [_calls(each) for each in batch])

    aside = cycles("parallel", law, seed + 2, replications)
    yield sample("Q3 side session for all: E[R], ms", MEAN_MS, [_responses(each) for each in aside])
    for number in range(3):
        share = exp(-load) * load**number / factorial(number)
        pairs = [_time_with(each, number) for each in aside]
        yield sample(f"Q3 side session for all: P({number} at once)", share, pairs)

    again = cycles("cancel", law, seed + 3, replications)
    yield sample("Q4 cancel for all: E[R], ms", (1 - a0) / (RATE * a0), [_responses(each) for each in again])
    yield sample("Q4 cancel for all: calls per completed call", 1 / a0, [_calls_per_completed(each) for each in again])


# --- V11 and oracles I, IV: the wait of a queued event in a long turn ---------------------------------------------

STEPS = 150
TOOL_LAW: Law = Gamma(shape=2.0, scale=15_000.0)
TOOL_MEAN_MS, TOOL_SECOND = 30_000.0, 30_000.0**2 * 1.5


def long_turn(call_ms: Law | None, length: int) -> WorldSpec:
    """One request whose plan is a long chain: cycles of a model call and a tool, all independent."""
    steps = tuple(Step(id=f"s{at}", tool="t", needs=(f"s{at - 1}",) if at else ()) for at in range(length))
    return world(tools=(tool("t", law=TOOL_LAW),), steps=steps, events=(request(),), model=ModelSpec(call_ms=call_ms))


def residual(law: str, seed: int, replications: int) -> Iterator[Sample]:
    """Mean wait = E[C^2] / (2 E[C]) with C = L + T; the batch of a first wait w holds 1 + Poisson(rate w) events."""
    waits: list[tuple[float, float]] = []
    batches: list[tuple[float, float]] = []
    for replication in range(replications):
        drip = StreamSpec(
            name="drip",
            gap_ms=Exponential(scale=float(GAP_MS)),
            variants=((1.0, event("e", 0, IntentKind.LIGHT)),),
            until_ms=STEPS * 100_000,
        )
        record = simulated(replace(long_turn(LAWS[law], STEPS), streams=(drip,)), "queue", seed, replication)
        starts = [call.started_ms for call in record.model_calls[: STEPS + 1]]
        assert starts[-1] < STEPS * 100_000, "the events must outlast the cycles"
        arrived = [(each.arrived_ms, each.consumed_ms) for name, each in record.events.items() if name != "U1"]
        for begin_ms, end_ms in pairwise(starts):
            mine = [end_ms - at_ms for at_ms, _ in arrived if begin_ms < at_ms <= end_ms]
            assert all(taken_ms == end_ms for at_ms, taken_ms in arrived if begin_ms < at_ms <= end_ms)
            waits.append((float(sum(mine)), float(len(mine))))
            if mine:
                batches.append((float(len(mine) - 1), mine[0] / 1e6))
    mean, second = MEAN_MS + TOOL_MEAN_MS, second_moment(law) + 2 * MEAN_MS * TOOL_MEAN_MS + TOOL_SECOND
    yield Sample(
        name="V11, oracle I: wait to the end of the cycle, ms", law=law, closed=second / (2 * mean), pairs=waits
    )
    yield Sample(
        name="oracle IV: events beside the first per 1,000 s of its wait", law=law, closed=1e6 * RATE, pairs=batches
    )


# --- oracle V: tokens thrown away by an interrupt -----------------------------------------------------------------

SHORT = 12
TOKENS_A_SECOND = 100.0
TOKEN_LAWS: dict[str, Law] = {
    "constant": Constant(value=2_000.0),
    "exponential": Exponential(scale=2_000.0),
    "gamma": Gamma(shape=3.0, scale=2_000.0 / 3.0),
}


def thrown_away(law: str, seed: int, replications: int) -> Iterator[Sample]:
    """E[discarded tokens] = P(in a model call) x decode rate x E[L^2] / (2 E[L]) for an interrupt at any instant.

    One interrupt a run, uniform over the length H of its cycles; weighing with H makes that uniform over all time.
    """
    rng = Random(seed)
    pairs: list[tuple[float, float]] = []
    for replication in range(replications):
        model = ModelSpec(decode_tok_s=constant(TOKENS_A_SECOND), step_tokens=TOKEN_LAWS[law])
        spec = replace(long_turn(None, SHORT), model=model)
        length_ms = simulated(spec, "cancel", seed, replication).model_calls[SHORT].started_ms
        urgent = event("U2", rng.randrange(length_ms), IntentKind.LIGHT)
        record = simulated(replace(spec, events=(*spec.events, urgent)), "cancel-background", seed, replication)
        tokens = sum(call.output_tokens for call in record.model_calls if not call.kept)
        pairs.append((length_ms * float(tokens), float(length_ms)))
    in_call = MEAN_MS / (MEAN_MS + TOOL_MEAN_MS)
    closed = in_call * TOKENS_A_SECOND / 1000 * second_moment(law) / (2 * MEAN_MS)
    yield Sample(name="oracle V: tokens thrown away by an interrupt", law=law, closed=closed, pairs=pairs)


def measure(seed: int, *, replications: int) -> list[Sample]:
    """Measure every form; ``replications`` scales the effort."""
    samples: list[Sample] = []
    for number, law in enumerate(LAWS):
        own = seed + 10 * number
        samples += queueing(law, own, replications)
        samples += residual(law, own, replications)
        samples += thrown_away(law, own, 60 * replications)
    return samples
