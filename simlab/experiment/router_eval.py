"""A router measured on labelled messages, then run through a scenario: what its errors and its latency cost.

The measured matrix becomes a simulated router (``Classifier`` with those shares; every event but the report of a tool
is routed by it, whatever its type). It is compared with a reference router, measured on the same messages, on the same
events and luck. Then its errors are scaled, all kinds alike, so that its accuracy runs over a grid while its latency
stays: where the difference to the reference changes sign is the break-even accuracy.
"""

import csv
import io
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from simlab.analysis.confusion import Confusion, confusion
from simlab.analysis.metrics import EventRow, event_rows, run_row
from simlab.core.errors import SimlabError
from simlab.core.events import Event, EventType, Handling
from simlab.core.plugins import AT_ONCE, Router, Service
from simlab.core.record import IntentKind, RunRecord
from simlab.experiment.routing import Timed
from simlab.routers.classifier import Classifier
from simlab.sim.driver import reference_run, simulate
from simlab.sim.laws import Constant, Empirical, Law
from simlab.sim.routing import EventHints
from simlab.sim.spec import WorldSpec
from simlab.sim.streams import Draws
from simlab.strategies import STRATEGIES

GRID: Final = (1.0, 0.96, 0.92, 0.88, 0.84, 0.8, 0.7, 0.6, 0.5)
"""Accuracies at which the router is simulated."""

RESAMPLES: Final = 2000
LEVEL: Final = 0.95

MEASURES: Final = {
    "messages acted on, s": 1000,
    "corrections acted on, s": 1000,
    "side questions answered, s": 1000,
    "mistaken effects a run": 1,
    "tool time thrown away, s a run": 1000,
    "model calls a run": 1,
}
"""What is summed, by how many of its own units (ms, effects, calls) make one that is shown. Lower is better; three per
event, three per run. An event that got nothing counts its time at risk."""

Floats = NDArray[Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Labelled:
    """One row of a message file. ``said`` and ``latency_ms`` are None where the file does not tell them."""

    text: str
    handling: Handling
    said: Handling | None = None
    latency_ms: float | None = None
    groups: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """A router as it was measured: its matrix, its latency, and whether each message was right."""

    name: str
    confusion: Confusion
    latency: Law
    service: Service
    right: Sequence[bool]

    def simulated(self, factor: float = 1.0) -> Router:
        """Return a router with this latency and ``factor`` times these errors."""
        inner = Classifier(confusion=self.confusion.scaled(factor))
        return Timed(inner, self.name, self.latency, self.service)


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """A number with the limits of its interval; infinite where it lies beyond what was looked at."""

    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """What the router costs in one measure, against the reference.

    ``curve`` is the difference at each accuracy of the grid; ``break_even`` the accuracy at which it is 0: inf where
    even a router without errors is worse, -inf where none on the grid is.
    """

    measure: str
    reference: float
    router: float
    difference: Estimate
    curve: Sequence[tuple[float, Estimate]]
    break_even: Estimate


# --- reading ----------------------------------------------------------------------------------------------------------

_TRUE: Final = ("handling", "true_handling", "true")
_SAID: Final = ("predicted", "said")
_GROUPS: Final = ("language", "trap", "split")


def read_messages(path: Path) -> list[Labelled]:
    """Read a file with the columns ``text``, ``handling`` and, if known, ``predicted`` and ``latency_ms``.

    Raises SimlabError, in one line, naming file and row.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise SimlabError(f"{path}: cannot be read: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise SimlabError(f"{path}: not UTF-8 text (byte {error.start})") from None
    rows = csv.DictReader(io.StringIO(text))
    columns = rows.fieldnames or []
    true = next((name for name in _TRUE if name in columns), None)
    if "text" not in columns or true is None:
        raise SimlabError(f"{path}: columns: 'text' and 'handling' are needed, found {', '.join(columns) or 'none'}")
    found = [_labelled(path, rows.line_num, row, true) for row in rows]
    if not found:
        raise SimlabError(f"{path}: holds no message")
    return found


def _labelled(path: Path, line: int, row: Mapping[str, str | None], true: str) -> Labelled:
    where = f"{path}: line {line}"
    said = next((row[name] for name in _SAID if row.get(name)), None)
    return Labelled(
        text=row["text"] or "",
        handling=_handling(row[true], f"{where}: {true}"),
        said=None if said is None else _handling(said, f"{where}: predicted"),
        latency_ms=_latency_ms(row.get("latency_ms"), f"{where}: latency_ms"),
        groups={name: row[name] or "" for name in _GROUPS if name in row},
    )


def _handling(text: str | None, where: str) -> Handling:
    try:
        return Handling((text or "").strip().lower())
    except ValueError:
        raise SimlabError(f"{where}: must be {', '.join(each.value for each in Handling)}, not {text!r}") from None


def _latency_ms(text: str | None, where: str) -> float | None:
    if not (text or "").strip():
        return None
    try:
        value = float(text or "")
    except ValueError:
        value = math.nan
    if not (math.isfinite(value) and value >= 0):
        raise SimlabError(f"{where}: must be milliseconds from 0 up, not {text!r}")
    return value


# --- measuring --------------------------------------------------------------------------------------------------------


def measure_file(messages: Sequence[Labelled], name: str, latency_ms: float | None = None) -> Measured:
    """Take the predictions and latencies of the file. Raises SimlabError where a prediction is missing."""
    missing = sum(each.said is None for each in messages)
    if missing:
        raise SimlabError(f"predicted: missing in {missing} of {len(messages)} rows; give a --router to make them")
    said = [each.said or Handling.QUEUE for each in messages]
    known = tuple(each.latency_ms for each in messages if each.latency_ms is not None)
    latency = _law(known) if latency_ms is None else Constant(value=latency_ms)
    return _measured(name, messages, said, latency, AT_ONCE)


def measure_router(
    messages: Sequence[Labelled], router: Router, *, seed: int = 0, latency_ms: float | None = None
) -> Measured:
    """Route every message; draws (of a router that is itself simulated) are named for the message."""
    said: list[Handling] = []
    latencies: list[float] = []
    for number, each in enumerate(messages):
        event = Event(id=f"m{number}", type=EventType.USER_INPUT, source="user", content=each.text)
        hints = EventHints(Draws(seed, 0), event.id, each.handling)
        said.append(router.route(event, hints).handling)
        latencies.append(max(0.0, router.latency_ms(event, hints)))
    latency = _law(tuple(latencies)) if latency_ms is None else Constant(value=latency_ms)
    return _measured(router.name, messages, said, latency, router.service)


def _law(values: tuple[float, ...]) -> Law:
    return Empirical(values=values) if any(values) else Constant(value=0.0)


def _measured(
    name: str, messages: Sequence[Labelled], said: Sequence[Handling], latency: Law, service: Service
) -> Measured:
    pairs = [(each.handling, verdict) for each, verdict in zip(messages, said, strict=True)]
    right = tuple(true is verdict for true, verdict in pairs)
    return Measured(name=name, confusion=confusion(pairs), latency=latency, service=service, right=right)


# --- simulating -------------------------------------------------------------------------------------------------------


def factor_for(found: Confusion, accuracy: float) -> float | None:
    """Return the factor that gives the errors this accuracy; None where no factor does."""
    low, high = 0.0, 1.0
    while found.accuracy_at(high) > accuracy and high < 1e9:
        high *= 2
    if found.accuracy_at(high) > accuracy + 1e-9:
        return None
    for _ in range(80):
        middle = (low + high) / 2
        low, high = (middle, high) if found.accuracy_at(middle) > accuracy else (low, middle)
    return low if accuracy >= 1 else high


def costs(
    world: WorldSpec,
    router: Measured,
    reference: Measured,
    *,
    strategy: str = "routed",
    replications: int = 200,
    seed: int = 0,
) -> list[Cost]:
    """Simulate router and reference and return what the router costs in every measure.

    Raises SimlabError for an unknown strategy and fewer than two replications.
    """
    if replications < 2:
        raise SimlabError(f"replications: {replications}; an interval needs at least 2")
    grid = [(accuracy, factor) for accuracy in GRID if (factor := factor_for(router.confusion, accuracy)) is not None]
    routers = [reference.simulated(), router.simulated(), *(router.simulated(factor) for _, factor in grid)]
    sums = np.array(
        [
            [_sums(simulate(world, STRATEGIES.get(strategy), each, seed=seed, replication=number, reference=alone))
             for each in routers]
            for number in range(replications)
            for alone in [reference_run(world, seed=seed, replication=number)]
        ],
        dtype=np.float64,
    )  # fmt: skip
    weights = _weights(replications, seed)
    accuracies = [accuracy for accuracy, _ in grid]
    return [
        _cost(measure, sums[:, :, place, 0], sums[:, :, place, 1], accuracies, weights)
        for place, measure in enumerate(MEASURES)  # sums of whole numbers: two that are equal differ by exactly 0
    ]


def _sums(record: RunRecord) -> list[tuple[int, int]]:
    """Return, for each measure, the sum over a run (whole ms, effects or calls) and how many things were summed."""
    row = run_row(record)
    events = [each for each in event_rows(record) if each.kind != IntentKind.REQUEST]
    return [
        _total(events, "acted_ms"),
        _total([each for each in events if each.kind == IntentKind.CORRECT], "acted_ms"),
        _total([each for each in events if each.kind == IntentKind.LIGHT], "response_ms"),
        (row.effects_mistaken, 1),
        (row.tool_thrown_ms, 1),
        (row.main_calls + row.side_calls, 1),
    ]


def _total(events: Sequence[EventRow], field_name: str) -> tuple[int, int]:
    waits = [getattr(each, field_name) for each in events]
    known = [wait if wait is not None else each.at_risk_ms for wait, each in zip(waits, events, strict=True)]
    return sum(known), len(known)


def _weights(replications: int, seed: int) -> Floats:
    """Return how often each replication occurs in each bootstrap sample, shape (samples + 1, n); the first is as is."""
    generator = np.random.default_rng([seed, replications])
    drawn = generator.multinomial(replications, np.full(replications, 1 / replications), size=RESAMPLES)
    return np.vstack([np.ones(replications), drawn])


def _cost(measure: str, totals: Floats, counts: Floats, accuracies: Sequence[float], weights: Floats) -> Cost:
    """Compare by ratios of sums over replications; arms are columns: reference, router, then the grid."""
    sizes = weights @ counts * MEASURES[measure]
    means = np.divide(weights @ totals, sizes, out=np.full(sizes.shape, math.nan), where=sizes > 0)
    gaps = means[:, 1:] - means[:, :1]
    crossings = [crossing(accuracies, row) for row in gaps[:, 1:]]
    return Cost(
        measure=measure,
        reference=float(means[0, 0]),
        router=float(means[0, 1]),
        difference=_estimate(gaps[:, 0]),
        curve=[(accuracy, _estimate(gaps[:, 1 + place])) for place, accuracy in enumerate(accuracies)],
        break_even=_estimate(np.array(crossings)),
    )


def crossing(accuracies: Sequence[float], gaps: Sequence[float]) -> float:
    """Return the accuracy, going down from the best, at which the gap first becomes positive (straight lines between).

    inf where the gap is positive from the start, -inf where it never is, nan where there is none at any accuracy.
    """
    if len(gaps) and not any(gaps):
        return math.nan
    if not len(gaps) or gaps[0] > 0:
        return math.inf
    for place in range(1, len(gaps)):
        if gaps[place] > 0:
            share = -gaps[place - 1] / (gaps[place] - gaps[place - 1])
            return accuracies[place - 1] + share * (accuracies[place] - accuracies[place - 1])
    return -math.inf


def _estimate(samples: Floats) -> Estimate:
    """Return the first value with the percentile interval of the others."""
    drawn = np.sort(samples[1:][~np.isnan(samples[1:])])
    if not len(drawn):
        return Estimate(value=math.nan, low=math.nan, high=math.nan)
    tail = (1 - LEVEL) / 2
    last = len(drawn) - 1
    low, high = drawn[math.floor(tail * last)], drawn[math.ceil((1 - tail) * last)]
    return Estimate(value=float(samples[0]), low=float(low), high=float(high))


def by_group(messages: Sequence[Labelled], router: Measured) -> Iterator[tuple[str, str, int, int]]:
    """Yield for each grouping column and each of its values how many messages were right, of how many."""
    for column in _GROUPS:
        values = sorted({each.groups[column] for each in messages if column in each.groups})
        if len(values) > 1:
            for value in values:
                right = [
                    good for each, good in zip(messages, router.right, strict=True) if each.groups[column] == value
                ]
                yield column, value, sum(right), len(right)
