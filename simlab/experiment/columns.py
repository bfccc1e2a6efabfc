"""What the columns of result tables mean, and their units. The page docs/results.md is written from here."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from simlab.core.record import FaultKind

MS, USD, TOKENS, COUNT, SHARE = "ms", "US dollars", "tokens", "count", "share"
TEXT, BOOL, NUMBER = "text", "yes or no", "number"


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its unit, and what it says."""

    unit: str
    meaning: str


_KEYS: Final = {
    "scenario": Column(TEXT, "the scenario, or variant of one"),
    "strategy": Column(TEXT, "the strategy"),
    "router": Column(TEXT, "the router"),
    "replication": Column(NUMBER, "which independent repetition; equal numbers share their luck under every strategy"),
}

_FAULTS: Final = {
    f"{kind}_{suffix}": Column(unit, f"{kind.replace('_', ' ')}: {meaning}")
    for kind in FaultKind
    if kind is not FaultKind.RECOVER
    for suffix, unit, meaning in (
        ("exposure", COUNT, "opportunities for this fault of the model"),
        ("expected", "faults", "sum of the hazards of its opportunities"),
        ("sampled", COUNT, "opportunities at which it was drawn"),
    )
}

RUN_COLUMNS: Final = {
    **_KEYS,
    "complete": Column(BOOL, "the run came to rest by itself; no: the horizon cut it"),
    "ended_ms": Column(MS, "when it ended"),
    "makespan_ms": Column(MS, "first request to last final answer; missing while a request is unfinished"),
    "tasks": Column(COUNT, "requests"),
    "tasks_finished": Column(COUNT, "requests with a final answer"),
    "tasks_voided": Column(COUNT, "requests that a correction withdrew"),
    "events": Column(COUNT, "events that somebody waits for"),
    "events_censored": Column(COUNT, "of them, those never answered"),
    "refusals": Column(COUNT, "times that an event was refused"),
    "repeats": Column(COUNT, "events that repeat an unanswered one"),
    "overtakes": Column(COUNT, "events whose verdict came before that of an earlier event of their source"),
    "main_calls": Column(COUNT, "calls of the main model (round trips)"),
    "main_calls_kept": Column(COUNT, "of them, those whose output was kept"),
    "side_calls": Column(COUNT, "calls in side sessions"),
    "synchronous_call_share": Column(SHARE, "main calls that saw a trajectory without open calls or placeholders"),
    "input_tokens": Column(TOKENS, "input of all calls, cached or not"),
    "cached_tokens": Column(TOKENS, "of it, what a cache held"),
    "output_tokens": Column(TOKENS, "output of all calls"),
    "discarded_tokens": Column(TOKENS, "of it, what was thrown away"),
    "model_cost_usd": Column(USD, "price of all calls"),
    "router_cost_usd": Column(USD, "price of all verdicts"),
    "tool_used_ms": Column(MS, "tool time of which the result was used"),
    "tool_thrown_ms": Column(MS, "tool time thrown away: cancelled, failed, timed out, or replaced"),
    "tool_doubled_ms": Column(MS, "tool time of work that had been finished before"),
    "effects": Column(COUNT, "side effects in the world"),
    "effects_mistaken": Column(COUNT, "of them, those of work that a correction withdrew"),
    "effects_after_correction": Column(COUNT, "of those, the ones that took place after the correction had arrived"),
    "effects_duplicate": Column(COUNT, "effects that the world had already"),
    "stop_latency_ms": Column(MS, "correction to the last mistaken effect after it; missing without a correction"),
    "decision_points": Column(COUNT, "places at which the model went on with a result that was only a placeholder"),
    "batches": Column(COUNT, "times that events were consumed"),
    "batch_size_mean": Column("events", "events consumed together, on average"),
    "batch_size_max": Column("events", "events consumed together, at most"),
    "breaches": Column(COUNT, "breaches of invariants"),
    "effects_unknown": Column(COUNT, "effects of which the trajectory never told"),
    "effects_invented": Column(COUNT, "effects that rest on a value that the model made up"),
    "claims_unfounded": Column(COUNT, "effects that a last answer claims and the ledger does not have"),
    "tasks_invented": Column(COUNT, "requests whose last answer rests on a value that the model made up"),
    **_FAULTS,
    "recomputed_tokens": Column(TOKENS, "input that an earlier call had read and that no cache spared"),
    "verdicts": Column(COUNT, "verdicts of the router on measured events"),
    "verdicts_right": Column(COUNT, "of them, those that are the true handling"),
}
"""The table of runs: one row a run."""

EVENT_COLUMNS: Final = {
    **_KEYS,
    "event_id": Column(TEXT, "the event"),
    "kind": Column(TEXT, "what it truly asks for (only the world knows)"),
    "source": Column(TEXT, "who sent it"),
    "urgent": Column(BOOL, "its type declares it urgent"),
    "is_repeat": Column(BOOL, "it repeats an unanswered one"),
    "is_voided": Column(BOOL, "it is a request that a correction withdrew"),
    "arrived_ms": Column(MS, "when it arrived"),
    "routing_ms": Column(MS, "arrival to verdict"),
    "wait_ms": Column(MS, "arrival to consumption"),
    "acknowledge_ms": Column(MS, "arrival to the holding reply; missing without one"),
    "response_ms": Column(MS, "arrival to the first answer, main or side; missing if it was never answered"),
    "acted_ms": Column(MS, "arrival to when the main model had acted on it; missing if it never did"),
    "censored": Column(BOOL, "never answered; its response is longer than ``at_risk_ms``"),
    "at_risk_ms": Column(MS, "arrival to the end of the run"),
}
"""The table of events: one row an event (reports of tools and notices are none)."""


def units_of(columns: Iterable[str]) -> dict[str, str]:
    """Return the unit of each column; a parameter's is that of the scenario file."""
    known = {**EVENT_COLUMNS, **RUN_COLUMNS}
    return {name: known[name].unit if name in known else "as in the scenario file" for name in columns}


def page() -> str:
    """Write the page docs/results.md."""
    return _PAGE.format(runs=_table(RUN_COLUMNS), events=_table(EVENT_COLUMNS))


def _table(columns: dict[str, Column]) -> str:
    rows = [f"| `{name}` | {column.unit} | {column.meaning} |" for name, column in columns.items()]
    return "\n".join(("| column | unit | meaning |", "|---|---|---|", *rows))


_PAGE: Final = """# Results

`simlab compare ... --out DIR` and `simlab sweep DESIGN.toml --out DIR` leave a folder with two tables in Parquet files,
one of runs and one of events, and a `manifest.json` that says how they were made. (A comparison of scripted scenarios,
in which nothing is random and each run is made once, leaves one table and one figure instead.)

```pycon
>>> import simlab
>>> runs = simlab.load("results/x")  # a pandas frame, one row a run
>>> events = simlab.load("results/x", "events")  # one row an event
>>> runs.attrs["units"]["ended_ms"]  # the unit of each column
'ms'
```

In a sweep there is one more column for each parameter that is swept, behind `scenario`, named by its path
(`model.ttft_ms.median_s`), in the unit of the scenario file. Other tools read the files as they are:

```
simlab query results/x "SELECT strategy, avg(main_calls) FROM runs GROUP BY strategy"   # pip install 'simlab[duckdb]'
```

`simlab rerun DIR` makes a sweep's results again and says whether the bytes are the same, or what has changed.

Times are milliseconds of virtual time. A missing value means that what it measures never happened.

## Runs

{runs}

## Events

{events}
"""


if __name__ == "__main__":
    from pathlib import Path

    Path("docs/results.md").write_text(page(), encoding="utf-8")
