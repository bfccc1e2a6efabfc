"""What a report says of scenarios, strategies and routers: facts of the files, in tables."""

from collections.abc import Iterable, Sequence
from typing import Final

from simlab.analysis.report.values import Cell, Grid
from simlab.core.errors import SimlabError
from simlab.experiment.scenario import Scenario
from simlab.routers import ROUTERS
from simlab.sim.laws import Law
from simlab.sim.spec import ToolModel, WorldSpec
from simlab.strategies import STRATEGIES

ASSUMPTION: Final = "assumption"


def facts(scenario: Scenario | None, ident: str) -> Grid:
    """Return the table of a scenario's tools; times are those of an undisturbed run."""
    head = ["tool", "kind", "median", "p99", "time-out", "fails", "can be stopped"]
    rows = [_tool(tool) for tool in scenario.world.tools] if scenario is not None else []
    told = _told(scenario.world) if scenario is not None else "Nothing is known of the scenario."
    return Grid(ident=ident, caption=told, head=head, rows=rows)


def _told(world: WorldSpec) -> str:
    counted = [
        (len(world.events), "scripted event"),
        (len(world.placed), "event that lands while a task is under way"),
        (len(world.streams), "stream of events"),
        (len(world.sessions), "kind of session"),
    ]
    events = ", ".join(
        f"{count} {what}{'s' if count > 1 and ' ' not in what else ''}" for count, what in counted if count
    )
    horizon = "none" if world.horizon_ms is None else f"{world.horizon_ms / 1000:,.0f} s"
    model = "constant" if world.model.call_ms is not None else "time to first token, prefill and decoding"
    return f"Events: {events or 'none'}. Horizon: {horizon}. Length of a model call: {model}. Tools:"


def _tool(tool: ToolModel) -> list[Cell]:
    spec = tool.spec
    timeout = "none" if tool.timeout_ms is None else f"{tool.timeout_ms / 1000:,.0f} s"
    kind = str(spec.kind) + (", irreversible" if spec.irreversible else "")
    return [
        Cell(text=spec.name),
        Cell(text=kind),
        _time(tool.run_ms, 0.5),
        _time(tool.run_ms, 0.99),
        Cell(text=timeout, number=tool.timeout_ms),
        Cell(text=f"{tool.failure:.0%}", number=tool.failure),
        Cell(text=tool.cancel_points.value),
    ]


def _time(law: Law, probability: float) -> Cell:
    value_ms = law.quantile(probability)
    text = f"{value_ms:,.0f} ms" if value_ms < 1000 else f"{value_ms / 1000:,.1f} s"
    return Cell(text=text, number=value_ms)


def entities(scenarios: Iterable[Scenario]) -> str:
    """Say which events there are."""
    kinds: dict[str, None] = {}
    for scenario in scenarios:
        kinds |= {str(event.intent.kind): None for event in scenario.world.events}
        kinds |= {str(event.intent.kind): None for each in scenario.world.placed for _, event in each.variants}
    return f"Entities: events ({', '.join(kinds) or 'by law'}), tasks, calls."


def assumptions(scenario: Scenario | None, ident: str) -> Grid:
    """Return where every value of a scenario comes from."""
    sources = scenario.sources if scenario is not None else {}
    rows = []
    for path, source in sources.items():
        assumed = source.startswith(ASSUMPTION)
        told = source.removeprefix(ASSUMPTION).lstrip(": ") if assumed else source
        rows.append([Cell(text=path), Cell(text="assumption" if assumed else "source"), Cell(text=told)])
    return Grid(
        ident=ident,
        caption="Key paths of the scenario file, and where their values come from.",
        head=["value", "status", "where it comes from"],
        rows=rows,
        chosen_by="status" if rows else "",
        filters=bool(rows),
    )


def strategies_grid(strategies: Sequence[str], routers: Sequence[str]) -> Grid:
    """Return what each strategy and router does, in its own words, and what it departs from."""
    rows = []
    for name in strategies:
        try:
            found = STRATEGIES.get(name)
        except SimlabError as error:
            rows.append([Cell(text=name), Cell(text="strategy"), Cell(text=str(error)), Cell(text="-")])
            continue
        departures = ", ".join(sorted(str(each) for each in found.traits.departures)) or "none"
        rows.append([Cell(text=name), Cell(text="strategy"), Cell(text=_first_line(found)), Cell(text=departures)])
    for name in routers:
        try:
            told = _first_line(ROUTERS.get(name))
        except SimlabError as error:
            told = str(error)
        rows.append([Cell(text=name), Cell(text="router"), Cell(text=told), Cell(text="-")])
    caption = "What each one does, and the rules from which it departs on purpose."
    head = ["name", "what", "what it does", "declared departures"]
    return Grid(ident="strategies-table", caption=caption, head=head, rows=rows)


def _first_line(plugin: object) -> str:
    return (type(plugin).__doc__ or "").strip().partition("\n")[0]
