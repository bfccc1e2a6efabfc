"""Routers by name or from a file: ``--routers by_type,my-router.toml``."""

import re
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Any, Final, Literal

from pydantic import Field

from simlab.core.errors import SimlabError
from simlab.core.events import Event, EventType, Handling, Verdict
from simlab.core.plugins import Hints, Router, Service
from simlab.experiment.scenario_file import Amount, LawMs, Positive, Share, Table, Text
from simlab.experiment.toml_file import FileError, read_toml, validated
from simlab.routers import ROUTERS
from simlab.routers.classifier import Classifier
from simlab.routers.keyword import Keyword
from simlab.sim.laws import Constant, Law

ENDING: Final = ".toml"
AT_ONCE: Final = Constant(value=0.0)

AHandling = Annotated[Handling, Field(strict=False)]


class RouterError(FileError):
    """A router file that cannot be found, read or understood. Names file and key."""


class RuleTable(Table):
    """A rule of a router by keyword."""

    handling: AHandling
    """What a match gets."""
    pattern: Text
    """A regular expression in Python's form; upper and lower case are the same."""


class RouterFile(Table):
    """A router: how it decides, how long it takes, what it costs."""

    kind: Literal["classifier", "keyword"]
    """``classifier`` draws verdicts from a confusion matrix, ``keyword`` reads the text by rules."""
    latency_ms: LawMs | None = None
    """How long a verdict takes once a worker is free. Left out: no time."""
    usd_per_event: Amount = 0.0
    """US dollars for a verdict."""
    workers: Positive | None = None
    """How many verdicts can be worked on at once. Left out: any number."""
    keeps_order: bool = True
    """Hold a verdict back until every earlier event of its source has one."""
    timeout_ms: Positive | None = None
    """After so long, waiting included, ``fallback`` is taken. Left out: never."""
    fallback: AHandling = Handling.QUEUE
    """What an event gets after the time-out."""
    confusion: dict[AHandling, dict[AHandling, Share]] = Field(default_factory=dict)
    """For a classifier: from the true handling to the shares of what is said; each row adds up to 1."""
    rules: list[RuleTable] = Field(default_factory=list)
    """For a router by keyword: the first rule that matches decides; what none matches waits."""


class Timed:
    """A router with the latency and the service of its file."""

    def __init__(self, inner: Router, name: str, latency: Law, service: Service) -> None:
        self.name = name
        self.service = service
        self._inner = inner
        self._latency = latency

    def route(self, event: Event, hints: Hints) -> Verdict:
        """Ask the router inside."""
        return self._inner.route(event, hints)

    def latency_ms(self, event: Event, hints: Hints) -> float:
        """Draw the latency of this verdict; the report of a tool is known by its type."""
        return 0.0 if event.type is EventType.TOOL_RESULT else self._latency.quantile(hints.uniform("latency"))


def is_router_file(name: str) -> bool:
    """Whether a router is named by a file."""
    return name.endswith(ENDING)


def find_router(name: str) -> Router:
    """Return a router by its name, or from a file that ends in ``.toml``. Raises SimlabError, in one line."""
    return read_router(Path(name), name) if is_router_file(name) else _checked(ROUTERS.get(name))


def _checked(router: Any) -> Router:
    assert isinstance(router, Router)
    return router


def router_digest(name: str) -> str:
    """Return the hash of a router's file, or an empty text for one that goes by name."""
    return sha256(Path(name).read_bytes()).hexdigest() if is_router_file(name) else ""


def read_router(path: Path, name: str) -> Router:
    """Read a router file. Raises RouterError, in one line, naming file and key."""
    _, document = read_toml(path, RouterError)
    file = validated(path, document, RouterFile, RouterError)
    try:
        inner = _inner(file)
    except SimlabError as error:
        raise RouterError(f"{path}: {error}") from None
    if file.usd_per_event and file.latency_ms is None:
        raise RouterError(f"{path}: usd_per_event: a verdict that takes no time costs nothing; give a latency_ms too")
    service = Service(
        workers=file.workers,
        usd_per_event=file.usd_per_event,
        keeps_order=file.keeps_order,
        timeout_ms=file.timeout_ms,
        fallback=file.fallback,
    )
    return Timed(inner, name, file.latency_ms or AT_ONCE, service)


def _inner(file: RouterFile) -> Router:
    if file.kind == "classifier":
        _refuse_if(bool(file.rules), "rules: for kind = 'keyword' only")
        for handling in Handling:
            _refuse_if(handling not in file.confusion, f"confusion.{handling}: missing; a row for each true handling")
            total = sum(file.confusion[handling].values())
            _refuse_if(abs(total - 1) > 1e-9, f"confusion.{handling}: shares must add up to 1, not {total:g}")
        return Classifier(confusion=file.confusion)
    _refuse_if(bool(file.confusion), "confusion: for kind = 'classifier' only")
    _refuse_if(not file.rules, "rules: missing; at least one [[rules]] with handling and pattern")
    return Keyword(rules=_compiled(file.rules))


def _compiled(rules: Sequence[RuleTable]) -> list[tuple[Handling, re.Pattern[str]]]:
    found = []
    for number, rule in enumerate(rules):
        try:
            found.append((rule.handling, re.compile(rule.pattern, re.IGNORECASE)))
        except re.error as error:
            raise SimlabError(f"rules[{number}].pattern: not a regular expression: {error}") from None
    return found


def _refuse_if(condition: bool, message: str) -> None:
    if condition:
        raise SimlabError(message)
