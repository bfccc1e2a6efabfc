"""``simlab fuzz``: random runs until something breaks. ``simlab replay``: a saved failure again."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from simlab.cli import app
from simlab.core.errors import SimlabError

if TYPE_CHECKING:
    from simlab.testing.cases import Case
    from simlab.testing.fuzzing import Tally

_PROGRESS_RUNS = 200


@app.command()
def fuzz(
    strategies: Annotated[str, typer.Option("--strategy", "-s", help="Names, separated by commas, or 'all'.")],
    minutes: Annotated[
        float | None, typer.Option("--minutes", "-m", min=1e-6, help="How long, for each strategy.")
    ] = None,
    runs: Annotated[int | None, typer.Option("--runs", "-n", min=1, help="How many runs of each strategy.")] = None,
    seed: Annotated[int, typer.Option(min=0, help="Root of all random numbers.")] = 0,
    first: Annotated[int, typer.Option(help="Number of the first run.", min=0)] = 0,
    out: Annotated[Path, typer.Option(help="Folder for failures.")] = Path("simlab-failures"),
) -> None:
    """Try random orders of inputs and random worlds, parts of them switched off at random; save what fails."""
    from simlab.experiment.output import check_writable
    from simlab.strategies import STRATEGIES
    from simlab.testing.cases import make_strategy
    from simlab.testing.fuzzing import fuzz as fuzz_strategy

    if minutes is None and runs is None:
        raise SimlabError("fuzz: say how long (--minutes) or how much (--runs)")
    check_writable(out)
    names = STRATEGIES.names() if strategies == "all" else [each.strip() for each in strategies.split(",")]
    for name in names:
        make_strategy(name)
    failures = 0
    for name in names:
        tally = fuzz_strategy(name, seed=seed, first=first, runs=runs, minutes=minutes, folder=out, progress=_show)
        failures += tally.failures
        print(_told(tally), flush=True)
    raise typer.Exit(1 if failures else 0)


def _show(tally: "Tally") -> None:
    if tally.runs % _PROGRESS_RUNS == 0 and sys.stderr.isatty():
        print(f"\r{tally.strategy}: {tally.runs:,} runs, {tally.failures:,} failures", end="\r", file=sys.stderr)


def _told(tally: "Tally") -> str:
    from simlab.testing.known import KNOWN

    numbers = f"seed {tally.seed}, runs {tally.first:,} to {tally.first + tally.runs - 1:,}"
    lines = [f"{tally.strategy}: {tally.failures:,} failures in {tally.runs:,} runs ({numbers})"]
    if tally.strategy in KNOWN:
        lines.append(f"  not counted, the field reports it: {', '.join(sorted(KNOWN[tally.strategy]))}")
    lines += [f"  {name}\n  replay: simlab replay {path}" for name, path in tally.cases.items()]
    return "\n".join(lines)


@app.command()
def replay(file: Annotated[Path, typer.Argument(help="A failure that simlab saved.")]) -> None:
    """Make a saved failure again, tell it, and say whether it still fails."""
    from simlab.core.messages import notation
    from simlab.testing.cases import load_case
    from simlab.testing.cases import replay as run_again

    case = load_case(file)
    record, found = run_again(case)
    print(f"{file}: {case.strategy}, {case.found}")
    print(_schedule(case), end="")
    if record is not None:
        print(f"Trajectory\n  {notation(record.trace.trajectory())}")
    print("Found" if found else "Found nothing: it does not fail any more")
    for each in found:
        print(f"  {each.what}")
    raise typer.Exit(1 if found else 0)


def _schedule(case: "Case") -> str:
    from simlab.testing.cases import WorldRun

    if isinstance(case.run, WorldRun):
        run = case.run
        lines = [f"{each.at_ms:,} ms: {each.id} arrives ({each.type}, {each.intent.kind})" for each in run.world.events]
        lines.append(f"routed {run.router}, seed {run.seed}, replication {run.replication}")
        title = "World"
    else:
        lines, title = [str(move) for move in case.run], "Schedule"
    return "\n  ".join([title, *lines]) + "\n"
