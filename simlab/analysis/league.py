"""The league: every policy in every scenario, against one baseline, judged together with false-discovery control.

An event that nobody answered counts as the horizon (the scenario's, or the longest run of all policies): a restricted
mean, so that a policy that starves cannot look good. Comparisons are paired by replication.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from simlab.analysis.metrics import EventRow, event_rows, run_row
from simlab.analysis.stats.multiple import benjamini_hochberg
from simlab.analysis.stats.paired import paired_means, unknown_difference
from simlab.analysis.stats.ratio import paired_ratios
from simlab.analysis.stats.values import PairedDifference
from simlab.analysis.stats.verdict import Outcome, Question, judge
from simlab.core.record import IntentKind, RunRecord

if TYPE_CHECKING:
    import pandas as pd

LEVEL: Final = 0.95
MARGIN: Final = 0.02


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    """What is compared; lower is better. ``margin`` is an absolute difference that does not matter, in ``unit``.

    A measure per event has a total, a number of answered and of open events in each run; one per run has a value.
    """

    name: str
    label: str
    unit: str
    per_event: bool = False
    margin: float = 0.0


MEASURES: Final = (
    Measure(name="urgent", label="urgent acted on", unit="s", per_event=True),
    Measure(name="aside", label="side question answered", unit="s", per_event=True),
    Measure(name="routine", label="amendment or question acted on", unit="s", per_event=True),
    Measure(name="request", label="request finished", unit="s", per_event=True),
    Measure(name="harm", label="wrong effects", unit="a run", margin=0.01),
    Measure(name="waste", label="tool time thrown away or doubled", unit="s a run"),
    Measure(name="calls", label="model calls", unit="a run"),
    Measure(name="cost", label="model and router cost", unit="USD a run"),
    Measure(name="points", label="decision points", unit="a run", margin=0.01),
)
"""``harm``: effects that committed after their correction had arrived, were made twice, or rest on an invention."""

BY_NAME: Final[Mapping[str, Measure]] = {measure.name: measure for measure in MEASURES}


def _columns() -> tuple[str, ...]:
    names = ["replication", "ended_ms", "breaches", "failed"]
    for measure in MEASURES:
        parts = ("_total_s", "_answered", "_open") if measure.per_event else ("",)
        names += [measure.name + part for part in parts]
    return tuple(names)


COLUMNS: Final = _columns()
"""Of the table of one pair, a row for each replication."""


def league_row(record: RunRecord, breaches: int) -> dict[str, float]:
    """Measure one run for the league."""
    row = run_row(record, breaches)
    found: dict[str, float] = {
        "replication": record.replication,
        "ended_ms": record.ended_ms,
        "breaches": breaches,
        "failed": 0,
        "harm": row.effects_after_correction + row.effects_duplicate + row.effects_invented,
        "waste": (row.tool_thrown_ms + row.tool_doubled_ms) / 1000,
        "calls": row.main_calls + row.side_calls,
        "cost": row.model_cost_usd + row.router_cost_usd,
        "points": row.decision_points,
    }
    for measure in MEASURES:
        if measure.per_event:
            found |= dict.fromkeys((f"{measure.name}_total_s", f"{measure.name}_answered", f"{measure.name}_open"), 0)
    for event in event_rows(record):
        _count(found, event)
    return found


def _count(found: dict[str, float], event: EventRow) -> None:
    name, took_ms = _kind(event), event.response_ms if event.kind in _ANSWERED else event.acted_ms
    if event.is_voided:  # how soon a request was answered that a correction voids says nothing: better never
        return
    if took_ms is None:
        found[f"{name}_open"] += 1
    else:
        found[f"{name}_total_s"] += took_ms / 1000
        found[f"{name}_answered"] += 1


_ANSWERED: Final = frozenset({IntentKind.LIGHT, IntentKind.REQUEST})
"""Kinds of events of which the answer counts and not the time at which the main model has read them."""


def _kind(event: EventRow) -> str:
    match event.kind:
        case IntentKind.CORRECT:
            return "urgent"
        case IntentKind.LIGHT:
            return "aside"
        case IntentKind.REQUEST:
            return "urgent" if event.urgent else "request"
        case _:
            return "routine"


# --- comparing --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """One policy in one scenario and one measure, against the baseline. ``outcome`` None: there was no such event."""

    scenario: str
    policy: str
    measure: str
    value: float
    baseline: float
    open_share: float
    paired: PairedDifference
    outcome: Outcome | None = None

    @property
    def ratio(self) -> float:
        """Value over baseline; nan where the baseline is 0 or unknown."""
        return self.value / self.baseline if self.baseline > 0 else math.nan


def standings(
    tables: Mapping[tuple[str, str], "pd.DataFrame"],
    horizons_s: Mapping[str, float | None],
    *,
    baseline: str,
) -> list[Standing]:
    """Compare every policy with the baseline in every scenario, and judge all of it together.

    ``tables`` maps (scenario, policy) to its rows in order of replication; a pair in which a run failed is left out.
    """
    found: list[Standing] = []
    for scenario, horizon_s in horizons_s.items():
        mine = {policy: table for (name, policy), table in tables.items() if name == scenario}
        whole = {policy: table for policy, table in mine.items() if not table["failed"].any()}
        if baseline in whole:
            common_s = horizon_s or max(float(table["ended_ms"].max()) for table in whole.values()) / 1000
            found += _in_scenario(scenario, whole, baseline, common_s)
    return _judged(found)


def _in_scenario(
    scenario: str, tables: Mapping[str, "pd.DataFrame"], baseline: str, horizon_s: float
) -> Iterable[Standing]:
    for measure in MEASURES:
        base = _arm(tables[baseline], measure, horizon_s)
        for policy, table in tables.items():
            if policy != baseline:
                arm = _arm(table, measure, horizon_s)
                yield Standing(
                    scenario=scenario,
                    policy=policy,
                    measure=measure.name,
                    value=_mean(arm),
                    baseline=_mean(base),
                    open_share=_open_share(table, measure),
                    paired=_paired(arm, base),
                )


Arm = tuple[Any, Any]
"""Totals and counts, shape (replications,)."""


def _arm(table: "pd.DataFrame", measure: Measure, horizon_s: float) -> Arm:
    if not measure.per_event:
        values = table[measure.name].to_numpy(dtype=np.float64)
        return values, np.ones_like(values)
    answered, left = (table[f"{measure.name}{part}"].to_numpy(dtype=np.float64) for part in ("_answered", "_open"))
    return table[f"{measure.name}_total_s"].to_numpy(dtype=np.float64) + left * horizon_s, answered + left


def _mean(arm: Arm) -> float:
    return float(arm[0].sum() / arm[1].sum()) if arm[1].sum() else math.nan


def _open_share(table: "pd.DataFrame", measure: Measure) -> float:
    if not measure.per_event:
        return 0.0
    left, answered = (float(table[f"{measure.name}{part}"].sum()) for part in ("_open", "_answered"))
    return left / (left + answered) if left + answered else math.nan


def _paired(arm: Arm, base: Arm) -> PairedDifference:
    if not (arm[1].sum() and base[1].sum()):
        return unknown_difference(len(base[0]), LEVEL)
    if (arm[1] == 1).all() and (base[1] == 1).all():
        return paired_means(arm[0], base[0], level=LEVEL)
    return paired_ratios(arm, base, level=LEVEL)


def _judged(found: Sequence[Standing]) -> list[Standing]:
    asked = [each for each in found if math.isfinite(each.paired.estimate)]
    questions = [
        Question(
            difference=each.paired.difference,
            margin=max(BY_NAME[each.measure].margin, MARGIN * abs(each.baseline)),
        )
        for each in asked
    ]
    verdicts = judge(questions, alpha=1 - LEVEL, adjust=benjamini_hochberg) if asked else ()
    outcome = {id(each): verdict.outcome for each, verdict in zip(asked, verdicts, strict=True)}
    return [replace(each, outcome=outcome.get(id(each))) for each in found]


# --- over all scenarios -----------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Overall:
    """One policy in one measure over all scenarios.

    ``level`` is the geometric mean of value over baseline where both are above 0, or the mean difference (for the
    measures ``BY_DIFFERENCE``); nan where there is nothing to compare.
    """

    better: int
    equivalent: int
    worse: int
    undecided: int
    level: float

    def told(self) -> str:
        """Write it in a cell: the level, then how often better, the same, worse, undecided."""
        level = "-" if math.isnan(self.level) else f"{self.level:.3g}"
        return f"{level} ({self.better}/{self.equivalent}/{self.worse}/{self.undecided})"


BY_DIFFERENCE: Final = frozenset({"harm", "points", "waste"})
"""Measures whose baseline may be 0: told as a mean difference, not as a ratio."""


def overall(found: Iterable[Standing]) -> dict[tuple[str, str], Overall]:
    """Sum up over the scenarios: (policy, measure) to its overall standing."""
    groups: dict[tuple[str, str], list[Standing]] = {}
    for each in found:
        groups.setdefault((each.policy, each.measure), []).append(each)
    return {key: _overall(key[1], rows) for key, rows in groups.items()}


def _overall(measure: str, rows: Sequence[Standing]) -> Overall:
    def count(outcome: Outcome) -> int:
        return sum(row.outcome is outcome for row in rows)

    return Overall(
        better=count(Outcome.BETTER),
        equivalent=count(Outcome.EQUIVALENT),
        worse=count(Outcome.WORSE),
        undecided=count(Outcome.UNDECIDED),
        level=_level(measure, rows),
    )


def _level(measure: str, rows: Sequence[Standing]) -> float:
    if measure in BY_DIFFERENCE:
        gaps = [row.paired.estimate for row in rows if math.isfinite(row.paired.estimate)]
        return sum(gaps) / len(gaps) if gaps else math.nan
    ratios = [row.ratio for row in rows if row.ratio > 0]
    return math.exp(sum(map(math.log, ratios)) / len(ratios)) if ratios else math.nan


def unanswered(tables: Mapping[tuple[str, str], "pd.DataFrame"]) -> dict[str, float]:
    """Return for each policy the share of events that nobody answered or acted on, a mean over the scenarios."""
    shares: dict[str, list[float]] = {}
    for (_, policy), table in tables.items():
        left, answered = (
            sum(float(table[f"{each.name}{part}"].sum()) for each in MEASURES if each.per_event)
            for part in ("_open", "_answered")
        )
        shares.setdefault(policy, []).append(left / max(1.0, left + answered))
    return {policy: sum(each) / len(each) for policy, each in shares.items()}


def undominated(levels: Mapping[str, Sequence[float]]) -> list[str]:
    """Return the policies that no other beats: as low in everything and lower in something."""

    def beats(one: Sequence[float], other: Sequence[float]) -> bool:
        pairs = list(zip(one, other, strict=True))
        return all(a <= b for a, b in pairs) and any(a < b for a, b in pairs)

    return [name for name, mine in levels.items() if not any(beats(other, mine) for other in levels.values())]
