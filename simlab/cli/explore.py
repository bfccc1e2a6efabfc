"""``simlab explore``: every placement of a few events. ``simlab phase``: one event, swept over the run."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from simlab.cli import app
from simlab.core.errors import SimlabError

if TYPE_CHECKING:
    from simlab.testing.exploring import Exploration

_PROGRESS_RUNS = 500


@app.command()
def explore(
    scenario: Annotated[str, typer.Argument(help="A scripted scenario: a file, or the name of a shipped one.")],
    strategy: Annotated[str, typer.Option("--strategy", "-s", help="What the agent does with events.")],
    events: Annotated[int, typer.Option("--events", "-k", help="How many events are placed.", min=1)] = 1,
    router: Annotated[str, typer.Option("--router", "-r", help="Which handling an event gets.")] = "by_type",
) -> None:
    """Place events at every distinct instant of a small scenario and check every invariant."""
    from simlab.experiment.scenario import load_scenario
    from simlab.testing.exploring import explore as explore_world

    found = load_scenario(scenario)
    done = explore_world(found.world, strategy, events=events, router=router, progress=_show)
    if sys.stderr.isatty():
        print(file=sys.stderr)
    print(f"{found.name}: {strategy}, routed {router}, {events} {'event' if events == 1 else 'events'} placed")
    print(f"  kinds of events: {', '.join(f'{each.id} ({each.type}, {each.intent.kind})' for each in done.kinds)}")
    print(f"  distinct instants of the undisturbed run: {done.instants}")
    raise typer.Exit(_tell(done))


def _show(done: "Exploration") -> None:
    if done.runs % _PROGRESS_RUNS == 0 and sys.stderr.isatty():
        print(f"\r{done.runs:,} runs, {done.placements:,} full placements", end="", file=sys.stderr, flush=True)


def _tell(done: "Exploration") -> int:
    if done.broken is None or done.run is None:
        print(f"  no violation in {done.placements:,} placements ({done.runs:,} runs with those of fewer events)")
        print(
            f"  not explored: {done.not_run:,} of {done.stands_for:,} placements in whole milliseconds; they lie "
            "between two instants, where the one in the middle stands for them"
        )
        return 0
    from simlab.testing.cases import Case, save_case

    print(f"  violation after {done.runs:,} runs; the smallest placement:")
    for placed in done.broken:
        print(f"    {placed}")
    for found in done.found:
        print(f"  {found.what}")
    case = Case(strategy=done.strategy, run=done.run, found=done.found[0].name, what=done.found[0].what)
    print(f"  replay: simlab replay {save_case(case)}")
    return 1


@app.command()
def phase(
    scenario: Annotated[str, typer.Argument(help="A scripted scenario: a file, or the name of a shipped one.")],
    strategies: Annotated[str, typer.Option("--strategy", "-s", help="Names, separated by commas.")],
    event: Annotated[str, typer.Option("--event", "-e", help="The scripted event whose arrival is swept.")],
    step_ms: Annotated[int, typer.Option("--step-ms", help="Milliseconds between two arrivals.", min=1)] = 100,
    router: Annotated[str, typer.Option("--router", "-r", help="Which handling an event gets.")] = "by_type",
    out: Annotated[Path | None, typer.Option(help="Folder for the figure and the table.")] = None,
) -> None:
    """Sweep one event's arrival over the run and show what becomes of it under each strategy."""
    from simlab.experiment import phases
    from simlab.experiment.output import check_writable
    from simlab.experiment.scenario import load_scenario

    names = tuple(dict.fromkeys(name.strip() for name in strategies.split(",") if name.strip()))
    if not names:
        raise SimlabError("--strategy: expected names, separated by commas")
    if out is not None:
        check_writable(out)
    found = load_scenario(scenario)
    world, swept = found.world, phases.find_event(found.world, event)
    points = list(phases.phase_response(world, swept, names, step_ms=step_ms, router=router))
    print(phases.summary(points, names))
    if out is not None:
        from simlab.experiment.phase_figure import write_phase

        title = f"{found.title}: {event} arrives at another instant"
        for path in write_phase(out, points, phases.phases_of(phases.without(world, swept)), title=title):
            print(path)
