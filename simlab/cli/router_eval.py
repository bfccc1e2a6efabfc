"""``simlab router-eval``: your router on your messages, and what it costs in a scenario."""

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from simlab.cli import app

if TYPE_CHECKING:
    from simlab.analysis.confusion import Confusion
    from simlab.analysis.stats.values import Interval
    from simlab.analysis.tables import TextTable
    from simlab.experiment.router_eval import Cost, Estimate, Labelled, Measured


@app.command(name="router-eval")
def router_eval(
    messages: Annotated[str, typer.Argument(help="CSV: text, handling[, predicted][, latency_ms]; or `shipped`.")],
    router: Annotated[
        str | None, typer.Option("--router", "-r", help="Name or file. [default: the file's own predictions]")
    ] = None,
    against: Annotated[str, typer.Option(help="The router to compare with, measured on the same messages.")] = "rules",
    scenario: Annotated[str, typer.Option(help="The scenario in which it is tried.")] = "coding-assistant",
    strategy: Annotated[str, typer.Option("--strategy", "-s", help="What follows its verdicts.")] = "routed",
    split: Annotated[str, typer.Option(help="Only rows with this value in a column `split`.")] = "",
    latency_ms: Annotated[float | None, typer.Option(min=0, help="Its latency, instead of the measured one.")] = None,
    replications: Annotated[int, typer.Option("--replications", "-n", help="Runs of each.")] = 200,
    seed: Annotated[int, typer.Option(help="Root of all random numbers.")] = 0,
    out: Annotated[Path | None, typer.Option(help="Folder for the tables, as Markdown.")] = None,
) -> None:
    """Measure a router on labelled messages, then show what its errors and its latency cost."""
    from simlab.cli.compare import print_table
    from simlab.experiment.output import check_writable
    from simlab.experiment.router_eval import costs, measure_file, measure_router
    from simlab.experiment.routing import find_router
    from simlab.experiment.scenario import load_scenario

    if out is not None:
        check_writable(out)
    rows = _rows(messages, split)
    found = (
        measure_file(rows, Path(messages).stem, latency_ms)
        if router is None
        else measure_router(rows, find_router(router), seed=seed, latency_ms=latency_ms)
    )
    reference = measure_router(rows, find_router(against), seed=seed)
    world = load_scenario(scenario)
    told = costs(world.world, found, reference, strategy=strategy, replications=replications, seed=seed)
    tables = [
        _matrix(found),
        _rates(found, reference),
        *_groups(rows, found),
        _costs(told, found, reference, f"{world.name}, {strategy}, {replications:,} replications"),
        _curve(told, found, reference),
    ]
    for table in tables:
        print_table(table)
    print(_METHOD)
    if out is not None:
        _write(out, f"{Path(found.name).stem}.md", tables)


_METHOD = """\
Rates: Wilson's 95 % intervals. Differences: same events and luck, 95 % percentile bootstrap over replications.
Break-even: all kinds of errors scaled alike at this latency; the accuracy (on this mix of messages) at which the
difference is 0. '> 1': worse even without an error; '< 0.5': better at every accuracy tried. Its interval is that of
the simulation, not of the measured accuracy. Lower is better in every measure."""


def _rows(messages: str, split: str) -> "list[Labelled]":
    from simlab.core.errors import SimlabError
    from simlab.experiment.router_eval import read_messages
    from simlab.routers import messages as shipped

    path = Path(shipped.__file__).parent / "data" / "messages.csv" if messages == "shipped" else Path(messages)
    rows = read_messages(path)
    wanted = split or ("test" if messages == "shipped" else "")
    chosen = [row for row in rows if not wanted or row.groups.get("split") == wanted]
    if not chosen:
        raise SimlabError(f"--split {wanted!r}: no such row in {messages}")
    return chosen


def _interval(found: "Interval") -> str:
    return f"{found.estimate:.3f} [{found.low:.3f}, {found.high:.3f}]"


def _matrix(found: "Measured") -> "TextTable":
    from simlab.analysis.tables import TextTable
    from simlab.core.events import Handling

    matrix = found.confusion
    return TextTable(
        title=f"{found.name}: {matrix.total} messages; share of each true handling that was said to be ...",
        head=["truly", "messages", *(each.value for each in Handling)],
        rows=[
            [true.value, str(matrix.count(true)), *(_cell(matrix, true, said) for said in Handling)]
            for true in Handling
        ],
    )


def _cell(matrix: "Confusion", true: "object", said: "object") -> str:
    from simlab.core.events import Handling

    assert isinstance(true, Handling)
    assert isinstance(said, Handling)
    return f"{matrix.count(true, said)}: {_interval(matrix.share(true, said))}"


def _rates(found: "Measured", reference: "Measured") -> "TextTable":
    from simlab.analysis.tables import TextTable

    arms = [found] if found.name == reference.name else [found, reference]
    return TextTable(
        title="Rates",
        head=["router", "accuracy", "urgent recall", "false alarms", "median latency, ms"],
        rows=[
            [
                arm.name,
                _interval(arm.confusion.accuracy),
                _interval(arm.confusion.urgent_recall),
                _interval(arm.confusion.false_alarms),
                f"{arm.latency.quantile(0.5):.0f}",
            ]
            for arm in arms
        ],
    )


def _groups(rows: "list[Labelled]", found: "Measured") -> "list[TextTable]":
    from simlab.analysis.stats.intervals import wilson
    from simlab.analysis.tables import TextTable
    from simlab.experiment.router_eval import by_group

    groups = [
        [column, value or "none", str(total), _interval(wilson(right, total))]
        for column, value, right, total in by_group(rows, found)
    ]
    if not groups:
        return []
    return [TextTable(title="By the columns of the file", head=["column", "value", "messages", "right"], rows=groups)]


def _costs(told: "list[Cost]", found: "Measured", reference: "Measured", where: str) -> "TextTable":
    from simlab.analysis.tables import TextTable

    return TextTable(
        title=f"What it costs: {where}",
        head=["measure", f"{reference.name} (reference)", found.name, "difference", "break-even accuracy"],
        rows=[
            [
                each.measure,
                f"{each.reference:.3g}",
                f"{each.router:.3g}",
                _signed(each.difference),
                _accuracy(each.break_even),
            ]
            for each in told
        ],
    )


def _signed(estimate: "Estimate") -> str:
    if math.isnan(estimate.value):
        return "no such event"
    return f"{estimate.value:+.3g} [{estimate.low:.3g}, {estimate.high:.3g}]"


def _accuracy(estimate: "Estimate") -> str:
    if math.isnan(estimate.value):
        return "-"
    return f"{_share(estimate.value)} [{_share(estimate.low)}, {_share(estimate.high)}]"


def _share(value: float) -> str:
    from simlab.experiment.router_eval import GRID

    if math.isinf(value):
        return "> 1" if value > 0 else f"< {min(GRID):g}"
    return f"{value:.3f}"


def _curve(told: "list[Cost]", found: "Measured", reference: "Measured") -> "TextTable":
    from simlab.analysis.tables import TextTable

    accuracies = [accuracy for accuracy, _ in told[0].curve]
    return TextTable(
        title=f"{found.name} at its latency, by its accuracy: difference to {reference.name}",
        head=["accuracy", *(each.measure for each in told)],
        rows=[
            [f"{accuracy:.2f}", *(_signed(each.curve[place][1]) for each in told)]
            for place, accuracy in enumerate(accuracies)
        ],
    )


def _write(out: Path, name: str, tables: "list[TextTable]") -> None:
    import sys

    from simlab.experiment.output import write_set

    command = " ".join(["simlab", *(word for word in sys.argv[1:])])
    text = f"`{command}`\n\n" + "\n".join(table.markdown() for table in tables) + f"\n{_METHOD}\n"
    written = write_set(out, {name: lambda path: path.write_text(text, encoding="utf-8")})
    print("written: " + ", ".join(str(path) for path in written))
