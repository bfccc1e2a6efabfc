"""``simlab map`` and ``simlab sensitivity``: where the answer changes, and what moves it."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from simlab.cli import app
from simlab.cli.progress import Bar

if TYPE_CHECKING:
    import pandas as pd

    from simlab.experiment.mapping import MapPlan


@app.command(name="map")
def map_(
    scenario: Annotated[str, typer.Argument(help="A scenario file, or the name of a shipped one.")],
    x: Annotated[str, typer.Option("--x", help="PARAM=from:to:count or PARAM=v1,v2: a key path, or hazards.NAME.")],
    y: Annotated[str, typer.Option("--y", help="The same, for the other axis.")],
    metric: Annotated[str, typer.Option(help="A column of the runs, or response:KIND, acted:KIND, wait:KIND.")],
    strategies: Annotated[str, typer.Option("--strategies", "-s", help="Names, separated by commas.")],
    router: Annotated[str, typer.Option("--router", "-r", help="One router.")] = "oracle",
    replications: Annotated[int, typer.Option("--replications", "-n", help="Runs of each strategy in a cell.")] = 200,
    seed: Annotated[int, typer.Option(help="Root of all random numbers.")] = 0,
    jobs: Annotated[int, typer.Option("--jobs", "-j", min=1, help="Processes. The map does not depend on it.")] = 1,
    higher_is_better: Annotated[bool, typer.Option(help="Whether more of the metric is better.")] = False,
    out: Annotated[Path, typer.Option(help="Folder for the cells, the table and the figure.")] = Path("map"),
) -> None:
    """Draw which strategy wins where, over two parameters. Stopped, it continues with the same command.

    Cells in which no lead is shown are hatched; the false discovery rate over all cells is held at 5 %.
    """
    from simlab.cli.compare import names_of
    from simlab.experiment.levels import read_axis
    from simlab.experiment.mapping import MapPlan, make_map
    from simlab.experiment.output import check_writable
    from simlab.experiment.scenario import load_scenario

    check_writable(out)
    plan = MapPlan(
        scenario=load_scenario(scenario),
        x=read_axis(x, "--x"),
        y=read_axis(y, "--y"),
        metric=metric,
        strategies=tuple(names_of(strategies, "--strategies")),
        router=router,
        replications=replications,
        seed=seed,
        higher_is_better=higher_is_better,
    )
    with Bar("cells", len(plan.cells())) as bar:
        frame = make_map(plan, out / "cells", jobs=jobs, progress=bar.advance)
    _tell(plan, frame)
    _write(plan, frame, out)


def _tell(plan: "MapPlan", frame: "pd.DataFrame") -> None:
    decided = frame[frame["decided"]]
    print(f"{plan.scenario.name}: {plan.metric}, {len(frame)} cells, {plan.replications} replications each")
    for strategy in plan.strategies:
        print(f"  {strategy}: wins {int((decided['winner'] == strategy).sum())} cells")
    print(f"  undecided: {len(frame) - len(decided)} cells (false discovery rate 5 % over the map)")


def _write(plan: "MapPlan", frame: "pd.DataFrame", out: Path) -> None:
    from simlab.analysis.charts.decision_map import decision_map
    from simlab.analysis.charts.figure import new_figure, writer
    from simlab.analysis.style import looks
    from simlab.experiment.output import write_set
    from simlab.experiment.store import csv_writer

    def draw():  # type: ignore[no-untyped-def]
        figure = new_figure(7.5, 6)
        axis = figure.subplots()
        look = dict(zip(plan.strategies, looks([(name, name) for name in plan.strategies]), strict=True))
        decision_map(axis, frame, look, x_label=plan.x.parameter, y_label=plan.y.parameter)
        axis.set_title(f"{plan.scenario.name}: best in {plan.metric}", fontsize=10)
        figure.legend(*axis.get_legend_handles_labels(), loc="outside lower center", ncols=4, frameon=False, fontsize=9)
        return figure

    written = write_set(out, {"map.csv": csv_writer(frame), "map.png": writer(draw)})
    print("written: " + ", ".join(str(path) for path in written))


@app.command()
def sensitivity(
    scenario: Annotated[str, typer.Argument(help="A scenario file, or the name of a shipped one.")],
    metric: Annotated[str, typer.Option(help="A column of the runs, or response:KIND, acted:KIND, wait:KIND.")],
    strategies: Annotated[str, typer.Option("--strategies", "-s", help="Two names: first minus second.")],
    router: Annotated[str, typer.Option("--router", "-r", help="One router.")] = "oracle",
    replications: Annotated[int, typer.Option("--replications", "-n", help="Runs of each strategy at a point.")] = 50,
    trajectories: Annotated[int, typer.Option(min=2, help="Trajectories of Morris's screening.")] = 10,
    sobol: Annotated[int, typer.Option(help="Instead of Morris: Sobol's indices with this base, a power of two.")] = 0,
    seed: Annotated[int, typer.Option(help="Root of all random numbers.")] = 0,
) -> None:
    """Say which assumed parameters move the difference between two strategies, the most influential first."""
    from simlab.cli.compare import names_of
    from simlab.core.errors import SimlabError
    from simlab.experiment.scenario import load_scenario
    from simlab.experiment.screening import Screening, assumed_ranges, attribute, screen

    named = names_of(strategies, "--strategies")
    if len(named) != 2:
        raise SimlabError(f"--strategies {strategies!r}: exactly two are needed, for a difference")
    loaded = load_scenario(scenario)
    ranges = assumed_ranges(loaded)
    screening = Screening(
        scenario=loaded,
        metric=metric,
        strategies=(named[0], named[1]),
        router=router,
        replications=replications,
        seed=seed,
        ranges=ranges,
    )
    points = sobol * (len(ranges) + 2) if sobol else trajectories * (len(ranges) + 1)
    print(f"{loaded.name}: {metric}, {named[0]} minus {named[1]}; {len(ranges)} assumed parameters, {points} points")
    with Bar("points", points) as bar:
        if sobol:
            for index in attribute(screening, base=sobol, progress=bar.advance):
                print(f"  {index.parameter}: total {index.total.estimate:.2f}, first {index.first.estimate:.2f}")
        else:
            for each in screen(screening, trajectories=trajectories, progress=bar.advance):
                low, high = ranges[each.parameter]
                star = each.mu_star
                print(
                    f"  {each.parameter} in [{low:g}, {high:g}]: moves it by {star.estimate:.3g} "
                    f"[{star.low:.3g}, {star.high:.3g}], on average {each.mu:+.3g}"
                )
