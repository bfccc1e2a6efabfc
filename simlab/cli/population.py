"""What ``simlab compare`` prints and writes for many replications."""

import math
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from simlab.cli.progress import Bar
from simlab.core.errors import SimlabError

if TYPE_CHECKING:
    from simlab.analysis.compare import Row
    from simlab.experiment.design import World
    from simlab.experiment.population import Compared, Population
    from simlab.experiment.scenario import Scenario

_SHOWN = ("mean", "restricted mean", "p50", "p90", "p99")
_MOST_BREACHES = 5


def check_margin(margin: float | None) -> None:
    """Raise SimlabError for a margin that is no share of the baseline."""
    if margin is not None and not 0 <= margin < math.inf:
        raise SimlabError(f"--margin {margin:g}: expected a share of the baseline, from 0 up")


def compare_many(
    scenarios: "Sequence[Scenario]",
    *,
    strategies: Sequence[str],
    routers: Sequence[str],
    replications: int,
    seed: int,
    jobs: int,
    baseline: str | None,
    margin: float,
    tool_caps_s: Sequence[int],
    resample: bool,
    hazards: str | None,
    out: Path | None,
    command: str,
) -> int:
    """Run, print, write; return the exit code: 1 if a strategy failed or breached an invariant."""
    from simlab.experiment.design import Design
    from simlab.experiment.output import check_writable
    from simlab.experiment.population import run_population
    from simlab.experiment.store import manifest

    check_margin(margin)
    if out is not None:
        check_writable(out)
    presets = _presets(hazards)
    main, worlds = _worlds(scenarios, presets, tool_caps_s, resample=resample)
    design = Design(
        worlds=tuple(worlds),
        strategies=tuple(strategies),
        routers=tuple(routers),
        replications=replications,
        seed=seed,
    )
    with Bar("runs", replications * len(design.cells)) as bar:
        found = run_population(design, baseline=baseline, jobs=jobs, margin=margin, progress=bar.advance)
    for compared in found.compared:
        _print_compared(compared)
    _print_variants(found, main, presets, tool_caps_s, resample=resample)
    _print_troubles(found)
    if out is not None:
        told = manifest(design, command, list(found.breaches), list(found.failures))
        _write(out, found, told | {"baseline": baseline, "margin": margin})
    return 1 if found.failures or any(each.blame != "model" for each in found.breaches) else 0


def _worlds(
    scenarios: "Sequence[Scenario]", presets: Sequence[str], tool_caps_s: Sequence[int], *, resample: bool
) -> "tuple[list[World], list[World]]":
    """Return the worlds that were asked for, and these with every variant that their answer is held against."""
    from simlab.experiment.design import World
    from simlab.experiment.variants import resampled, with_hazards, with_tool_cap

    bare = [World.of(each) for each in scenarios]
    main = [with_hazards(world, presets[0]) for world in bare] if presets else bare
    worlds = [*main]
    worlds += [with_tool_cap(world, cap_s) for world in main for cap_s in tool_caps_s]
    worlds += [resampled(world) for world in main if resample]
    worlds += [with_hazards(world, name) for name in presets[1:] for world in bare]
    return main, worlds


def _print_variants(
    found: "Population",
    main: "Sequence[World]",
    presets: Sequence[str],
    tool_caps_s: Sequence[int],
    *,
    resample: bool,
) -> None:
    named = {compared.scenario: compared for compared in found.compared}
    for world in main:
        if resample:
            _print_flips(named[world.name], named[f"{world.name}@resample"])
    if tool_caps_s:
        _print_caps(found, [world.name for world in main])
    if presets:
        _print_presets(named, [world.name.partition("@")[0] for world in main])


def _presets(hazards: str | None) -> list[str]:
    """Return the asked preset and, behind it, the others under which its ranking must hold."""
    from simlab.sim.faults.hazards import PRESETS, preset

    if hazards is None or hazards == "none":
        return []
    preset(hazards)
    return [hazards, *(name for name in PRESETS if name not in ("none", hazards))]


# --- on screen --------------------------------------------------------------------------------------------------------


def _print_compared(compared: "Compared") -> None:
    from simlab.analysis.tables import TextTable
    from simlab.cli.compare import print_table

    print(
        f"\n{compared.scenario}: {compared.arrays.replications:,} replications, baseline {compared.baseline}. "
        "Paired differences with 95 % intervals; verdicts by Holm over the table (all rows: --out)."
    )
    head = ["metric", "statistic", "unit", compared.baseline]
    others = [arm for arm in compared.arms if arm != compared.baseline]
    lines: dict[tuple[str, str], list[str]] = {}
    silent = _silent(compared)
    for row in compared.rows:
        key = (row.metric, row.statistic)
        if row.statistic not in _SHOWN or key in silent:
            continue
        line = lines.setdefault(key, [*key, row.unit, _number(row.baseline_value, row)])
        line.append(_cell(row))
    print_table(TextTable(title="", head=[*head, *others], rows=list(lines.values())))
    print_table(
        TextTable(
            title="Variance factor of common random numbers (mean metrics): variance saved, with its 95 % interval",
            head=["metric", *others],
            rows=_factors(compared),
        )
    )


def _silent(compared: "Compared") -> set[tuple[str, str]]:
    """Return the statistics that say nothing on a screen: zero everywhere, or without any finite interval."""
    said = {
        (row.metric, row.statistic)
        for row in compared.rows
        if math.isfinite(row.paired.high - row.paired.low) and (row.value or row.baseline_value)
    }
    return {(row.metric, row.statistic) for row in compared.rows} - said


def _number(value: float, row: "Row") -> str:
    from simlab.analysis.stats.values import printed

    return printed(value, digits=3, horizon=row.horizon) if not math.isnan(value) else "-"


def _cell(row: "Row") -> str:
    paired = row.paired
    if math.isnan(paired.estimate):
        return "no value"
    if row.never_differed:
        return row.told
    return f"{paired.estimate:+.3g} [{paired.low:.3g}, {paired.high:.3g}] {row.told}"


def _factors(compared: "Compared") -> list[list[str]]:
    lines: dict[str, list[str]] = {}
    for row in compared.rows:
        if row.statistic.endswith("mean"):
            factor = row.paired.variance_factor
            told = f"{factor.estimate:.2g} [{factor.low:.2g}, {factor.high:.2g}]" if not math.isnan(factor.low) else "-"
            lines.setdefault(row.metric, [row.metric]).append(told)
    return list(lines.values())


def _print_flips(declared: "Compared", other: "Compared") -> None:
    from simlab.experiment.population import flips

    turned = flips(declared, other)
    print(f"\n{declared.scenario}: drawing repeated work anew (resample) turns {len(turned)} verdicts around.")
    for row in turned:
        print(f"  {row.metric}, {row.statistic}, {row.strategy}: undetermined; it is {row.verdict.outcome} here")


def _print_presets(named: "dict[str, Compared]", scenarios: Sequence[str]) -> None:
    """Show the ranking under all presets of the model's faults, and where it changes."""
    from simlab.analysis.tables import TextTable
    from simlab.cli.compare import print_table
    from simlab.experiment.population import rankings

    order = ("conservative", "default", "stress")
    for scenario in scenarios:
        ranked = rankings([named[f"{scenario}@hazards={name}"] for name in order])
        lines = []
        for metric, by_preset in ranked.items():
            same = all(each == by_preset[0] for each in by_preset)
            shown = [" < ".join(each) for each in (by_preset[:1] if same else by_preset)]
            lines.append([metric, "holds" if same else "undetermined", *shown, *[""] * (len(order) - len(shown))])
        print(f"\n{scenario}: ranking by the mean, the best first, under the presets of the model's faults")
        print_table(TextTable(title="", head=["metric", "ranking", *order], rows=lines))


def _print_caps(found: "Population", names: Sequence[str]) -> None:
    """Show how the answer moves with the tools' time-out."""
    from simlab.analysis.tables import TextTable
    from simlab.cli.compare import print_table

    for name in names:
        mine = [each for each in found.compared if each.scenario == name or each.scenario.startswith(f"{name}@cap=")]
        rows: dict[tuple[str, str, str], list[str]] = {}
        for each in mine:
            for row in each.rows:
                if row.statistic.endswith("mean") and row.per == "event":
                    key = (row.metric, row.statistic, row.strategy)
                    rows.setdefault(key, [row.metric, row.strategy]).append(_cell(row))
        print_table(
            TextTable(
                title=f"{name}: means by the time-out of tools (against {mine[0].baseline})",
                head=["metric", "strategy", *(each.scenario.partition("@cap=")[2] or "as declared" for each in mine)],
                rows=[line for line in rows.values() if len(line) == len(mine) + 2],
            )
        )


def _print_troubles(found: "Population") -> None:
    runs = len(found.runs)
    print(f"\n{runs:,} runs; {len(found.breaches)} breaches of invariants, {len(found.failures)} runs failed")
    for trouble in (*found.failures, *found.breaches)[:_MOST_BREACHES]:
        print(f"  {trouble.scenario}, {trouble.strategy}: {trouble.what}; replay: {trouble.replay}")
    more = len(found.failures) + len(found.breaches) - _MOST_BREACHES
    if more > 0:
        print(f"  and {more:,} more")


# --- on disk ----------------------------------------------------------------------------------------------------------


def _write(out: Path, found: "Population", told: dict[str, Any]) -> None:
    from simlab.analysis.charts.calls import draw_calls
    from simlab.analysis.charts.differences import draw_differences
    from simlab.analysis.charts.figure import writer
    from simlab.analysis.charts.responses import draw_responses
    from simlab.analysis.compare import to_frame
    from simlab.experiment.output import write_set
    from simlab.experiment.store import csv_writer, frame_writer, json_writer

    writers: dict[str, Callable[[Path], object]] = {
        "runs.parquet": frame_writer(found.runs, "runs"),
        "events.parquet": frame_writer(found.events, "events"),
        "manifest.json": json_writer(told),
    }
    for compared in found.compared:
        stem = compared.scenario.replace("/", "-")
        title = f"{compared.scenario}, {compared.arrays.replications:,} replications"
        against = f"{title}, against {compared.baseline}"
        writers[f"{stem}.comparison.csv"] = csv_writer(to_frame(compared.rows))
        writers[f"{stem}.responses.png"] = writer(partial(draw_responses, compared.events, compared.looks, title))
        writers[f"{stem}.calls.png"] = writer(partial(draw_calls, compared.runs, compared.looks, title))
        writers[f"{stem}.differences.png"] = writer(partial(draw_differences, compared.rows, compared.looks, against))
    written = write_set(out, writers)
    print("written: " + ", ".join(str(path) for path in written))


def parse_caps(text: str | None) -> list[int]:
    """Read ``120,600,1800``. Raises SimlabError."""
    try:
        caps = [int(part) for part in (text or "").split(",") if part.strip()]
    except ValueError:
        raise SimlabError(f"--tool-cap {text!r}: whole seconds separated by commas are expected") from None
    if any(cap <= 0 for cap in caps):
        raise SimlabError(f"--tool-cap {text!r}: seconds must be positive")
    return caps
