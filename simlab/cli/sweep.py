"""``simlab sweep``, ``best``, ``query``, ``rerun``: experiments that scale, and what they leave behind."""

import math
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from simlab.cli import app
from simlab.core.errors import SimlabError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from simlab.experiment.rerunning import Account
    from simlab.experiment.runner import Found
    from simlab.experiment.selecting import Race
    from simlab.experiment.sweeping import Made

_MOST_TROUBLES = 5

Jobs = Annotated[
    int | None,
    typer.Option("--jobs", "-j", help="Processes; the results do not depend on it. [default: all cores]"),
]


def _jobs(jobs: int | None) -> int:
    if jobs is not None and jobs < 1:
        raise SimlabError(f"--jobs {jobs}: at least 1")
    return jobs or len(os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else range(os.cpu_count() or 1))


@app.command()
def sweep(
    design: Annotated[Path, typer.Argument(help="A sweep file (TOML): scenarios, strategies, routers, parameters.")],
    out: Annotated[
        Path | None, typer.Option(help="Folder for the results. [default: results/ and the name of the file]")
    ] = None,
    jobs: Jobs = None,
    backend: Annotated[str, typer.Option(help="serial, processes or dask.")] = "processes",
    scheduler: Annotated[
        str | None, typer.Option(help="Address of a Dask scheduler. [default: a cluster of local processes]")
    ] = None,
    shard: Annotated[str, typer.Option(help="k/N: only every N-th chunk, for plain batch queues.")] = "1/1",
) -> None:
    """Run a whole design, chunk by chunk; stopped at any time, the same command goes on from there."""
    from simlab.cli.progress import Bar
    from simlab.experiment.sweep import read_sweep
    from simlab.experiment.sweeping import parse_shard, run_sweep

    part = parse_shard(shard)
    found = read_sweep(design)
    folder = out if out is not None else Path("results") / design.stem
    with Bar("runs", found.places * found.replications * found.arms // part.count) as bar:
        made = run_sweep(
            found,
            design,
            folder,
            backend=backend,
            jobs=_jobs(jobs),
            scheduler=scheduler,
            shard=part,
            progress=bar.advance,
        )
    _tell_made(made, folder)
    raise typer.Exit(1 if made.failures or any(each.blame != "model" for each in made.breaches) else 0)


def _chunks(number: int) -> str:
    return f"{number:,} {'chunk' if number == 1 else 'chunks'}"


def _tell_made(made: "Made", folder: Path) -> None:
    print(
        f"{_chunks(made.made)} made, {made.found:,} found; {made.runs:,} runs in {folder}, "
        f"{'complete' if made.complete else 'not complete'}"
    )
    print(f"{len(made.failures):,} runs failed, {len(made.breaches):,} breaches of invariants")
    _tell_troubles((*made.failures, *made.breaches))


def _tell_troubles(troubles: "Sequence[Found]") -> None:
    for trouble in troubles[:_MOST_TROUBLES]:
        print(
            f"  {trouble.scenario}, {trouble.strategy}, seed {trouble.seed}: {trouble.what}; replay: {trouble.replay}"
        )
    if len(troubles) > _MOST_TROUBLES:
        print(f"  and {len(troubles) - _MOST_TROUBLES:,} more, in the manifest")


@app.command()
def best(
    scenario: Annotated[str, typer.Argument(help="A scenario, or a variant of one.")],
    strategies: Annotated[str, typer.Option("--strategies", "-s", help="Names, separated by commas.")],
    metric: Annotated[
        str,
        typer.Option("--metric", "-m", help="A column of the runs, or response:KIND, acted:KIND, wait:KIND."),
    ],
    indifference: Annotated[float, typer.Option(help="The smallest difference of means that matters.")],
    router: Annotated[str, typer.Option("--router", "-r", help="Which handling an event gets.")] = "by_type",
    confidence: Annotated[float, typer.Option(help="Probability of picking the best, above 0.5.")] = 0.95,
    higher: Annotated[bool, typer.Option("--higher-is-better", help="The metric is better when it is higher.")] = False,
    seed: Annotated[int, typer.Option(help="Root of all random numbers.")] = 0,
    most_runs: Annotated[int, typer.Option(help="Give up after so many runs.")] = 1_000_000,
    jobs: Jobs = None,
) -> None:
    """Pick the best strategy for a metric with a stated probability, spending runs where they matter (KN)."""
    from simlab.analysis.stats.selection import SelectionPlan
    from simlab.cli.compare import names_of
    from simlab.experiment.design import Design, World
    from simlab.experiment.selecting import BATCH, pick_best
    from simlab.experiment.variants import load_variant

    if not 0 < indifference < math.inf:
        raise SimlabError(f"--indifference {indifference:g}: expected a difference above 0, in the metric's unit")
    if not 0.5 < confidence < 1:
        raise SimlabError(f"--confidence {confidence:g}: expected a probability between 0.5 and 1")
    found = load_variant(scenario)
    plan = SelectionPlan(
        indifference=indifference,
        alpha=round(1 - confidence, 12),
        first_runs=20,
        chunk_runs=20,
        higher_is_better=higher,
    )
    design = Design(
        worlds=(World.of(found),),
        strategies=tuple(names_of(strategies, "--strategies")),
        routers=(router,),
        replications=1,
        seed=seed,
    )
    race = pick_best(design, metric, plan, jobs=_jobs(jobs), most_runs=most_runs)
    _tell_race(race, metric, plan.indifference, confidence, BATCH)


def _tell_race(race: "Race", metric: str, indifference: float, confidence: float, batch: int) -> None:
    from simlab.cli.text import columns

    gone = {each.name: each for each in race.selection.eliminations}
    rows = [("strategy", f"mean {metric}", "replications", "left the race")]
    for name, mean in race.means.items():
        left = gone.get(name)
        told = f"after {left.n * batch:,}, behind {left.rival}" if left is not None else "-"
        rows.append((name, f"{mean:.6g}", f"{race.replications[name]:,}", told))
    print(columns(rows, right=frozenset({1, 2})))
    print(
        f"best: {race.selection.best} ({race.runs:,} runs). With probability {confidence:g} it is the best, "
        f"or within {indifference:g} of it (Kim and Nelson 2001, on means of {batch} replications)."
    )


@app.command()
def query(
    folder: Annotated[Path, typer.Argument(help="A folder of results.")],
    sql: Annotated[str, typer.Argument(help="SQL, with the tables runs and events.")],
    csv: Annotated[bool, typer.Option("--csv", help="As CSV rather than as a table.")] = False,
    partial: Annotated[bool, typer.Option(help="Also from a sweep that is not complete.")] = False,
) -> None:
    """Ask results in SQL (needs the extra simlab[duckdb])."""
    from simlab.experiment.results import query as ask

    names, rows = ask(folder, sql, partial=partial)
    if csv:
        _write_csv(names, rows)
        return
    from simlab.cli.text import columns

    numbers = frozenset(place for place in range(len(names)) if all(_is_number(row[place]) for row in rows))
    print(columns([names, *([_cell(value) for value in row] for row in rows)], indent="", right=numbers))


def _write_csv(names: list[str], rows: list[tuple[Any, ...]]) -> None:
    import csv

    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(names)
    writer.writerows(rows)


def _is_number(value: object) -> bool:
    return value is None or (isinstance(value, int | float) and not isinstance(value, bool))


def _cell(value: object) -> str:
    if value is None:
        return "-"
    return f"{value:.6g}" if isinstance(value, float) else str(value)


@app.command()
def rerun(
    folder: Annotated[Path, typer.Argument(help="A folder that `simlab sweep` wrote.")],
    chunks: Annotated[
        int | None, typer.Option(min=1, help="Only so many chunks, spread evenly. [default: all]")
    ] = None,
    jobs: Jobs = None,
) -> None:
    """Make stored results again: the same bytes, or an account of what has changed."""
    from simlab.experiment.rerunning import rerun as make_again

    account = make_again(folder, jobs=_jobs(jobs), most=chunks)
    for change in account.changes:
        print(change)
    if account.same:
        print(f"{_chunks(account.looked_at)} made again: the same bytes")
        return
    _tell_differences(account)
    raise typer.Exit(1)


def _tell_differences(account: "Account") -> None:
    chunks = len({each.key for each in account.differences})
    print(f"{chunks:,} of {_chunks(account.looked_at)} made again {'differs' if chunks == 1 else 'differ'}")
    for each in account.differences[:_MOST_TROUBLES]:
        if each.columns:
            told = ", ".join(f"{name} in {rows:,}" for name, rows in each.columns.items())
            print(f"  {each.table} {each.key}: {each.rows[0]:,} rows now, {each.rows[1]:,} then; differing: {told}")
        else:
            print(f"  {each.table} {each.key}: the same values, written by another version of the file format")
