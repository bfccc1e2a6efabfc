"""``simlab compare``: several strategies on the same events, side by side."""

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from simlab.cli import app
from simlab.core.errors import SimlabError

if TYPE_CHECKING:
    from simlab.analysis.outcome import Outcome
    from simlab.analysis.tables import TextTable
    from simlab.experiment.comparison import Result

_REPLICATIONS = 200
_NOT_OF_THE_RESULT = ("--jobs", "-j", "--out", "--pairs")
_BETWEEN = 3  # blanks between two columns


@app.command()
def compare(
    scenarios: Annotated[list[str], typer.Argument(help="Scenario files, names of shipped ones, or folders of them.")],
    strategies: Annotated[str, typer.Option("--strategies", "-s", help="Names, separated by commas.")],
    routers: Annotated[str, typer.Option("--routers", "-r", help="Names, separated by commas.")] = "by_type",
    replications: Annotated[
        int | None,
        typer.Option("--replications", "-n", help="Runs of each. [default: 1 if nothing is random, else 200]"),
    ] = None,
    seed: Annotated[int, typer.Option(help="Root of all random numbers.")] = 0,
    jobs: Annotated[int, typer.Option("--jobs", "-j", min=1, help="Processes. The results do not depend on it.")] = 1,
    baseline: Annotated[
        str | None, typer.Option(help="What the others are compared with. [default: the first]")
    ] = None,
    margin: Annotated[
        float, typer.Option(help="Share of the baseline below which a difference does not matter.")
    ] = 0.02,
    tool_cap: Annotated[
        str | None, typer.Option(help="Also with these time-outs of tools, in seconds: 120,600,1800.")
    ] = None,
    resample: Annotated[
        bool, typer.Option(help="Also with repeated work drawn anew; verdicts that turn are shown.")
    ] = False,
    hazards: Annotated[
        str | None,
        typer.Option(help="With the model's faults: conservative, default or stress; rankings under all three."),
    ] = None,
    out: Annotated[Path | None, typer.Option(help="Folder for the figure and the tables.")] = None,
) -> None:
    """Run every strategy with every router on the same events and show them side by side."""
    from simlab.cli.population import compare_many, parse_caps
    from simlab.experiment.comparison import cells, merge_routers, run_all
    from simlab.experiment.output import check_writable
    from simlab.experiment.population import is_scripted
    from simlab.experiment.scenario import load_scenarios

    loaded = load_scenarios(scenarios)
    if replications is None and (
        tool_cap or resample or hazards or not all(is_scripted(each.world) for each in loaded)
    ):
        replications = _REPLICATIONS
    if replications is not None:
        code = compare_many(
            loaded,
            strategies=names_of(strategies, "--strategies"),
            routers=names_of(routers, "--routers"),
            replications=replications,
            seed=seed,
            jobs=jobs,
            baseline=baseline,
            margin=margin,
            tool_caps_s=parse_caps(tool_cap),
            resample=resample,
            hazards=hazards,
            out=out,
            command=_command(),
        )
        raise typer.Exit(code)
    todo = cells(loaded, names_of(strategies, "--strategies"), names_of(routers, "--routers"), seed=seed)
    if out is not None:
        check_writable(out)
    results = list(run_all(todo))
    outcomes = merge_routers([result.outcome for result in results])
    for table in _on_screen(outcomes):
        print_table(table)
    _print_breaches(results)
    if out is not None:
        _write(out, outcomes, [result.outcome for result in results])


def _command() -> str:
    """Return the command as typed, without what does not change the results."""
    kept: list[str] = []
    skip = False
    for word in sys.argv[1:]:
        if skip:
            skip = False
        elif word in _NOT_OF_THE_RESULT:
            skip = True
        elif not word.startswith(tuple(f"{option}=" for option in _NOT_OF_THE_RESULT)):
            kept.append(word)
    return " ".join(["simlab", *kept])


def names_of(text: str, option: str) -> list[str]:
    """Read names separated by commas, each once. Raises SimlabError if there is none."""
    names = list(dict.fromkeys(name.strip() for name in text.split(",") if name.strip()))
    if not names:
        raise SimlabError(f"{option}: names at least one; `simlab list` shows them")
    return names


def _on_screen(outcomes: "Sequence[Outcome]") -> "list[TextTable]":
    from simlab.analysis.tables import detail, matrix, totals

    scenarios = list(dict.fromkeys(outcome.scenario for outcome in outcomes))
    if len(scenarios) == 1:
        return [detail(scenarios[0], outcomes)]
    return [matrix(outcomes), totals(outcomes)]


def print_table(table: "TextTable") -> None:
    """Print a table; heads break between words, cells never."""
    from rich import box
    from rich.console import Console
    from rich.table import Table

    made = Table(title=table.title, title_justify="left", header_style="bold", box=box.SIMPLE_HEAD, pad_edge=False)
    needed = 0
    for place, name in enumerate(table.head):
        width = max(len(text) for text in (*name.split(), *(row[place] for row in table.rows)))
        needed += width + _BETWEEN
        made.add_column(name, justify="right" if place else "left", width=width)
    for row in table.rows:
        made.add_row(*row)
    Console(width=max(needed + 2, len(table.title))).print(made)


def _print_breaches(results: "Sequence[Result]") -> None:
    broken = [result for result in results if result.breaches]
    print(f"{len(results)} runs; invariants breached in {len(broken) or 'none'}")
    for result in broken:
        blamed = ", ".join(sorted({f"{each.invariant} [{each.blame}]" for each in result.breaches}))
        print(f"  {result.cell.scenario.name}, {result.cell.strategy}: {blamed}; replay: {result.cell.replay}")


def _write(out: Path, merged: "Sequence[Outcome]", outcomes: "Sequence[Outcome]") -> None:
    from simlab.analysis.charts.single import draw_comparison
    from simlab.analysis.tables import csv_text, detail, matrix, totals
    from simlab.experiment.output import write_set

    scenarios = list(dict.fromkeys(outcome.scenario for outcome in merged))
    tables = [totals(merged), matrix(merged), *(detail(name, merged) for name in scenarios)]
    markdown = "\n".join(table.markdown() for table in tables)
    written = write_set(
        out,
        {
            "comparison.png": lambda path: draw_comparison(merged, path),
            "comparison.csv": lambda path: _save(path, csv_text(outcomes)),
            "comparison.md": lambda path: _save(path, markdown),
        },
    )
    print("written: " + ", ".join(str(path) for path in written))


def _save(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8")
