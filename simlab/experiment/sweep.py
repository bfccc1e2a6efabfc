"""A sweep: scenarios at many points of their parameters, under every strategy and router, in chunks of replications.

A place is one scenario at one point. A chunk is some replications of everything at one place: a pure function of the
sweep and its key, so any process on any machine may make it, and make it again, with the same bytes.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from hashlib import sha256
from operator import itemgetter
from pathlib import Path
from typing import Any, NamedTuple

from simlab.core.errors import SimlabError
from simlab.experiment.design import Design, World
from simlab.experiment.levels import Axis, grid
from simlab.experiment.routing import router_digest
from simlab.experiment.scenario import Scenario, load_scenario, read_scenario
from simlab.experiment.sweep_file import FORMS, HypercubeTable, StopTable, SweepError, SweepFile
from simlab.experiment.toml_file import read_toml, validated
from simlab.experiment.variants import variant_of

CHUNK_RUNS = 2000
"""How many runs make a chunk, about: a few seconds of work, and some thousand rows in a file."""

DESIGN_COPY = "design.toml"
SCENARIO_COPIES = "scenarios"

Point = Mapping[str, float]


class Key(NamedTuple):
    """A chunk: the number of its place, and its number there. Both count from 0."""

    place: int
    number: int

    def __str__(self) -> str:
        return f"{self.place:05d}-{self.number:05d}"


@dataclass(frozen=True, kw_only=True, slots=True)
class Subject:
    """A scenario as the sweep names it: the scenario of a file, and the changes that make it the named variant."""

    name: str
    scenario: Scenario
    changes: tuple[str, ...] = ()

    @classmethod
    def named(cls, text: str) -> "Subject":
        """Find a scenario by name or path, and note the changes behind its ``@``. Raises SimlabError."""
        base, *changes = text.split("@")
        found = load_scenario(base)
        return cls(name="@".join((found.name, *changes)), scenario=found, changes=tuple(changes))

    def world(self, point: Point) -> World:
        """Return its world at a point. Raises SimlabError where a path leads to no value of the scenario."""
        return variant_of(self.scenario, self.changes, point)


@dataclass(frozen=True, kw_only=True)
class Sweep:
    """What is swept. ``replications`` is the number of each, or the largest number where ``stop`` decides."""

    subjects: tuple[Subject, ...]
    points: tuple[Point, ...]
    strategies: tuple[str, ...]
    routers: tuple[str, ...]
    replications: int
    seed: int
    chunk: int | None = None
    stop: StopTable | None = None

    @property
    def parameters(self) -> tuple[str, ...]:
        """The paths that are swept, in order."""
        return tuple(dict.fromkeys(parameter for point in self.points for parameter in point))

    @property
    def places(self) -> int:
        """How many places there are."""
        return len(self.subjects) * len(self.points)

    def at(self, place: int) -> tuple[Subject, Point]:
        """Return the scenario and the point of a place; points change fastest."""
        subject, point = divmod(place, len(self.points))
        return self.subjects[subject], self.points[point]

    def world(self, place: int) -> World:
        """Return the world of a place. Raises SimlabError where a path leads to no value of the scenario."""
        subject, point = self.at(place)
        return subject.world(point)

    def design(self, place: int) -> Design:
        """Return the experiment at a place."""
        return Design(
            worlds=(self.world(place),),
            strategies=self.strategies,
            routers=self.routers,
            replications=self.replications,
            seed=self.seed,
        )

    @property
    def arms(self) -> int:
        """How many runs a replication takes at one place."""
        return len(self.strategies) * len(self.routers)

    @property
    def chunk_size(self) -> int:
        """How many replications make a chunk: a function of the sweep, not of the machine."""
        if self.stop is not None:
            return self.stop.every
        return max(1, min(self.replications, self.chunk or CHUNK_RUNS // self.arms))

    @property
    def chunks_of_place(self) -> int:
        """How many chunks a place has (at most, where ``stop`` decides)."""
        return -(-self.replications // self.chunk_size)

    def chunks(self) -> Iterator[Key]:
        """Yield every chunk, in order."""
        for place in range(self.places):
            for number in range(self.chunks_of_place):
                yield Key(place, number)

    def replications_of(self, key: Key) -> range:
        """Return the replications of a chunk."""
        first = key.number * self.chunk_size
        return range(first, min(first + self.chunk_size, self.replications))

    @cached_property
    def digest(self) -> str:
        """The hash of everything that decides the results but the code: 16 hexadecimal digits."""
        stop = self.stop.model_dump() if self.stop is not None else None
        routers = [digest for digest in map(router_digest, self.routers) if digest]
        text = repr(
            (
                [(subject.name, subject.scenario.sha256) for subject in self.subjects],
                [tuple(point.items()) for point in self.points],
                (self.strategies, self.routers, routers),
                (self.replications, self.seed, self.chunk_size, stop),
            )
        )
        return sha256(text.encode()).hexdigest()[:16]


@lru_cache(maxsize=64)
def design_at(sweep_digest: str, place: int) -> Design:
    """Return the experiment at a place of the sweep that this process works on (see ``work_on``)."""
    return _SWEEPS[sweep_digest].design(place)


_SWEEPS: dict[str, Sweep] = {}


def work_on(sweep: Sweep) -> str:
    """Let this process know a sweep; return its digest."""
    _SWEEPS[sweep.digest] = sweep
    return sweep.digest


# --- from a file ------------------------------------------------------------------------------------------------------


def read_sweep(path: Path) -> Sweep:
    """Read a sweep file; paths of scenarios are relative to the working folder. Raises SweepError, in one line."""
    return _read(path, lambda names: [Subject.named(text) for text in names])


def read_kept_sweep(folder: Path, names: Sequence[str]) -> Sweep:
    """Read a sweep from the copies in a folder of results; ``names`` are those of its scenarios. Raises SweepError."""
    copies = folder / SCENARIO_COPIES
    return _read(
        folder / DESIGN_COPY,
        lambda texts: [
            _kept(text, name, copies / copy_name(number))
            for number, (text, name) in enumerate(zip(texts, names, strict=True))
        ],
    )


def _read(path: Path, find: Callable[[Sequence[str]], Sequence[Subject]]) -> Sweep:
    _content, document = read_toml(path, SweepError)
    file = validated(path, document, SweepFile, SweepError)
    _check_form(path, file)
    try:
        sweep = Sweep(
            subjects=tuple(find(file.scenarios)),
            points=tuple(_points(file)),
            strategies=tuple(file.strategies),
            routers=tuple(file.routers),
            replications=file.stop.at_most if file.stop is not None else file.replications or 1,
            seed=file.seed,
            chunk=file.chunk,
            stop=file.stop,
        )
        _check(sweep)
    except SweepError:
        raise
    except SimlabError as error:
        raise SweepError(f"{path}: {error}") from None
    return sweep


def _check_form(path: Path, file: SweepFile) -> None:
    forms = [name for name in FORMS if getattr(file, name)]
    if len(forms) > 1:
        raise SweepError(f"{path}: {forms[1]}: one of {', '.join(FORMS)} is allowed, and {forms[0]} is there already")
    if (file.replications is None) == (file.stop is None):
        raise SweepError(f"{path}: either replications or stop is needed, and not both")
    if file.stop is not None and file.chunk is not None:
        raise SweepError(f"{path}: chunk: stop.every says how large a chunk is")
    cube = file.latin_hypercube
    for parameter in cube.log if cube is not None else ():
        if cube is not None and (parameter not in cube.parameters or min(cube.parameters[parameter]) <= 0):
            raise SweepError(f"{path}: latin_hypercube.log: {parameter!r} is no parameter with a range above 0")


def _check(sweep: Sweep) -> None:
    """Check what can be checked before anything runs: names, and the paths at every point."""
    names = [subject.name for subject in sweep.subjects]
    if len(set(names)) < len(names):
        raise SimlabError(f"scenarios: one is named twice: {', '.join(names)}")
    baseline = sweep.stop.baseline if sweep.stop is not None else None
    if baseline is not None and baseline not in sweep.strategies:
        raise SimlabError(f"stop.baseline {baseline!r}: not among the strategies: {', '.join(sweep.strategies)}")
    if sweep.stop is not None and sweep.arms < 2:
        raise SimlabError("stop: a paired difference needs at least two strategies or routers")
    for number in range(len(sweep.subjects)):
        sweep.design(number * len(sweep.points))
    for subject in sweep.subjects:
        for point in _outermost(sweep):
            subject.world(point)


def _outermost(sweep: Sweep) -> list[Point]:
    """Return points that hold the least and the greatest value of every parameter: what they may be, all may be."""
    found: list[Point] = []
    for parameter in sweep.parameters:
        having = [point for point in sweep.points if parameter in point]
        found += [min(having, key=itemgetter(parameter)), max(having, key=itemgetter(parameter))]
    return [point for number, point in enumerate(found) if point not in found[:number]]


def _points(file: SweepFile) -> Sequence[Point]:
    if file.latin_hypercube is not None:
        return _hypercube(file.latin_hypercube, file.seed)
    if file.points:
        return file.points
    return grid([Axis(parameter=parameter, levels=tuple(levels)) for parameter, levels in file.grid.items()])


def _hypercube(table: HypercubeTable, seed: int) -> list[dict[str, float]]:
    """Draw the points of a Latin hypercube (M. McKay, R. Beckman and W. Conover, Technometrics 21 (1979) 239-245)."""
    from math import exp, log

    from scipy.stats import qmc

    names = list(table.parameters)
    shares = qmc.LatinHypercube(d=len(names), rng=seed).random(table.samples)
    points: list[dict[str, float]] = []
    for row in shares.tolist():
        point: dict[str, float] = {}
        for name, share in zip(names, row, strict=True):
            low, high = table.parameters[name]
            if name in table.log:
                point[name] = exp(log(low) + share * (log(high) - log(low)))
            else:
                point[name] = low + share * (high - low)
        points.append(point)
    return points


def _kept(text: str, name: str, copy: Path) -> Subject:
    """Return the scenario of a copy: the original where it still is the same, for the files that it may refer to."""
    kept = replace(read_scenario(copy), name=name.partition("@")[0])
    try:
        original = Subject.named(text)
    except SimlabError:
        original = None
    if original is not None and original.scenario.sha256 == kept.sha256:
        return original
    return Subject(name=name, scenario=kept, changes=tuple(name.split("@")[1:]))


def copy_name(number: int) -> str:
    """Return the name of the copy of a scenario file in a folder of results."""
    return f"{number:02d}.toml"


def describe(sweep: Sweep) -> dict[str, Any]:
    """Say in plain values what is swept, for a manifest."""
    return {
        "scenarios": {subject.name: subject.scenario.sha256 for subject in sweep.subjects},
        "strategies": list(sweep.strategies),
        "routers": list(sweep.routers),
        "parameters": list(sweep.parameters),
        "points": [dict(point) for point in sweep.points],
        "replications": sweep.replications,
        "seed": sweep.seed,
        "chunk": sweep.chunk_size,
        "stop": sweep.stop.model_dump() if sweep.stop is not None else None,
    }
