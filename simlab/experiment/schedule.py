"""What is to be made next: every chunk, or, under a stopping rule, as many as each place needs.

A rule looks at the replications of a place in their order, whatever the order in which chunks come in, so the number
of processes changes nothing. Chunks that were begun before it was known that they are not needed are left out.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Protocol

from simlab.analysis.stats.sequential import Look, Precision, StoppingRule, look, look_points
from simlab.core.errors import SimlabError
from simlab.experiment.metric_values import check_metric, metric_values
from simlab.experiment.sweep import Key, Sweep
from simlab.experiment.sweep_file import StopTable

if TYPE_CHECKING:
    from simlab.experiment.metric_values import Tables


class Schedule(Protocol):
    """Says what to make, and hears what is done."""

    def next(self) -> Key | None:
        """Return a chunk to make now; None: nothing, until more is done or for good."""

    def done(self, key: Key) -> None:
        """Hear that a chunk is done."""

    def wanted(self) -> Iterator[Key]:
        """Yield the chunks that make up the results, in order."""


@dataclass(slots=True)
class Fixed:
    """Every chunk of a list, once."""

    keys: list[Key]
    _place: int = 0
    _done: set[Key] = field(default_factory=set)

    def next(self) -> Key | None:
        """Return the next that is not done."""
        while self._place < len(self.keys):
            key = self.keys[self._place]
            self._place += 1
            if key not in self._done:
                return key
        return None

    def done(self, key: Key) -> None:
        """Pass it over from now on."""
        self._done.add(key)

    def wanted(self) -> Iterator[Key]:
        """Yield all."""
        yield from self.keys


@dataclass(slots=True)
class _Place:
    """How far one place has got: chunks begun, chunks done, chunks judged, and how many it needs if that is known."""

    begun: int = 0
    done: set[int] = field(default_factory=set)
    judged: int = 0
    needed: int | None = None


class UntilPrecise:
    """Chunk after chunk at each place, until the metric is known well enough there, or the cap is reached."""

    def __init__(self, sweep: Sweep, stop: StopTable, read: "Callable[[Key], Tables]", *, ahead: int) -> None:
        """``ahead`` is how many chunks of a place may be begun before the first of them has been judged."""
        self._sweep = sweep
        self._rule = rule_of(stop)
        self._stop = stop
        self._read = read
        self._ahead = ahead
        self._looks = frozenset(look_points(self._rule))
        self._places = [_Place() for _ in range(sweep.places)]
        self._tables: dict[int, list[Any]] = {}
        self.looks: dict[int, Look] = {}

    def next(self) -> Key | None:
        """Return a chunk of the first place that needs one."""
        for number, place in enumerate(self._places):
            while place.needed is None and place.begun < self._sweep.chunks_of_place:
                if place.begun - place.judged >= self._ahead and place.begun not in place.done:
                    break
                key = Key(number, place.begun)
                place.begun += 1
                if key.number not in place.done:
                    return key
        return None

    def done(self, key: Key) -> None:
        """Judge as many chunks of its place, in order, as are done."""
        place = self._places[key.place]
        place.done.add(key.number)
        while place.needed is None and place.judged in place.done:
            place.judged += 1
            self._judge(key.place, place)

    def _judge(self, number: int, place: _Place) -> None:
        tables = self._tables.setdefault(number, [])
        tables.append(self._read(Key(number, place.judged - 1)))
        count = min(place.judged * self._sweep.chunk_size, self._sweep.replications)
        if count not in self._looks:
            return
        found = judge(self._rule, self._stop, self._sweep, tables, count)
        self.looks[number] = found
        if found.stop:
            place.needed = place.judged
            del self._tables[number]

    def wanted(self) -> Iterator[Key]:
        """Yield the chunks that were needed."""
        for number, place in enumerate(self._places):
            for chunk in range(place.needed if place.needed is not None else place.judged):
                yield Key(number, chunk)


def rule_of(stop: StopTable) -> StoppingRule:
    """Return the rule that a sweep file declares. Raises SimlabError for a metric that no run can have."""
    check_metric(stop.metric)
    return StoppingRule(
        precisions={stop.metric: Precision(half_width=stop.half_width, relative=stop.relative)},
        chunk_runs=stop.every,
        floor_runs=min(stop.at_least, stop.at_most),
        cap_runs=stop.at_most,
    )


def judge(rule: StoppingRule, stop: StopTable, sweep: Sweep, tables: "Sequence[Tables]", count: int) -> Look:
    """Look at the paired difference of every arm to the baseline; the least known one decides.

    Raises SimlabError where fewer than two replications have a value under every arm at the cap.
    """
    import pandas as pd

    from simlab.analysis.stats.paired import paired_means

    runs, events = (pd.concat(frames, ignore_index=True) for frames in zip(*tables, strict=True))
    values = metric_values((runs, events), stop.metric)
    whole = pd.concat(list(values.values()), axis=1, join="inner").to_numpy(dtype=float)
    arms = list(values)
    base = arms.index((stop.baseline or sweep.strategies[0], sweep.routers[0]))
    if len(whole) < 2:
        if count >= rule.cap_runs:
            raise SimlabError(f"stop.metric {stop.metric!r}: fewer than two replications have a value under every arm")
        return Look(n=count, worst=stop.metric, worst_ratio=math.inf, reached=False, stop=False)
    looks = []
    for other in range(len(arms)):
        if other != base:
            interval = replace(paired_means(whole[:, other], whole[:, base]).difference, n=count)
            looks.append(look(rule, {stop.metric: interval}, references={stop.metric: float(whole[:, base].mean())}))
    return max(looks, key=lambda each: each.worst_ratio)
