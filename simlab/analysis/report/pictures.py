"""The charts of a report, each with the words that say what it shows."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from simlab.analysis.charts.batches import batch_sizes
from simlab.analysis.charts.calls import calls_per_run
from simlab.analysis.charts.convergence import convergence
from simlab.analysis.charts.differences import forest
from simlab.analysis.charts.figure import chart
from simlab.analysis.charts.pareto import on_front, pareto
from simlab.analysis.charts.responses import response_ecdf
from simlab.analysis.charts.router_trade import router_trade
from simlab.analysis.charts.tails import tail_sensitivity
from simlab.analysis.charts.waste import waste
from simlab.analysis.compare import Row, to_frame
from simlab.analysis.report.svg import page_svg
from simlab.analysis.report.values import Picture
from simlab.analysis.report.words import is_mean
from simlab.analysis.stats.values import Interval
from simlab.analysis.style import Look
from simlab.analysis.tidy import (
    INPUT_PARTS,
    TOKEN_PARTS,
    TOOL_PARTS,
    convergence_frame,
    event_means,
    largest_batches,
    pareto_frame,
    router_frame,
    run_means,
    tail_frame,
    waits_per_run,
    waste_frame,
)

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

_INCHES: Final = 5.0
_URGENT_FIRST: Final = ("correct", "question", "amend", "light", "request")


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """One scenario as the charts need it. ``capped`` maps time-outs of tools in seconds (inf: as declared) to rows."""

    prefix: str
    runs: "pd.DataFrame"
    events: "pd.DataFrame"
    looks: Mapping[str, Look]
    rows: Sequence[Row]
    baseline: str
    horizon_ms: float
    capped: Mapping[float, Sequence[Row]]

    @property
    def others(self) -> dict[str, Look]:
        """The arms but the baseline."""
        return {arm: look for arm, look in self.looks.items() if arm != self.baseline}

    @property
    def kinds(self) -> list[str]:
        """The kinds of events, the most urgent first."""
        there = set(self.events["kind"])
        return [kind for kind in _URGENT_FIRST if kind in there]


def pictures(shown: Shown) -> list[Picture]:
    """Return every chart that the data allow."""
    makers = (_responses, _differences, _calls, _trade_off, _waste, _batches, _routers, _tails, _convergence)
    return [picture for make in makers for picture in make(shown)]


def _picture(
    shown: Shown,
    name: str,
    draw: "Callable[[Axes], object]",
    *,
    title: str,
    alt: str,
    caption: str,
    height_inches: float = 3.8,
) -> Picture:
    def figure() -> object:
        return chart(draw, height_inches=height_inches, width_inches=_INCHES, columns=2)

    svg = page_svg(figure, f"{shown.prefix}-{name}")  # type: ignore[arg-type]
    return Picture(title=title, svg=svg, alt=alt, caption=caption)


def _listed(values: Mapping[str, float], unit: str) -> str:
    return ", ".join(
        f"{arm} {value:.3g} {unit}" if math.isfinite(value) else f"{arm} none" for arm, value in values.items()
    )


def _interval(interval: Interval) -> str:
    return f"{interval.estimate:.3g} [{interval.low:.3g}, {interval.high:.3g}]"


def _rows_height(arms: Mapping[str, Look]) -> float:
    return 1.3 + 0.4 * len(arms)


def _responses(shown: Shown) -> list[Picture]:
    found: list[Picture] = []
    for kind in shown.kinds:
        events = shown.events[(shown.events["kind"] == kind) & ~shown.events["is_voided"]]
        if not events["response_ms"].notna().any():
            continue
        filled = events.assign(response_ms=events["response_ms"].astype(float).fillna(math.inf))
        medians = {arm: float(filled[filled["arm"] == arm]["response_ms"].median()) / 1000 for arm in shown.looks}
        never = {arm: int(events[events["arm"] == arm]["response_ms"].isna().sum()) for arm in shown.looks}
        lost = ", ".join(f"{arm} {count}" for arm, count in never.items() if count)
        alt = f"Share of events of kind {kind} that were answered within a time. Median: {_listed(medians, 's')}."
        alt += f" Never answered: {lost}." if lost else ""
        found.append(
            _picture(
                shown,
                f"responses-{kind}",
                lambda axis, events=events: response_ecdf(axis, events, shown.looks),  # type: ignore[misc]
                title=f"How long until the first answer: {kind}",
                alt=alt,
                caption=f"{len(events) // max(1, len(shown.looks)):,} events an arm. Marks: p50, p90, p99. "
                "A line that ends below 1 left events unanswered.",
            )
        )
    return found


def _differences(shown: Shown) -> list[Picture]:
    wanted = [f"{label}, {kind}" for label in ("acted on", "response") for kind in shown.kinds]
    wanted += ["model calls", "tool time thrown away", "mistaken effects", "decision points"]
    frame = to_frame([row for row in shown.rows if is_mean(row)])
    found: list[Picture] = []
    for metric in [name for name in wanted if (frame["metric"] == name).any()][:6]:
        mine = frame[frame["metric"] == metric]
        told = ", ".join(
            f"{row.strategy} {row.difference:+.3g} [{row.low:.3g}, {row.high:.3g}] {row.verdict}"
            for row in mine.itertuples()
        )
        unit = str(mine["unit"].iloc[0])
        found.append(
            _picture(
                shown,
                f"difference-{len(found)}",
                lambda axis, mine=mine: forest(axis, mine, shown.looks),  # type: ignore[misc]
                title=f"Difference from {shown.baseline}: {metric}",
                alt=f"Paired differences in the mean of {metric}, {unit}, with 95 % intervals: {told}.",
                caption="Left of zero is less than the baseline. Hollow marks are undecided.",
                height_inches=_rows_height(shown.others),
            )
        )
    return found


def _calls(shown: Shown) -> list[Picture]:
    means = {arm: interval.estimate for arm, interval in run_means(shown.runs, "main_calls").items()}
    return [
        _picture(
            shown,
            "calls",
            lambda axis: calls_per_run(axis, shown.runs, shown.looks),
            title="Round trips per run",
            alt=f"Main model calls per run, mean: {_listed(means, '')}.",
            caption="Mark: mean; thick: middle half of runs; thin: middle 90 %; hollow mark: mean of side calls.",
            height_inches=_rows_height(shown.looks),
        )
    ]


def _trade_off(shown: Shown) -> list[Picture]:
    kind = next((each for each in shown.kinds if each != "request"), "request")
    events = shown.events[(shown.events["kind"] == kind) & ~shown.events["is_voided"]]
    if not events["acted_ms"].notna().any():
        return []
    calls = run_means(shown.runs, "model_calls")
    waits = event_means(events, "acted_ms", horizon_ms=shown.horizon_ms)
    frame = pareto_frame(calls, waits)
    told = ", ".join(f"{arm}: {_interval(calls[arm])} calls, {_interval(waits[arm])} s" for arm in waits)
    return [
        _picture(
            shown,
            "pareto",
            lambda axis: pareto(
                axis,
                frame,
                shown.looks,
                x_label="model calls per run, main and side",
                y_label=f"seconds until acted on: {kind}",
            ),
            title=f"Round trips against waiting: {kind}",
            alt=f"Each strategy by model calls per run and mean time until an event ({kind}) is acted on: {told}. "
            f"On the front: {', '.join(on_front(frame))}.",
            caption="Crosses are 95 % intervals. Filled: no other arm is better in both. Less is better in both.",
            height_inches=4.4,
        )
    ]


def _waste(shown: Shown) -> list[Picture]:
    found = []
    for name, parts, unit, title in (
        ("output", TOKEN_PARTS, "output tokens", "Output tokens: kept and discarded"),
        ("input", INPUT_PARTS, "input tokens", "Input tokens: new, from the cache, recomputed"),
        ("tools", TOOL_PARTS, "tool seconds", "Tool time: used, thrown away, doubled"),
    ):
        frame = waste_frame(shown.runs, parts)
        if frame["mean"].sum() == 0:
            continue
        last = list(parts)[1:] if name != "input" else ["recomputed"]
        told = "; ".join(
            f"{part}: {_listed(dict(zip(mine['arm'], mine['mean'], strict=True)), '')}"
            for part in last
            for mine in [frame[frame["part"] == part]]
        )
        found.append(
            _picture(
                shown,
                f"waste-{name}",
                lambda axis, frame=frame, unit=unit: waste(axis, frame, shown.looks, unit=unit),  # type: ignore[misc]
                title=title,
                alt=f"{unit.capitalize()} per run, mean, by what became of them. {told}.",
                caption="The parts of a bar add up to everything that was spent.",
                height_inches=_rows_height(shown.looks) + 0.3,
            )
        )
    return found


def _batches(shown: Shown) -> list[Picture]:
    frame = largest_batches(shown.runs)
    if frame.empty or int(frame["size"].max()) == 1:
        return []
    largest = {str(arm): float(mine["size"].max()) for arm, mine in frame.groupby("arm", sort=False)}
    return [
        _picture(
            shown,
            "batches",
            lambda axis: batch_sizes(axis, frame, shown.looks, of="runs"),
            title="Events that are consumed together: the largest batch of a run",
            alt=f"Largest batch of any run, in events: {_listed(largest, '')}.",
            caption="Events consumed together must be considered jointly: the larger, the easier one is overlooked.",
            height_inches=_rows_height(shown.looks) + 0.4,
        )
    ]


def _routers(shown: Shown) -> list[Picture]:
    if shown.runs["router"].nunique() < 2:
        return []
    frame = router_frame(shown.runs, shown.events)
    told = ", ".join(
        f"{row.router} {row.accuracy:.0%} right after {row.latency_s:.2g} s on average" for row in frame.itertuples()
    )
    return [
        _picture(
            shown,
            "routers",
            lambda axis: router_trade(axis, frame),
            title="Routers: accuracy against latency",
            alt=f"Each router by the share of right verdicts and its latency: {told}.",
            caption="Every event pays the latency. Intervals take replications as clusters.",
        )
    ]


def _tails(shown: Shown) -> list[Picture]:
    if len(shown.capped) < 2:
        return []
    kind = next((each for each in shown.kinds if each != "request"), "request")
    metric = f"acted on, {kind}" if kind not in {"light", "request"} else f"response, {kind}"
    frame = tail_frame(shown.capped, metric)
    if frame.empty:
        return []
    told = ", ".join(
        f"{row.arm} at {'no further cap' if math.isinf(row.cap_s) else f'{row.cap_s:g} s'} {row.value:+.3g} s"  # type: ignore[arg-type]
        for row in frame.itertuples()
    )
    return [
        _picture(
            shown,
            "tails",
            lambda axis: tail_sensitivity(axis, frame, shown.others, label=f"{metric}: difference, seconds"),
            title="How much hangs on the tail of the tool times",
            alt=f"Difference from {shown.baseline} in the mean of {metric} by the time-out of tools: {told}.",
            caption="The time-out of tools sets the mean of heavy-tailed waits. A line that crosses zero is a verdict "
            "that hangs on it.",
            height_inches=4.2,
        )
    ]


def _convergence(shown: Shown) -> list[Picture]:
    waits = waits_per_run(shown.events, horizon_ms=shown.horizon_ms)
    frame = convergence_frame(waits, "wait_s", shown.baseline)
    if frame["n"].nunique() < 2:
        return []
    last = frame[frame["n"] == frame["n"].max()]
    told = ", ".join(f"{row.arm} {row.value:+.3g} [{row.low:.3g}, {row.high:.3g}] s" for row in last.itertuples())
    return [
        _picture(
            shown,
            "convergence",
            lambda axis: convergence(axis, frame, shown.others, label=f"seconds against {shown.baseline}"),
            title="How the estimate settles: mean wait of a run's events",
            alt=f"Running mean of the paired difference in a run's mean wait for the first answer. At the end: {told}.",
            caption="Bands are 95 % intervals at that number of replications. A picture, not a rule for stopping.",
        )
    ]
