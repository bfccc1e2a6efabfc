"""``simlab run``: one run, told in words. ``simlab list``: what there is. ``simlab schema``: the form of scenarios."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from simlab.cli import app
from simlab.cli.text import at, columns
from simlab.core.errors import SimlabError

if TYPE_CHECKING:
    from simlab.core.record import EventTruth, ModelCall, RunRecord, ToolRun
    from simlab.experiment.comparison import Cell


@app.command()
def run(
    scenario: Annotated[str, typer.Argument(help="A scenario file, or the name of a shipped scenario.")],
    strategy: Annotated[str, typer.Option("--strategy", "-s", help="What the agent does with events.")],
    router: Annotated[str, typer.Option("--router", "-r", help="Which handling an event gets.")] = "by_type",
    seed: Annotated[int, typer.Option(help="Root of all random numbers.")] = 0,
    replication: Annotated[int, typer.Option(help="Which independent repetition.")] = 0,
    dialect: Annotated[
        str | None, typer.Option("--dialect", help="Write the run's last request in this wire format (a case).")
    ] = None,
    out: Annotated[
        Path | None, typer.Option("-o", "--output", help="Where the request goes (default: printed, and nothing else).")
    ] = None,
) -> None:
    """Run one scenario once and tell what happened, line by line."""
    from simlab.experiment.comparison import Cell, run_cell
    from simlab.experiment.variants import load_variant

    if out is not None and dialect is None:
        raise SimlabError("-o: names the file for a request; say with --dialect in which wire format")
    found = load_variant(scenario)
    cell = Cell(scenario=found, strategy=strategy, router=router, seed=seed, replication=replication)
    record = run_cell(cell)
    if dialect is not None:
        _write_request(record, dialect, out)
        return
    print(f"{found.title} ({found.name}): {strategy}, routed {router}, seed {seed}, replication {replication}")
    print(found.description.strip())
    for title, told in _sections(record):
        print(f"\n{title}\n{told or '  none'}")
    _print_breaches(record, cell)


def _write_request(record: "RunRecord", dialect: str, out: Path | None) -> None:
    """Write the last request of a run as a case, which ``simlab check`` reads, with what really happened beside it."""
    import json

    from simlab.check.runs import case_of

    text = json.dumps(case_of(record, dialect), indent=2) + "\n"
    if out is None:
        print(text, end="")
        return
    try:
        out.write_text(text, encoding="utf-8")
    except OSError as error:
        raise SimlabError(f"{out}: cannot be written: {error.strerror or error}") from error


def _sections(record: "RunRecord") -> list[tuple[str, str]]:
    from simlab.core.messages import notation

    ended = f"ended by itself at {record.ended_ms:,} ms"
    if not record.trace.complete:
        ended = f"cut at the horizon, {record.ended_ms:,} ms"
    return [
        ("Timeline (ms)", _timeline(record)),
        ("Trajectory", f"  {notation(record.trace.trajectory())}"),
        ("Ledger: what tools really did (ms)", _ledger(record)),
        ("Events (ms; kind is the truth that only the world knows)", _events(record)),
        ("Model calls (ms)", _model_calls(record)),
        ("End", f"  {ended}"),
    ]


def _timeline(record: "RunRecord") -> str:
    from simlab.analysis.timeline import timeline

    lines = [(f"{line.at_ms:,}", line.whom, line.what) for line in timeline(record)]
    return columns(lines, right=frozenset({0})) if lines else ""


def _ledger(record: "RunRecord") -> str:
    head = ("call", "tool", "task", "step", "outcome", "started", "stopped", "took effect")
    rows = [
        (run.call_id, run.tool, run.task_id, run.step, run.outcome, *map(at, _run_times(run)))
        for run in record.tool_runs
    ]
    return columns([head, *rows], right=frozenset({5, 6, 7})) if rows else ""


def _run_times(run: "ToolRun") -> tuple[int | None, ...]:
    return run.started_ms, run.stopped_ms, run.committed_ms


def _events(record: "RunRecord") -> str:
    head = ("event", "kind", "arrived", "routed", "consumed", "first answer", "acted on")
    rows = [(each.event_id, each.kind, *map(at, _event_times(each))) for each in record.events.values()]
    return columns([head, *rows], right=frozenset(range(2, 7))) if rows else ""


def _event_times(event: "EventTruth") -> tuple[int | None, ...]:
    return event.arrived_ms, event.routed_ms, event.consumed_ms, event.first_answer_ms, event.acted_ms


def _model_calls(record: "RunRecord") -> str:
    head = ("call", "began", "ended", "became", "tokens in", "of them cached", "tokens out", "US dollars")
    rows = [_model_call(call) for call in record.model_calls]
    return columns([head, *rows], right=frozenset({0, 1, 2, 4, 5, 6, 7})) if rows else ""


def _model_call(call: "ModelCall") -> tuple[str, ...]:
    return (
        "side" if call.side else f"{call.generation}",
        at(call.started_ms),
        at(call.ended_ms),
        "a message" if call.kept else "discarded",
        f"{call.input_tokens:,}",
        f"{call.cached_tokens:,}",
        f"{call.output_tokens:,}",
        f"{call.cost_usd:.4f}",
    )


def _print_breaches(record: "RunRecord", cell: "Cell") -> None:
    from simlab.check.wire import roles_follow_each_other_as_the_provider_demands as on_the_wire
    from simlab.invariants import check

    breaches = [*check(record), *on_the_wire(record)]
    print(f"\nInvariants\n  {len(breaches) or 'no'} {'breach' if len(breaches) == 1 else 'breaches'}")
    for breach in breaches:
        print(f"  {breach}")
    if breaches:
        print(f"  replay: {cell.replay}")


@app.command(name="list")
def list_all() -> None:
    """List scenarios, strategies and routers, one line each."""
    from simlab.experiment.scenario import load_scenario, shipped_scenarios
    from simlab.routers import ROUTERS
    from simlab.strategies import STRATEGIES

    print("Scenarios")
    print(columns([(name, load_scenario(name).title) for name in shipped_scenarios()]))
    for title, registry in (("Strategies", STRATEGIES), ("Routers", ROUTERS)):
        print(f"\n{title}")
        print(columns([(name, _first_line(registry, name)) for name in registry.names()]))


def _first_line(registry: Any, name: str) -> str:
    """Return the first line of a plug-in's docstring, or why it cannot be used."""
    try:
        return (type(registry.get(name)).__doc__ or "").strip().partition("\n")[0]
    except SimlabError as error:
        return f"cannot be used: {error}"


@app.command()
def schema() -> None:
    """Print the JSON Schema of scenario files, for editors and other tools."""
    from simlab.experiment.scenario import schema_text

    print(schema_text(), end="")
