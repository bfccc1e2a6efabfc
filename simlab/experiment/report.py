"""From a folder of results to a report: read the tables, compare, make the worst runs again, say what is assumed."""

import json
import math
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from simlab.analysis.compare import Row
from simlab.analysis.measures import MARGIN
from simlab.analysis.report.checklist import Study, checklist
from simlab.analysis.report.pictures import Shown, pictures
from simlab.analysis.report.values import Cell, Grid, Paragraph, Part, Report
from simlab.analysis.report.words import changes, details, overview, verdicts
from simlab.core.errors import SimlabError
from simlab.experiment.design import World
from simlab.experiment.population import Compared, compare_world
from simlab.experiment.report_facts import assumptions, entities, facts, strategies_grid
from simlab.experiment.report_worst import worst_runs
from simlab.experiment.scenario import Scenario
from simlab.experiment.variants import load_variant
from simlab.sim.spec import WorldSpec

if TYPE_CHECKING:
    import pandas as pd

QUESTION: Final = "What should the agent do with an event that arrives while it is busy?"
_FILES: Final = ("manifest.json", "runs.parquet", "events.parquet")


@dataclass(frozen=True, slots=True, kw_only=True)
class Results:
    """What ``simlab compare --out`` left in a folder."""

    manifest: Mapping[str, Any]
    runs: "pd.DataFrame"
    events: "pd.DataFrame"

    @property
    def scenarios(self) -> list[str]:
        """The worlds that were asked for: the first of each scenario. Others were run beside them, to hold against."""
        first: dict[str, str] = {}
        for name in self.manifest["scenarios"]:
            first.setdefault(name.partition("@")[0], name)
        return list(first.values())

    def variants(self, scenario: str) -> dict[str, str]:
        """The other worlds of a scenario: what is changed in each, and its whole name."""
        base = scenario.partition("@")[0]
        others = [name for name in self.manifest["scenarios"] if name != scenario and name.partition("@")[0] == base]
        return {name.removeprefix(f"{scenario}@").removeprefix(f"{base}@"): name for name in others}


def read_results(folder: Path) -> Results:
    """Read a folder of results. Raises SimlabError, in one line, where something is missing or damaged."""
    import pandas as pd

    for name in _FILES:
        if not (folder / name).is_file():
            raise SimlabError(
                f"{folder}: no {name} in it; make results with `simlab compare SCENARIO -s ... -n 200 --out {folder}`"
            )
    try:
        manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
        runs, events = (pd.read_parquet(folder / name) for name in _FILES[1:])
    except (OSError, ValueError) as error:
        raise SimlabError(f"{folder}: cannot be read: {error}") from None
    missing = [key for key in ("scenarios", "strategies", "routers", "replications", "seed") if key not in manifest]
    if missing:
        raise SimlabError(f"{folder}/manifest.json: {missing[0]}: missing")
    return Results(manifest=manifest, runs=runs, events=events)


def build_report(
    results: Results, *, baseline: str | None = None, margin: float | None = None, worst: int = 1
) -> Report:
    """Make the report of a folder of results.

    ``baseline`` and ``margin`` are those of the comparison unless given; ``worst`` is how many of the worst runs of
    each arm are made again.
    """
    manifest = results.manifest
    settings = _Settings(
        baseline=baseline or manifest.get("baseline"),
        margin=margin if margin is not None else float(manifest.get("margin", MARGIN)),
        worst=worst,
    )
    found = {name: _find(name, manifest) for name in results.scenarios}
    compared = {name: _compare(results, name, found[name], settings) for name in results.scenarios}
    parts = [_part(results, number, compared[name], found[name], settings) for number, name in enumerate(compared)]
    study = _study(results, list(compared.values()), found, settings)
    return Report(
        title="simlab report: " + ", ".join(part.title for part in parts),
        question=QUESTION,
        summary=_summary(results, parts),
        parts=parts,
        strategies=strategies_grid(manifest["strategies"], manifest["routers"]),
        violations=_violations(manifest),
        violations_told=_told(results),
        checklist=checklist(study),
        command=str(manifest.get("command", "unknown")),
        made_with=_made_with(manifest),
    )


def build_compared(results: Results) -> list[Compared]:
    """Return the comparison of each scenario of a folder, as it was made."""
    settings = _Settings(
        baseline=results.manifest.get("baseline"), margin=float(results.manifest.get("margin", MARGIN)), worst=0
    )
    return [_compare(results, name, _find(name, results.manifest), settings) for name in results.scenarios]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Settings:
    baseline: str | None
    margin: float
    worst: int


def _find(name: str, manifest: Mapping[str, Any]) -> Scenario | None:
    """Return the scenario that was run, if it is at hand: a shipped one, or a file that the command names."""
    base, sign, change = name.partition("@")
    candidates: list[Scenario] = []
    for word in (base, *shlex.split(str(manifest.get("command", "")))):
        try:
            candidates.append(load_variant(f"{word}{sign}{change}"))
        except SimlabError:
            continue
    digest = manifest["scenarios"][name]
    return next((each for each in candidates if each.name == name and each.sha256 == digest), None)


def _world(results: Results, name: str, scenario: Scenario | None) -> World:
    spec = scenario.world if scenario is not None else WorldSpec(name=name)
    return World(name=name, spec=replace(spec, name=name), digest=results.manifest["scenarios"][name])


def _compare(results: Results, name: str, scenario: Scenario | None, settings: _Settings) -> Compared:
    return compare_world(
        _world(results, name, scenario),
        results.runs[results.runs["scenario"] == name],
        results.events[results.events["scenario"] == name],
        baseline=settings.baseline,
        margin=settings.margin,
        expected=int(results.manifest["replications"]),
    )


def _part(results: Results, number: int, compared: Compared, scenario: Scenario | None, settings: _Settings) -> Part:
    key = f"part-{number}"
    name = compared.scenario
    others = results.variants(name)
    variants = {change: _compare(results, other, scenario, settings).rows for change, other in others.items()}
    horizon_ms = scenario.world.horizon_ms if scenario is not None else None
    shown = Shown(
        prefix=key,
        runs=compared.runs.assign(model_calls=compared.runs["main_calls"] + compared.runs["side_calls"]),
        events=compared.events,
        looks=compared.looks,
        rows=compared.rows,
        baseline=compared.baseline,
        horizon_ms=float(horizon_ms if horizon_ms is not None else compared.runs["ended_ms"].max()),
        capped=_capped(compared.rows, variants),
    )
    return Part(
        name=name,
        title=scenario.title if scenario is not None else name,
        description=scenario.description
        if scenario is not None
        else "The scenario file is not at hand, or has changed.",
        arms=compared.looks,
        baseline=compared.baseline,
        replications=compared.arrays.replications,
        facts=facts(scenario, f"{key}-facts"),
        verdicts=verdicts(compared.rows, compared.arms, compared.baseline),
        overview=overview(compared.rows, compared.arms, compared.baseline, f"{key}-overview"),
        details=details(compared.rows, f"{key}-details-table"),
        pictures=pictures(shown),
        worst=worst_runs(compared, scenario, results.manifest, shown.horizon_ms, count=settings.worst, prefix=key),
        assumptions=assumptions(scenario, f"{key}-assumptions-table"),
        changes=changes(
            compared.rows,
            replications=compared.arrays.replications,
            variants=variants,
            baseline=compared.baseline,
        ),
    )


def _capped(rows: Sequence[Row], variants: Mapping[str, Sequence[Row]]) -> dict[float, Sequence[Row]]:
    """Return the rows by the time-out of tools in seconds; inf: as declared."""
    capped = {name: each for name, each in variants.items() if name.startswith("cap=")}
    by_cap = {float(name.removeprefix("cap=").removesuffix("s")): each for name, each in capped.items()}
    return {**by_cap, math.inf: rows}


# --- around the scenarios ---------------------------------------------------------------------------------------------


def _summary(results: Results, parts: Sequence[Part]) -> list[str]:
    manifest = results.manifest
    arms = ", ".join(manifest["strategies"])
    routers = ", ".join(manifest["routers"])
    lines = [
        (
            f"Compared: {arms}, routed {routers}, on the same events, tool times and luck, {manifest['replications']:,}"
            " replications each. Virtual time, mocked models and tools: no real model was called."
        )
    ]
    for part in parts:
        best: dict[str, list[str]] = {"better": [], "worse": []}
        for row in part.overview.rows:
            for arm, cell in zip(part.overview.head[2:], row[2:], strict=True):
                if cell.tone in best:
                    best[cell.tone].append(arm)
        told = ", ".join(
            f"{arm} is better in {best['better'].count(arm)} and worse in {best['worse'].count(arm)}"
            for arm in part.overview.head[2:]
        )
        lines.append(f"{part.title}: of {len(part.overview.rows)} means, against {part.baseline}: {told}.")
    return lines


def _violations(manifest: Mapping[str, Any]) -> Grid:
    """Return one row for each kind of trouble: how often, an example, and the command that shows it."""
    groups: dict[tuple[str, ...], list[Mapping[str, Any]]] = {}
    for kind, listed in (("failed", manifest.get("failures", [])), ("breach", manifest.get("breaches", []))):
        for each in listed:
            name = str(each["what"]).split(" ", 1)[0]
            key = (kind, str(each["scenario"]), str(each["strategy"]), str(each["blame"]), name)
            groups.setdefault(key, []).append(each)
    rows = [
        [
            *(Cell(text=text) for text in key[:4]),
            Cell(text=f"{len(found):,}", number=len(found)),
            Cell(text=str(found[0]["what"])),
            Cell(text=_replay(found[0])),
        ]
        for key, found in groups.items()
    ]
    head = ["kind", "scenario", "strategy", "blame", "times", "the first one", "replay"]
    caption = "Runs that failed, and breaches of invariants by their names, with the command that shows the first one."
    return Grid(ident="violations-table", caption=caption, head=head, rows=rows, chosen_by="strategy", filters=True)


def _replay(found: Mapping[str, Any]) -> str:
    return (
        f"simlab run {found['scenario']} --strategy {found['strategy']} --router {found['router']} "
        f"--seed {found['seed']} --replication {found['replication']}"
    )


def _told(results: Results) -> str:
    failed, breaches = (len(results.manifest.get(key, [])) for key in ("failures", "breaches"))
    return (
        f"Every one of {len(results.runs):,} runs was checked against every invariant: {breaches:,} breaches, "
        f"{failed:,} runs failed. A strategy of which a run failed is left out of the comparison."
    )


def _made_with(manifest: Mapping[str, Any]) -> list[Paragraph]:
    packages = ", ".join(f"{name} {version}" for name, version in manifest.get("packages", {}).items())
    digests = ", ".join(f"{name} {str(digest)[:16]}" for name, digest in manifest["scenarios"].items())
    return [
        Paragraph(head="Version", text=f"simlab {manifest.get('simlab', 'unknown')} with {packages}"),
        Paragraph(head="Seed and replications", text=f"{manifest['seed']}, {manifest['replications']:,}"),
        Paragraph(head="Design", text=f"{manifest.get('design', 'unknown')} (hash of everything but the code)"),
        Paragraph(head="Scenarios (SHA-256)", text=digests),
    ]


def _study(
    results: Results, compared: Sequence[Compared], found: Mapping[str, Scenario | None], settings: _Settings
) -> Study:
    manifest = results.manifest
    known = [scenario for scenario in found.values() if scenario is not None]
    told = [source for scenario in known for source in scenario.sources.values()]
    assumed = sum(source.startswith("assumption") for source in told)
    horizons = {scenario.world.horizon_ms for scenario in known}
    return Study(
        question=QUESTION,
        scenarios=list(found),
        strategies=manifest["strategies"],
        routers=manifest["routers"],
        baseline=compared[0].baseline,
        metrics=list(dict.fromkeys(row.metric for each in compared for row in each.rows)),
        entities=entities(known),
        tools=list(dict.fromkeys(tool.spec.name for scenario in known for tool in scenario.world.tools)),
        sources=len(told) - assumed,
        assumptions=assumed,
        horizon=", ".join("none" if each is None else f"{each / 1000:,.0f} s" for each in horizons) or "unknown",
        replications=int(manifest["replications"]),
        seed=int(manifest["seed"]),
        margin=settings.margin,
        resample=bool(manifest.get("resample", False)),
        packages=manifest.get("packages", {}),
        version=str(manifest.get("simlab", "unknown")),
        command=str(manifest.get("command", "unknown")),
        design=str(manifest.get("design", "unknown")),
    )
