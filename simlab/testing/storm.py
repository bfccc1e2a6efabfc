"""The storm: an event at every place, under every policy, judged; the smallest failing schedule and its replay."""

import gc
import importlib
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import blake2b
from itertools import chain
from pathlib import Path
from typing import Literal, TypeAlias, cast, get_args

from simlab.testing.contract import POLICIES, MakeRuntime, Policy
from simlab.testing.errors import StormError
from simlab.testing.fakes import Workload
from simlab.testing.grades import Finding, Grade
from simlab.testing.placement import Arrival, Place, Schedule, pairs, policy_named, schedules, singles, thinned
from simlab.testing.session import Run, run_schedule

Events: TypeAlias = Literal["one anywhere", "one stop anywhere", "two anywhere", "stop and message anywhere", "many"]
ADAPTERS_PACKAGE = "simlab.testing.adapters"
COLLECT_EVERY = 50  # runs between two collections of garbage, which must not happen at a point of its own choosing
Kind: TypeAlias = tuple[Grade, str]


@dataclass(frozen=True, kw_only=True, slots=True)
class Failure:
    """The smallest schedule that showed one kind of finding, with its evidence."""

    schedule: Schedule
    evidence: str


@dataclass(kw_only=True, slots=True)
class Report:
    """What a storm found under one policy. ``counts`` are schedules that showed a kind of finding, not findings."""

    target: str
    policy: Policy
    events: str
    places: int = 0
    runs: int = 0
    failed_runs: int = 0
    counts: Counter[Kind] = field(default_factory=Counter)
    smallest: dict[Kind, Failure] = field(default_factory=dict)
    digest: str = ""

    @property
    def survived(self) -> bool:
        """Say whether no schedule showed a fault."""
        return self.failed_runs == 0

    def add(self, run: Run) -> None:
        """Count one run."""
        self.runs += 1
        self.failed_runs += bool(run.faults)
        self.digest = blake2b((self.digest + run.digest).encode(), digest_size=8).hexdigest()
        for finding in _one_of_each(run.findings):
            kind = (finding.grade, finding.rule)
            self.counts[kind] += 1
            known = self.smallest.get(kind)
            if known is None or _size(run.schedule) < _size(known.schedule):
                self.smallest[kind] = Failure(schedule=run.schedule, evidence=finding.evidence)

    def kinds(self) -> list[Kind]:
        """List the kinds of finding, the worst grade first."""
        return sorted(self.counts, key=lambda kind: (list(Grade).index(kind[0]), kind[1]))

    def replay_command(self, kind: Kind) -> str:
        """Return the command that repeats the smallest schedule of a kind of finding."""
        return f"simlab storm --replay '{self.target}/{self.smallest[kind].schedule.text}'"

    def summary(self) -> str:
        """Tell the result in lines: one for the policy, then two for every kind of finding."""
        verdict = "survived" if self.survived else f"FAILED in {self.failed_runs}"
        lines = [f"{self.policy}: {self.runs} schedules ({self.events}), {verdict}"]
        for kind in self.kinds():
            note = "" if kind[0].fails else " (not a fault)"
            lines.append(f"  {kind[0]}: {kind[1]} in {self.counts[kind]}{note}: {self.smallest[kind].evidence}")
            lines.append(f"    {self.replay_command(kind)}")
        return "\n".join(lines)


def _one_of_each(findings: Iterable[Finding]) -> Iterator[Finding]:
    seen: set[Kind] = set()
    for finding in findings:
        if (finding.grade, finding.rule) not in seen:
            seen.add((finding.grade, finding.rule))
            yield finding


def _size(schedule: Schedule) -> tuple[object, ...]:
    work = schedule.workload.rounds_ms
    places = tuple(arrival.place for arrival in schedule.arrivals)
    return (len(places), sum(map(len, work)), sum(map(sum, work)), places)


def places_under(make: MakeRuntime, workload: Workload) -> list[Place]:
    """List the places of the undisturbed run. Raises StormError when even that run is at fault."""
    calm = run_schedule(make, Schedule(policy="queue", workload=workload))
    if calm.faults:
        first = calm.faults[0]
        raise StormError(
            f"{target_of(make)}: at fault without any event: {first.grade} ({first.rule}): {first.evidence}; "
            f"replay: simlab storm --replay '{target_of(make)}/{calm.schedule.text}'"
        )
    return calm.places


def sweep(
    make: MakeRuntime,
    policy: Policy,
    *,
    events: Events = "one anywhere",
    workload: Workload | None = None,
    limit: int | None = None,
    progress: Callable[[int, int], None] = lambda _done, _all: None,
) -> Report:
    """Run a schedule for every place of the events, or for at most ``limit`` evenly spread ones, and report."""
    workload = workload or Workload()
    policy_named(policy)
    events_named(events)
    places = places_under(make, workload)
    report = Report(target=target_of(make), policy=policy, events=events, places=len(places))
    arrivals = list(_arrivals(places, events, limit))
    with orderly_garbage() as tidy:
        for number, group in enumerate(arrivals, start=1):
            report.add(run_schedule(make, Schedule(policy=policy, arrivals=group, workload=workload)))
            progress(number, len(arrivals))
            tidy()
    return report


def events_named(name: str) -> Events:
    """Check the name of what arrives."""
    if name not in get_args(Events):
        raise StormError(f"events: no events {name!r}; known: {', '.join(get_args(Events))}")
    return cast("Events", name)


def _arrivals(places: Sequence[Place], events: str, limit: int | None) -> Iterator[tuple[Arrival, ...]]:
    match events:
        case "one anywhere":
            return singles(thinned(places, limit))
        case "one stop anywhere":
            return singles(thinned(places, limit), "stop")
        case "two anywhere":
            return pairs(places, limit=limit or 400)
        case "stop and message anywhere":
            half = (limit or 400) // 2
            return chain(pairs(places, ("stop", "message"), limit=half), pairs(places, ("message", "stop"), limit=half))
        case _:
            raise StormError(f"events: {events!r} are drawn, not swept; use assert_survives or search")


def search(
    make: MakeRuntime, policies: Sequence[Policy] = POLICIES, *, examples: int = 200, seed: int | None = None
) -> Report | None:
    """Draw workloads and events with Hypothesis; return a report of the shrunk failing schedule, or None."""
    from hypothesis import HealthCheck, Phase, given, settings
    from hypothesis import seed as seeded

    known: dict[Workload, list[Place]] = {}
    failing: list[Run] = []

    def baseline(workload: Workload) -> list[Place]:
        if workload not in known:
            known[workload] = places_under(make, workload)
        return known[workload]

    @settings(
        max_examples=examples,
        deadline=None,
        database=None,
        derandomize=seed is None,
        phases=[Phase.generate, Phase.shrink],
        suppress_health_check=list(HealthCheck),
        report_multiple_bugs=False,
    )
    @given(schedules(baseline, policies))
    def survives(schedule: Schedule) -> None:
        run = run_schedule(make, schedule)
        if run.faults:
            failing.append(run)
            raise _FoundError(str(run.faults[0].grade))

    try:
        (survives if seed is None else seeded(seed)(survives))()
    except _FoundError:
        smallest = failing[-1]  # Hypothesis ends with the shrunk example
        report = Report(target=target_of(make), policy=smallest.schedule.policy, events="many")
        report.add(smallest)
        return report
    return None


class _FoundError(AssertionError):
    """Tells Hypothesis that a schedule failed."""


def assert_survives(
    make: MakeRuntime,
    events: Events = "one anywhere",
    *,
    policies: Sequence[Policy] = POLICIES,
    workload: Workload | None = None,
    limit: int | None = None,
    progress: Callable[[str], None] = lambda _line: None,
) -> list[Report]:
    """Raise AssertionError, with the smallest failing schedules, unless the runtime survives under every policy."""
    if events == "many":
        found = search(make, policies)
        reports = [found] if found else []
    else:
        reports = []
        for policy in policies:
            reports.append(sweep(make, policy, events=events, workload=workload, limit=limit))
            progress(reports[-1].summary().splitlines()[0])
    failed = [report for report in reports if not report.survived]
    if failed:
        told = "\n".join(report.summary() for report in failed)
        raise AssertionError(f"{target_of(make)} did not survive the storm\n{told}")
    return reports


@contextmanager
def orderly_garbage() -> Iterator[Callable[[], None]]:
    """Collect garbage between runs only: in the middle of one it would end generators at a moment of its own."""
    enabled, done = gc.isenabled(), 0
    gc.disable()

    def tidy() -> None:
        nonlocal done
        done += 1
        if done % COLLECT_EVERY == 0:
            gc.collect()

    try:
        yield tidy
    finally:
        if enabled:
            gc.enable()


def target_of(make: MakeRuntime) -> str:
    """Name a runtime as ``module:Class``, which is how the command line finds it again."""
    return f"{make.__module__}:{getattr(make, '__qualname__', type(make).__qualname__)}"


def load_target(target: str) -> MakeRuntime:
    """Import ``module:Class``, or a shipped adapter by its name. The working directory is searched as well."""
    module_name, _, attribute = target.partition(":")
    if not attribute or not re.fullmatch(r"[\w.]+", module_name):
        raise StormError(f"runtime {target!r}: expected MODULE:CLASS, such as my_agent:MyRuntime")
    here = str(Path.cwd())
    if here not in sys.path:
        sys.path.insert(0, here)
    try:
        found = importlib.import_module(module_name)
        for name in attribute.split("."):
            found = getattr(found, name)
    except (ImportError, AttributeError) as error:
        raise StormError(f"runtime {target!r}: {error}{_extra_of(module_name, error)}") from error
    if not callable(found):
        raise StormError(f"runtime {target!r}: not callable; expected a class that takes an Env")
    return cast("MakeRuntime", found)


def _extra_of(module_name: str, error: Exception) -> str:
    """Say what to install when a shipped adapter misses its library."""
    package, _, adapter = module_name.rpartition(".")
    if package != ADAPTERS_PACKAGE or not isinstance(error, ModuleNotFoundError) or error.name == module_name:
        return ""
    return f"; pip install 'simlab[{adapter.replace('_', '-')}]'"


def split_token(token: str) -> tuple[str, Schedule]:
    """Split a replay token, MODULE:CLASS/POLICY/ARRIVALS/WORKLOAD."""
    target, _, rest = token.partition("/")
    return target, Schedule.parse(rest)
