"""``simlab compare``: several strategies on the same events, side by side."""

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

_BETWEEN = 3  # blanks between two columns


@app.command()
def compare(
    scenarios: Annotated[list[str], typer.Argument(help="Scenario files, names of shipped ones, or folders of them.")],
    strategies: Annotated[str, typer.Option("--strategies", "-s", help="Names, separated by commas.")],
    routers: Annotated[str, typer.Option("--routers", "-r", help="Names, separated by commas.")] = "by_type",
    seed: Annotated[int, typer.Option(help="Root of all random numbers.")] = 0,
    out: Annotated[Path | None, typer.Option(help="Folder for the figure and the tables.")] = None,
) -> None:
    """Run every strategy with every router on the same events and show them side by side."""
    from simlab.experiment.comparison import cells, merge_routers, run_all
    from simlab.experiment.output import check_writable
    from simlab.experiment.scenario import load_scenarios

    loaded = load_scenarios(scenarios)
    todo = cells(loaded, _names(strategies, "--strategies"), _names(routers, "--routers"), seed=seed)
    if out is not None:
        check_writable(out)
    results = list(run_all(todo))
    outcomes = merge_routers([result.outcome for result in results])
    for table in _on_screen(outcomes):
        _print_table(table)
    _print_breaches(results)
    if out is not None:
        _write(out, outcomes, [result.outcome for result in results])


def _names(text: str, option: str) -> list[str]:
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


def _print_table(table: "TextTable") -> None:
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
    from simlab.analysis.charts import draw_comparison
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
