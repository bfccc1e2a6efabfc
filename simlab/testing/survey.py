"""The survey of published runtimes: every shipped adapter under every policy, each fault replayed on the real clock."""

import json
import logging
import platform
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, TypeAlias

from simlab.core.version import VERSION
from simlab.experiment.output import check_writable, write_set
from simlab.testing.confirm import confirmed
from simlab.testing.contract import POLICIES, MakeRuntime
from simlab.testing.errors import StormError
from simlab.testing.storm import ADAPTERS_PACKAGE, Kind, Report, load_target, sweep

EVIDENCE_CHARACTERS = 160

HOW_TO_READ = (
    "Each cell: schedules with a fault / schedules run, and the grades of what was found. In brackets stands what is",
    "no fault: an effect of which its result does not tell (vague), an event that was declined (refused).",
)

Row: TypeAlias = dict[str, Any]
"""One line of the survey, plain JSON data: see :func:`rows_of`."""


@dataclass(frozen=True, slots=True)
class Adapter:
    """A shipped adapter: its short name, the package that it needs, and the release that it was written for.

    Without a package the runtime is simlab's own, or a plain loop that comes with it.
    """

    name: str
    target: str
    package: str | None
    pinned: str | None

    @property
    def release(self) -> str:
        """The installed version of the package, or of simlab. Raises StormError when the package is missing."""
        if self.package is None:
            return VERSION
        try:
            return version(self.package)
        except PackageNotFoundError:
            missing = f"{self.package} is not installed; pip install 'simlab[{self.name}]'"
            raise StormError(f"runtime {self.name}: {missing}") from None


_HERE = ADAPTERS_PACKAGE

ADAPTERS: tuple[Adapter, ...] = (
    Adapter("plain", f"{_HERE}.plain:Plain", None, None),
    Adapter("pydantic-ai", f"{_HERE}.pydantic_ai:PydanticAI", "pydantic-ai-slim", "2.68.0"),
    Adapter("pydantic-ai-streamed", f"{_HERE}.pydantic_ai:PydanticAIStreamed", "pydantic-ai-slim", "2.68.0"),
    Adapter("openai-agents", f"{_HERE}.openai_agents:OpenAIAgents", "openai-agents", "0.24.0"),
    Adapter("langgraph", f"{_HERE}.langgraph:LangGraph", "langgraph", "1.2.24"),
    Adapter("autogen", f"{_HERE}.autogen:AutoGen", "autogen-agentchat", "0.7.5"),
    Adapter("google-adk", f"{_HERE}.google_adk:GoogleADK", "google-adk", "2.13.0"),
    Adapter("agno", f"{_HERE}.agno:Agno", "agno", "3.1.10"),
    Adapter("inspect-ai", f"{_HERE}.inspect_ai:InspectAI", "inspect_ai", "0.3.285"),
    Adapter("smolagents", f"{_HERE}.smolagents:SmolAgents", "smolagents", "1.26.0"),
    Adapter("simlab-queue", f"{_HERE}.simlab_runtime:Queueing", None, None),
    Adapter("simlab-cancel", f"{_HERE}.simlab_runtime:Cancelling", None, None),
    Adapter("simlab-cancel-background", f"{_HERE}.simlab_runtime:CancellingBackground", None, None),
)


def adapters_named(names: Sequence[str]) -> list[Adapter]:
    """Find adapters by name; all of them for no names."""
    known = {adapter.name: adapter for adapter in ADAPTERS}
    for name in names:
        if name not in known:
            raise StormError(f"runtime {name!r}: no such adapter; known: {', '.join(known)}")
    return [known[name] for name in names] or list(ADAPTERS)


def survey(adapter: Adapter, *, limit: int | None = None, confirm: bool = True) -> Iterator[Row]:
    """Sweep one adapter under every policy and yield its rows, policy by policy."""
    release = adapter.release
    with _quiet():
        make = load_target(adapter.target)
        for policy in POLICIES:
            report = sweep(make, policy, limit=limit)
            yield from rows_of(adapter, release, report, make if confirm else None)


def rows_of(adapter: Adapter, release: str, report: Report, make: MakeRuntime | None) -> Iterator[Row]:
    """Yield one row for every kind of finding of a report, or one that says that there was none.

    A row holds runtime, release, policy, places, schedules (run), digest, and grade, rule, in_schedules, evidence,
    replay (a command) and confirmed: true or false for a fault that was replayed on the real clock, else null.
    """
    head = {
        "runtime": adapter.name,
        "release": release,
        "policy": report.policy,
        "places": report.places,
        "schedules": report.runs,
        "failed": report.failed_runs,
        "digest": report.digest,
    }
    if not report.counts:
        yield {**head, "grade": None}
    for kind in report.kinds():
        yield {**head, **_finding(report, kind, make)}


def _finding(report: Report, kind: Kind, make: MakeRuntime | None) -> Row:
    grade, rule = kind
    smallest = report.smallest[kind]
    return {
        "grade": str(grade),
        "rule": rule,
        "fault": grade.fails,
        "in_schedules": report.counts[kind],
        "evidence": smallest.evidence[:EVIDENCE_CHARACTERS],
        "replay": report.replay_command(kind),
        "confirmed": confirmed(make, smallest.schedule, rule) if make is not None and grade.fails else None,
    }


def write_survey(
    out: Path, adapters: Sequence[Adapter], *, date: str, limit: int | None, note: Callable[[str], None]
) -> None:
    """Survey the adapters and write ``findings.json`` and ``findings.md`` into a folder. Dates are ISO dates.

    Raises SimlabError where the folder cannot be written; that is found out before the first run.
    """
    check_writable(out)
    rows: list[Row] = []
    for adapter in adapters:
        found = list(survey(adapter, limit=limit))
        rows += found
        note(f"{adapter.name} {adapter.release}: {sum(bool(row.get('fault')) for row in found)} kinds of fault")
    python = platform.python_version()
    head = {"date": date, "python": python, "limit": limit}
    texts = {
        "findings.json": json.dumps({**head, "rows": rows}, indent=1) + "\n",
        "findings.md": as_markdown(rows, date, python),
    }
    write_set(out, {name: partial(Path.write_text, data=text, encoding="utf-8") for name, text in texts.items()})


def as_markdown(rows: Sequence[Row], date: str, python: str) -> str:
    """Write the rows as two tables: an overview, and every finding with its smallest schedule."""
    facts = f"Facts about one release each under Python {python}, and under the schedules that were run."
    lines = [f"# Findings of {date}", "", facts, ""]
    lines += [*HOW_TO_READ, ""]
    lines += ["| runtime | release | " + " | ".join(POLICIES) + " |", "|---" * (2 + len(POLICIES)) + "|"]
    for name, release in dict.fromkeys((row["runtime"], row["release"]) for row in rows):
        cells = [_cell([row for row in rows if row["runtime"] == name and row["policy"] == one]) for one in POLICIES]
        lines.append(f"| {name} | {release} | " + " | ".join(cells) + " |")
    lines += ["", "Every kind of finding, in how many schedules it showed, and the smallest of them.", ""]
    lines += ["| runtime | policy | grade | rule | schedules | real clock | evidence | replay |", "|---" * 8 + "|"]
    lines += [_line(row) for row in rows if row["grade"] is not None]
    return "\n".join(lines) + "\n"


def _cell(rows: Sequence[Row]) -> str:
    faults = dict.fromkeys(row["grade"] for row in rows if row["grade"] and row["fault"])
    others = dict.fromkeys(row["grade"] for row in rows if row["grade"] and not row["fault"])
    counted = f"{rows[0]['failed']}/{rows[0]['schedules']}"
    told = [counted, ", ".join(faults), f"({', '.join(others)})" if others else ""]
    return " ".join(part for part in told if part)


def _line(row: Row) -> str:
    clock = {True: "confirmed", False: "not confirmed", None: ""}[row["confirmed"]]
    evidence = row["evidence"].replace("|", "/").replace("\n", " ")
    cells = [row["runtime"], row["policy"], row["grade"], row["rule"], f"{row['in_schedules']}/{row['schedules']}"]
    return "| " + " | ".join([*cells, clock, evidence, f"`{row['replay']}`"]) + " |"


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep what the libraries log and warn about out of the survey."""
    before = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            yield
        finally:
            logging.disable(before)
