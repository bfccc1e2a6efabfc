"""The worst runs of a comparison, made again: why each is that, its timeline beside the baseline's, how to replay."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from simlab.analysis.charts.lanes import draw_lanes
from simlab.analysis.lane_reading import lanes_of
from simlab.analysis.lanes import LaneKind, Lanes
from simlab.analysis.metrics import run_row
from simlab.analysis.report.svg import page_svg
from simlab.analysis.report.values import Picture, Worst
from simlab.core.record import RunRecord
from simlab.experiment.comparison import Cell, run_cell
from simlab.experiment.population import Compared
from simlab.experiment.scenario import Scenario

if TYPE_CHECKING:
    import pandas as pd

_REQUEST: Final = "request"
_COMPARED: Final = ("ended_ms", "main_calls", "side_calls", "output_tokens", "tool_thrown_ms", "effects", "batches")


def worst_runs(
    compared: Compared,
    scenario: Scenario | None,
    manifest: Mapping[str, Any],
    horizon_ms: float,
    *,
    count: int,
    prefix: str,
) -> list[Worst]:
    """Return the runs of each arm in which people waited longest, ``count`` of each arm."""
    found = []
    for number, arm in enumerate(compared.arms):
        events = compared.events[compared.events["arm"] == arm]
        for place, (replication, why) in enumerate(_longest(events, horizon_ms, count)):
            row = compared.runs[(compared.runs["arm"] == arm) & (compared.runs["replication"] == replication)].iloc[0]
            key = f"{prefix}-worst-{number}-{place}"
            found.append(_worst(compared, scenario, row, int(manifest["seed"]), why, key))
    return found


def _longest(events: "pd.DataFrame", horizon_ms: float, count: int) -> list[tuple[int, str]]:
    """Return the replications with the most events that nobody answered, then with the longest wait, and why.

    Events that came while the agent was busy count; requests do only where there is nothing else.
    """
    later = events[events["kind"] != _REQUEST]
    counted = (later if len(later) else events)[lambda some: ~some["is_voided"]]
    waits = counted.assign(
        wait_ms=counted["response_ms"].astype(float).fillna(horizon_ms), never=counted["response_ms"].isna()
    )
    by_run = waits.groupby("replication").agg(never=("never", "sum"), wait_ms=("wait_ms", "max"))
    listed = by_run.sort_values(["never", "wait_ms"], ascending=False, kind="stable").head(count)
    return [(number, _why(waits[waits["replication"] == number])) for number in map(int, listed.index)]


def _why(events: "pd.DataFrame") -> str:
    never = list(events[events["never"]]["event_id"])
    longest = events.iloc[int(events["wait_ms"].argmax())]
    if never:
        return f"Never answered: {', '.join(map(str, never[:5]))}{' and more' if len(never) > 5 else ''}."
    return f"{longest['event_id']} ({longest['kind']}) was answered after {float(longest['wait_ms']) / 1000:,.1f} s."


def _worst(  # noqa: PLR0917 - one caller
    compared: Compared, scenario: Scenario | None, row: "pd.Series[Any]", seed: int, why: str, key: str
) -> Worst:
    strategy, router, replication = str(row["strategy"]), str(row["router"]), int(row["replication"])
    baseline = compared.runs[compared.runs["arm"] == compared.baseline].iloc[0]
    pairs = list(dict.fromkeys([(str(baseline["strategy"]), str(baseline["router"])), (strategy, router)]))
    name = scenario.reference if scenario is not None else compared.scenario
    where = f"--router {router} --seed {seed} --replication {replication}"
    same_router = [each for each, routed in pairs if routed == router]
    commands = [
        f"simlab run {name} --strategy {strategy} {where}",
        f"simlab timeline {name} --strategy {','.join(same_router)} {where} -o timeline.svg",
    ]
    if scenario is None:
        note = "No timeline: the scenario that was run is not at hand, or has changed since."
        return Worst(arm=str(row["arm"]), replication=replication, why=why, commands=commands, picture=None, note=note)
    records = [
        run_cell(Cell(scenario=scenario, strategy=one, router=routed, seed=seed, replication=replication))
        for one, routed in pairs
    ]
    return Worst(
        arm=str(row["arm"]),
        replication=replication,
        why=why,
        commands=commands,
        picture=_picture(records, compared, str(row["arm"]), key),
        note=_differs(records[-1], row),
    )


def _differs(record: RunRecord, row: "pd.Series[Any]") -> str:
    """Say so if the run made again is not the one in the table: the code has changed since."""
    again = run_row(record)
    changed = [name for name in _COMPARED if int(getattr(again, name)) != int(row[name])]
    if not changed:
        return ""
    return f"Made again with this version of simlab, the run is not the same any more ({', '.join(changed)} differ)."


def _picture(records: list[RunRecord], compared: Compared, arm: str, key: str) -> Picture:
    runs = [lanes_of(record) for record in records]
    looks = {record.strategy: look for record in records for look in [_look(record, compared, arm)]}
    title = " and ".join(dict.fromkeys(run.strategy for run in runs)) + " on the same clock"
    return Picture(
        title=f"Timeline: {title}",
        svg=page_svg(lambda: draw_lanes(runs, looks), key),
        alt=" ".join(_told(run) for run in runs),
        caption="Lanes over virtual time: the run in question below, the baseline on the same events above.",
        wide=True,
    )


def _look(record: RunRecord, compared: Compared, arm: str) -> tuple[str, str]:
    names = (arm, compared.baseline)
    own = [name for name in names if name.partition(" / ")[0] == record.strategy]
    return compared.looks[own[0]]


def _told(run: Lanes) -> str:
    counts = {kind: sum(each.kind is kind for each in run.slices) for kind in LaneKind}
    wasted = sum(each.wasted for each in run.slices)
    return (
        f"{run.strategy}: {counts[LaneKind.INBOX]} events, {counts[LaneKind.MODEL]} model calls, "
        f"{counts[LaneKind.TOOL]} tool runs, {counts[LaneKind.SIDE]} side sessions, {wasted} of these thrown away; "
        f"ended after {run.ended_ms / 1000:,.1f} s."
    )
