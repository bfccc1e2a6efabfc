"""One axis at a time: change one switch of a policy, keep everything else and all the luck, and see what moves."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final

from simlab.analysis.metrics import event_rows, run_row
from simlab.core.decisions import SafePoint
from simlab.core.errors import SimlabError
from simlab.core.plugins import Router, Strategy
from simlab.core.record import RunRecord
from simlab.experiment.routing import find_router
from simlab.sim.driver import reference_run, simulate
from simlab.sim.spec import WorldSpec
from simlab.strategies.points import POINTS
from simlab.strategies.policy_strategy import PolicyStrategy
from simlab.strategies.space import ROUND, Policy

if TYPE_CHECKING:
    from simlab.analysis.stats.values import PairedDifference
    from simlab.analysis.stats.verdict import Outcome

MEASURES: Final = (
    "acted on, s",
    "model calls",
    "tokens discarded",
    "tool time thrown away, s",
    "mistaken effects",
    "decision points",
)
"""Per run, lower is better. The first is the mean over a run's events; one never acted on counts its time at risk."""

_OTHER_VALUES: Final[dict[str, tuple[object, ...]]] = {
    "grace_ms": (None, 100, 2000),
    "drain_at": (
        ROUND,
        frozenset(),
        frozenset({SafePoint.BEFORE_CALL}),
        frozenset({SafePoint.ROUND_CLOSED}),
        frozenset({SafePoint.TOOL_CLOSED, SafePoint.ROUND_CLOSED}),
        frozenset({SafePoint.MESSAGE_CLOSED, SafePoint.ROUND_CLOSED}),
    ),
    "cap": (None, 0, 5, 20),
    "debounce_ms": (0, 500, 5000),
    "expires_ms": (None, 30_000),
    "acknowledge_ms": (None, 1200),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One switch set differently from the base."""

    axis: str
    value: object
    policy: Policy

    @property
    def label(self) -> str:
        """The value in words."""
        return told(self.value)


@dataclass(frozen=True, slots=True, kw_only=True)
class Effect:
    """What a change does to one measure: changed minus base, paired by replication. Units as in ``MEASURES``."""

    change: Change
    measure: str
    base: float
    difference: "PairedDifference"
    outcome: "Outcome | None"

    @property
    def is_nothing(self) -> bool:
        """Whether the change made no difference in any replication."""
        return self.difference.below == 0 and self.difference.above == 0


def told(value: object) -> str:
    """Write the value of an axis in words."""
    if isinstance(value, frozenset):
        return " + ".join(sorted(str(point) for point in value)) or "nowhere"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "none" if value is None else str(value)


def base_policy(name: str) -> Policy:
    """Return a named point. Raises SimlabError for an unknown name."""
    if name not in POINTS:
        raise SimlabError(f"no policy {name!r} in the space; known: {', '.join(POINTS)}")
    return POINTS[name]


def changes(base: Policy, axes: Sequence[str] = ()) -> list[Change]:
    """Return every change of one axis, in the order of the axes. Raises SimlabError for an unknown axis."""
    known = [field.name for field in fields(Policy)]
    for axis in axes:
        if axis not in known:
            raise SimlabError(f"no axis {axis!r}; known: {', '.join(known)}")
    return [
        Change(axis=axis, value=value, policy=_changed(base, axis, value))
        for axis in known
        if not axes or axis in axes
        for value in _values(axis, getattr(base, axis))
        if value != getattr(base, axis)
    ]


def _changed(base: Policy, axis: str, value: object) -> Policy:
    change: dict[str, Any] = {axis: value}
    return replace(base, **change)


def _values(axis: str, present: object) -> Sequence[object]:
    if isinstance(present, bool):
        return (False, True)
    if isinstance(present, StrEnum):
        return list(type(present))
    return _OTHER_VALUES[axis]


def measure(record: RunRecord) -> tuple[float, ...]:
    """Return the measures of one run, in their order."""
    row = run_row(record)
    waits = [event.acted_ms if event.acted_ms is not None else event.at_risk_ms for event in event_rows(record)]
    return (
        sum(waits) / 1000 / len(waits) if waits else 0.0,
        float(row.main_calls + row.side_calls),
        float(row.discarded_tokens),
        row.tool_thrown_ms / 1000,
        float(row.effects_after_correction),
        float(row.decision_points),
    )


def sample(
    world: WorldSpec, strategies: Sequence[Strategy], router: Router, *, replications: int, seed: int
) -> Iterator[list[tuple[float, ...]]]:
    """Yield, for each replication, the measures under every strategy: the same events, the same luck."""
    for replication in range(replications):
        reference = reference_run(world, seed=seed, replication=replication)
        yield [
            measure(simulate(world, each, router, seed=seed, replication=replication, reference=reference))
            for each in strategies
        ]


def sweep(
    world: WorldSpec,
    base: Policy,
    *,
    router: str = "by_type",
    replications: int = 50,
    seed: int = 0,
    axes: Sequence[str] = (),
    margin: float = 0.02,
) -> list[Effect]:
    """Change one axis at a time and compare with the base; verdicts are adjusted over the whole sweep (Holm).

    ``margin`` is the share of the base below which a difference does not matter. Raises SimlabError for unknown names
    and for fewer than two replications.
    """
    if replications < 2:
        raise SimlabError(f"replications: {replications}; an interval needs at least 2")
    todo = changes(base, axes)
    strategies = [
        PolicyStrategy(base),
        *(PolicyStrategy(change.policy, f"{change.axis}: {change.label}") for change in todo),
    ]
    rows = list(sample(world, strategies, find_router(router), replications=replications, seed=seed))
    return _judged(
        [effect for number, change in enumerate(todo, start=1) for effect in _effects(change, number, rows)], margin
    )


def _effects(change: Change, number: int, rows: Sequence[Sequence[tuple[float, ...]]]) -> Iterator[Effect]:
    from simlab.analysis.stats.paired import paired_means

    for place, name in enumerate(MEASURES):
        before = [row[0][place] for row in rows]
        after = [row[number][place] for row in rows]
        difference = paired_means(after, before)
        yield Effect(change=change, measure=name, base=sum(before) / len(before), difference=difference, outcome=None)


def _judged(effects: list[Effect], margin: float) -> list[Effect]:
    from simlab.analysis.stats.verdict import Question, judge

    asked = [effect for effect in effects if not effect.is_nothing]
    if not asked:
        return effects
    verdicts = judge(
        [Question(difference=each.difference.difference, margin=margin * abs(each.base)) for each in asked]
    )
    found = {id(effect): verdict.outcome for effect, verdict in zip(asked, verdicts, strict=True)}
    return [replace(effect, outcome=found.get(id(effect))) for effect in effects]


def switches_that_matter(effects: Sequence[Effect], measure_name: str) -> list[Effect]:
    """Return the decided effects on one measure, the largest first; one for each axis."""
    from simlab.analysis.stats.verdict import Outcome

    decided = [
        each for each in effects if each.measure == measure_name and each.outcome in (Outcome.BETTER, Outcome.WORSE)
    ]
    decided.sort(key=lambda each: -abs(each.difference.estimate))
    largest: dict[str, Effect] = {}
    for each in decided:
        largest.setdefault(each.change.axis, each)
    return list(largest.values())
