"""``simlab strategies``: what products do. ``simlab axes``: which of their switches matters."""

from dataclasses import fields
from typing import TYPE_CHECKING, Annotated, Any

import typer

from simlab.cli import app

if TYPE_CHECKING:
    from simlab.experiment.axes import Effect


def _table(title: str, columns: list[str]) -> Any:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    table = Table(title=title, title_justify="left", box=SIMPLE_HEAD)
    for column in columns:
        table.add_column(column, overflow="fold")
    return table


def _print(table: Any) -> None:
    from rich.console import Console

    console = Console(soft_wrap=False)
    console.print(table)


@app.command()
def strategies(
    axes: Annotated[bool, typer.Option("--axes", help="Show each as a point of the policy space.")] = False,
) -> None:
    """Show every strategy: what it is, and what it declares; or where it lies in the policy space."""
    _print(_points() if axes else _shipped())


def _shipped() -> Any:
    from simlab.strategies import STRATEGIES

    table = _table("Strategies", ["name", "what it does", "declared departures"])
    for name in STRATEGIES:
        found = STRATEGIES.get(name)
        departures = ", ".join(sorted(str(departure) for departure in found.traits.departures))
        table.add_row(name, (type(found).__doc__ or "-").strip().splitlines()[0], departures or "-")
    return table


def _points() -> Any:
    from simlab.experiment.axes import told
    from simlab.strategies.points import MORE_THAN_A_POINT, POINTS
    from simlab.strategies.space import Policy

    table = _table(
        "The policy space: where each policy differs from the source's queue",
        ["policy", "switches", "more than a point"],
    )
    queue = Policy()
    for name, point in POINTS.items():
        switches = [
            f"{field.name}: {told(getattr(point, field.name))}"
            for field in fields(Policy)
            if getattr(point, field.name) != getattr(queue, field.name)
        ]
        table.add_row(name, "; ".join(switches) or "-", MORE_THAN_A_POINT.get(name, "-"))
    return table


@app.command()
def axes(
    scenario: Annotated[str, typer.Argument(help="A scenario file, or the name of a shipped scenario.")],
    base: Annotated[str, typer.Option(help="The named policy from which one switch is changed at a time.")] = "queue",
    router: Annotated[str, typer.Option("--router", "-r", help="Which handling an event gets.")] = "by_type",
    replications: Annotated[int, typer.Option("--replications", "-n", help="Runs of each change.")] = 50,
    seed: Annotated[int, typer.Option(help="Root of all random numbers.")] = 0,
    only: Annotated[str, typer.Option(help="Axes to change, separated by commas. [default: all]")] = "",
) -> None:
    """Change one switch of a policy at a time and report which one matters, with paired intervals."""
    from simlab.experiment.axes import MEASURES, base_policy, sweep, switches_that_matter
    from simlab.experiment.scenario import load_scenario

    point = base_policy(base)
    world = load_scenario(scenario).world
    chosen = [axis.strip() for axis in only.split(",") if axis.strip()]
    effects = sweep(world, point, router=router, replications=replications, seed=seed, axes=chosen)
    print(f"{scenario}: one switch at a time from {base}, routed {router}, {replications} replications, seed {seed}.")
    print("Differences are changed minus base, paired, with 95 % limits; verdicts are adjusted over the whole sweep.")
    for name in MEASURES:
        matter = switches_that_matter(effects, name)
        _print(_moved(name, effects, [each for each in effects if each.measure == name and not each.is_nothing]))
        words = "; ".join(f"{each.change.axis} = {each.change.label} ({each.outcome})" for each in matter)
        print(f"{name}: {words or 'no switch decides it'}\n")
    print(f"Without any effect: {', '.join(_without_effect(effects)) or 'none'}")


def _moved(name: str, effects: "list[Effect]", moved: "list[Effect]") -> Any:
    base = next(each.base for each in effects if each.measure == name)
    table = _table(f"{name} (base {base:.3g})", ["axis", "value", "difference", "from", "to", "verdict"])
    for each in sorted(moved, key=lambda each: -abs(each.difference.estimate)):
        numbers = (each.difference.estimate, each.difference.low, each.difference.high)
        table.add_row(each.change.axis, each.change.label, *(f"{number:+.3g}" for number in numbers), str(each.outcome))
    return table


def _without_effect(effects: "list[Effect]") -> list[str]:
    moved = {(each.change.axis, each.change.label) for each in effects if not each.is_nothing}
    changes = dict.fromkeys((each.change.axis, each.change.label) for each in effects)
    return [f"{axis} = {label}" for axis, label in changes if (axis, label) not in moved]
