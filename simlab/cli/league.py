"""``simlab league``: every policy in every scenario of the library."""

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from simlab.cli import app
from simlab.core.errors import SimlabError

if TYPE_CHECKING:
    import pandas as pd

    from simlab.analysis.league import Overall, Standing
    from simlab.analysis.tables import TextTable
    from simlab.experiment.league import Done, Pair

_LEADING = ("urgent", "aside", "routine", "request", "harm", "waste", "calls", "cost", "points")
_FRONT = ("urgent", "aside", "request", "harm", "cost", "points")


@app.command()
def league(
    scenarios: Annotated[
        list[str] | None, typer.Argument(help="Scenarios. [default: all that ship but the worked cases]")
    ] = None,
    strategies: Annotated[str, typer.Option("--strategies", "-s", help="Names, or `all`.")] = "all",
    router: Annotated[str, typer.Option("--router", "-r", help="Which handling an event gets.")] = "rules",
    baseline: Annotated[str, typer.Option(help="What all are compared with.")] = "queue",
    replications: Annotated[int, typer.Option("--replications", "-n", help="Runs of each pair.")] = 100,
    seed: Annotated[int, typer.Option(help="Root of all random numbers.")] = 0,
    jobs: Annotated[int, typer.Option("--jobs", "-j", min=1, help="Processes. The results do not depend on it.")] = 1,
    pairs: Annotated[Path, typer.Option(help="Folder for the pairs' files: what is there is not run again.")] = Path(
        "league-pairs"
    ),
    out: Annotated[Path, typer.Option(help="Folder for the tables and the figure.")] = Path("results/league"),
) -> None:
    """Run every policy in every scenario and judge them all together; continues where it was stopped."""
    from simlab.core.errors import SimlabError
    from simlab.experiment import league as games
    from simlab.experiment.output import check_writable
    from simlab.strategies import STRATEGIES

    for folder in (out, pairs):
        check_writable(folder)
    policies = STRATEGIES.names() if strategies == "all" else [name.strip() for name in strategies.split(",")]
    if baseline not in policies:
        raise SimlabError(f"--baseline {baseline!r}: not among the policies: {', '.join(policies)}")
    names = scenarios or games.library()
    todo = games.pairs(names, policies, router=router, seed=seed, replications=replications)
    done = _play(todo, pairs, jobs)
    failures = [failure for each in done for failure in each.failures]
    tables = {(each.scenario, each.policy): games.read_pair(each, pairs) for each in todo}
    _report(todo, tables, failures, baseline=baseline, router=router, out=out)
    raise typer.Exit(1 if failures else 0)


def _play(todo: "Sequence[Pair]", folder: Path, jobs: int) -> "list[Done]":
    from simlab.cli.progress import Bar
    from simlab.experiment.league import play

    with Bar("pairs", len(todo)) as bar:
        done = play(todo, folder, jobs=jobs, progress=lambda _done: bar.advance(1))
    new = sum(each.new for each in done)
    print(f"{len(todo)} pairs: {new} run now, {len(todo) - new} found in {folder}")
    return done


def _first(failures: Sequence[str]) -> str:
    return f"; {len(failures):,} runs failed, the first: {failures[0]}" if failures else ""


def _report(
    todo: "Sequence[Pair]",
    tables: "Mapping[tuple[str, str], pd.DataFrame]",
    failures: Sequence[str],
    *,
    baseline: str,
    router: str,
    out: Path,
) -> None:
    from functools import partial

    from simlab.analysis.charts.figure import writer
    from simlab.analysis.charts.league import draw_league
    from simlab.analysis.league import overall, standings
    from simlab.cli.compare import _command, print_table
    from simlab.experiment.output import write_set
    from simlab.experiment.scenario import load_scenario
    from simlab.experiment.store import csv_writer, json_writer

    worlds = {name: load_scenario(name) for name in dict.fromkeys(each.scenario for each in todo)}
    horizons_s = {
        name: None if each.world.horizon_ms is None else each.world.horizon_ms / 1000 for name, each in worlds.items()
    }
    found = standings(tables, horizons_s, baseline=baseline)
    summed = overall(found)
    policies = _ordered(found, summed)
    if not policies:
        raise SimlabError(f"league: no policy beside {baseline!r} has results{_first(failures)}")
    table = _standings_table(summed, policies, tables, baseline)
    print_table(table)
    print(_METHOD)
    replications = todo[0].replications
    title = (
        f"{len(policies)} policies against {baseline} in {len(worlds)} scenarios, {replications} replications, router "
        f"{router}. Blue: better, red: worse, dot: undecided (false-discovery rate 5 % over the league)"
    )
    written = write_set(
        out,
        {
            "league.csv": csv_writer(_frame(found)),
            "standings.md": lambda path: path.write_text(f"{table.markdown()}\n{_METHOD}\n", encoding="utf-8"),
            "league.png": writer(partial(draw_league, found, policies, list(worlds), title)),
            "manifest.json": json_writer(
                {
                    "command": _command(),
                    "router": router,
                    "baseline": baseline,
                    "seed": todo[0].seed,
                    "replications": replications,
                    "policies": sorted({each.policy for each in todo}),
                    "scenarios": {name: each.sha256 for name, each in worlds.items()},
                    "comparisons": sum(each.outcome is not None for each in found),
                    "verdicts": _verdicts(found),
                    "breaches": _breaches(tables),
                    "failures": list(failures),
                }
            ),
        },
    )
    print("written: " + ", ".join(str(path) for path in written))
    for failure in failures[:5]:
        print(f"  failed: {failure}")


_METHOD = """\
A cell: level (better/same/worse/undecided scenarios). Level: geometric mean of the ratio to the baseline over the
scenarios; for wrong effects, wasted tool time and decision points the mean difference. Paired by replication; verdicts
at a false-discovery rate of 5 % over the whole league (Benjamini-Hochberg); same: within 2 % (or 0.01 a run). Lower is
better in every column. unanswered: events that nobody ever answered or acted on, mean share over the scenarios; each
counts as the horizon. breaches: of invariants, by the core or the policy. front: no other policy is as good in all of
urgent, side, request, harm, cost and points."""


def _ordered(found: "Sequence[Standing]", summed: "Mapping[tuple[str, str], Overall]") -> list[str]:
    """Return the policies, the soonest to act on what is urgent first."""
    policies = list(dict.fromkeys(each.policy for each in found))

    def urgent(policy: str) -> float:
        level = summed[policy, "urgent"].level
        return math.inf if math.isnan(level) else level

    return sorted(policies, key=lambda policy: (urgent(policy), policy))


def _standings_table(
    summed: "Mapping[tuple[str, str], Overall]",
    policies: Sequence[str],
    tables: "Mapping[tuple[str, str], pd.DataFrame]",
    baseline: str,
) -> "TextTable":
    from simlab.analysis.league import BY_NAME, unanswered, undominated
    from simlab.analysis.tables import TextTable

    levels = {policy: [_plain(summed[policy, name].level) for name in _FRONT] for policy in policies}
    front = set(undominated(levels))
    breached = _breaches(tables)
    starved = unanswered(tables)

    def row(policy: str, cells: Sequence[str], mark: str) -> list[str]:
        return [policy, *cells, f"{100 * starved[policy]:.1f} %", str(breached.get(policy, 0)), mark]

    return TextTable(
        title=f"Every policy against {baseline}",
        head=["policy", *(BY_NAME[name].label for name in _LEADING), "unanswered", "breaches", "front"],
        rows=[
            row(baseline, ["-"] * len(_LEADING), "baseline"),
            *(
                row(policy, [summed[policy, name].told() for name in _LEADING], "yes" if policy in front else "")
                for policy in policies
            ),
        ],
    )


def _plain(level: float) -> float:
    return math.inf if math.isnan(level) else level


def _breaches(tables: "Mapping[tuple[str, str], pd.DataFrame]") -> dict[str, int]:
    """Return the breaches of invariants by core or strategy, by policy, where there are any."""
    found: dict[str, int] = {}
    for (_, policy), table in tables.items():
        found[policy] = found.get(policy, 0) + int(table["breaches"].sum())
    return {policy: count for policy, count in found.items() if count}


def _verdicts(found: "Sequence[Standing]") -> dict[str, int]:
    from collections import Counter

    return dict(Counter(each.outcome.value if each.outcome else "no such event" for each in found))


def _frame(found: "Sequence[Standing]") -> "pd.DataFrame":
    import pandas as pd

    return pd.DataFrame([_flat(each) for each in found])


def _flat(each: "Standing") -> dict[str, Any]:
    return {
        "scenario": each.scenario,
        "policy": each.policy,
        "measure": each.measure,
        "value": each.value,
        "baseline": each.baseline,
        "difference": each.paired.estimate,
        "low": each.paired.low,
        "high": each.paired.high,
        "verdict": each.outcome.value if each.outcome else "no such event",
        "unanswered": each.open_share,
    }
