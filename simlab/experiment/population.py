"""Many replications of one scenario, compared: what ``simlab compare`` shows and leaves behind."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from typing import TYPE_CHECKING

from simlab.analysis.compare import Row, compare
from simlab.analysis.measures import MARGIN, Arrays, arm_names, arrays
from simlab.analysis.stats.verdict import Outcome as Judgement
from simlab.analysis.style import Look, looks
from simlab.core.errors import SimlabError
from simlab.experiment.design import Design, World
from simlab.experiment.runner import Found, run_chunks
from simlab.sim.laws import Constant
from simlab.sim.laws.basic import Capped
from simlab.sim.spec import ModelSpec, PlacedSpec, SessionSpec, StreamSpec, ToolModel, WorldSpec

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """One scenario: its tables, and the paired comparison of every arm with the baseline."""

    scenario: str
    baseline: str
    arms: Sequence[str]
    runs: "pd.DataFrame"
    events: "pd.DataFrame"
    arrays: Arrays
    rows: Sequence[Row]
    looks: dict[str, Look]


@dataclass(frozen=True, slots=True, kw_only=True)
class Population:
    """Everything that one command made."""

    design: Design
    compared: Sequence[Compared]
    runs: "pd.DataFrame"
    events: "pd.DataFrame"
    breaches: Sequence[Found]
    failures: Sequence[Found]


def run_population(
    design: Design,
    *,
    baseline: str | None = None,
    jobs: int = 1,
    margin: float = MARGIN,
    progress: Callable[[int], None] | None = None,
) -> Population:
    """Make every run and compare with the arm ``baseline`` (None: the first). Raises SimlabError if there is none."""
    chunks = list(run_chunks(design, jobs=jobs, progress=progress))
    import pandas as pd  # once the runs are made: a short comparison is to start at once

    runs = pd.concat([pd.DataFrame(chunk.runs) for chunk in chunks], ignore_index=True)
    events = pd.concat([pd.DataFrame(chunk.events) for chunk in chunks], ignore_index=True)
    failures = [found for chunk in chunks for found in chunk.failures]
    compared = [
        compare_world(
            world,
            runs[runs["scenario"] == world.name],
            events[events["scenario"] == world.name],
            baseline=baseline,
            margin=margin,
            expected=design.replications,
        )
        for world in design.worlds
    ]
    return Population(
        design=design,
        compared=compared,
        runs=runs,
        events=events,
        breaches=[found for chunk in chunks for found in chunk.breaches],
        failures=failures,
    )


def compare_world(
    world: World,
    runs: "pd.DataFrame",
    events: "pd.DataFrame",
    *,
    baseline: str | None,
    margin: float,
    expected: int,
) -> Compared:
    """Compare the arms of one scenario. An arm in which a run failed is left out: its pairs would not match."""
    with_router = bool(runs["router"].nunique() > 1)
    runs = runs.assign(arm=arm_names(runs, with_router=with_router))
    events = events.assign(arm=arm_names(events, with_router=with_router))
    counts = runs["arm"].value_counts()
    whole = [arm for arm in dict.fromkeys(runs["arm"]) if counts[arm] == expected]
    chosen = _baseline(baseline, whole)
    runs, events = runs[runs["arm"].isin(whole)], events[events["arm"].isin(whole)]
    found = arrays(runs, events, horizon_ms=world.spec.horizon_ms, margin=margin)
    rows = compare(
        baseline=chosen,
        replications=found.replications,
        runs=found.runs,
        events=found.events,
        metrics=found.metrics,
    )
    strategies = dict(zip(runs["arm"], runs["strategy"], strict=True))
    look = looks((strategies[arm], arm) for arm in whole)
    return Compared(
        scenario=world.name,
        baseline=chosen,
        arms=whole,
        runs=runs,
        events=events,
        arrays=found,
        rows=rows,
        looks=dict(zip(whole, look, strict=True)),
    )


def _baseline(wanted: str | None, arms: Sequence[str]) -> str:
    if not arms:
        raise SimlabError("no strategy came through every run; see the failures above")
    if wanted is None:
        return arms[0]
    for arm in arms:
        if wanted in (arm, arm.partition(" / ")[0]):
            return arm
    raise SimlabError(f"--baseline {wanted!r}: not among the arms: {', '.join(arms)}")


def is_scripted(world: WorldSpec) -> bool:
    """Whether a world leaves nothing to chance: every law is a constant, and nothing arrives by a law."""
    return not any(_is_random(value) for value in _values(world))


def _values(value: object) -> Iterator[object]:
    """Yield a value and everything inside it."""
    yield value
    if is_dataclass(value) and not isinstance(value, type | Capped):
        inside: Iterable[object] = [getattr(value, field.name) for field in fields(value)]
    elif isinstance(value, Mapping):
        inside = value.values()
    elif isinstance(value, tuple | list):
        inside = value
    else:
        return
    for each in inside:
        yield from _values(each)


def _is_random(value: object) -> bool:
    if isinstance(value, Capped):
        return not isinstance(value, Constant)
    if isinstance(value, ToolModel | ModelSpec):
        return 0 < value.failure < 1
    if isinstance(value, PlacedSpec):
        return 0 < value.chance < 1
    return isinstance(value, StreamSpec | SessionSpec) and len(value.variants) > 1


def rankings(variants: Sequence[Compared]) -> dict[str, list[list[str]]]:
    """Return for each mean metric the arms of each variant, the best first. Arms with the same mean share the order."""
    found: dict[str, list[list[str]]] = {}
    for compared in variants:
        means: dict[str, dict[str, float]] = {}
        for row in compared.rows:
            if row.statistic.endswith("mean"):
                sign = -1.0 if row.higher_is_better else 1.0
                told = means.setdefault(row.metric, {})
                told[compared.baseline] = sign * row.baseline_value
                told[row.strategy] = sign * row.value
        for metric, told in means.items():
            ranked = sorted((arm for arm in compared.arms if arm in told), key=lambda arm: told[arm])
            found.setdefault(metric, []).append(ranked)
    return {metric: ranked for metric, ranked in found.items() if len(ranked) == len(variants)}


def flips(declared: Compared, other: Compared) -> list[Row]:
    """Return the decided rows of ``declared`` whose verdict is the opposite in ``other``: nothing may rest on them."""
    opposite = {Judgement.BETTER: Judgement.WORSE, Judgement.WORSE: Judgement.BETTER}
    theirs = {(row.strategy, row.metric, row.statistic): row.verdict.outcome for row in other.rows}
    return [
        row
        for row in declared.rows
        if row.verdict.outcome in opposite
        and theirs.get((row.strategy, row.metric, row.statistic)) is opposite[row.verdict.outcome]
    ]
