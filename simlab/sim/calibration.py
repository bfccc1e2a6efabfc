"""Default parameters of the simulated world, each with its range and its source.

The values stand in ``calibration.toml`` beside this file, which says for every one of them where it comes from, or
that it is an assumption. ``parameter("llm.ttft_base").law("high")`` is a law ready to draw from.
"""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import Any, Final, Literal, cast

from simlab.core.errors import SimlabError
from simlab.sim.laws import Constant, Discrete, Law, Unit, parse_law, scaled

Level = Literal["low", "base", "high"]
LEVELS: Final[tuple[Level, ...]] = ("low", "base", "high")

_LAW_KEYS: Final[Mapping[Level, str]] = {"low": "law_low", "base": "law", "high": "law_high"}
_LAW_UNITS: Final[Mapping[str, Unit]] = {"s": "s", "tok": "tokens"}


@dataclass(frozen=True, kw_only=True, slots=True)
class Source:
    """Where a value was found."""

    key: str
    name: str
    ref: str
    note: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class Parameter:
    """One default with its range. `low`, `base` and `high` are in `unit`; laws of times are in milliseconds."""

    id: str
    description: str
    unit: str
    low: float | None
    base: float | Mapping[str, float]
    high: float | None
    distribution: str
    status: str
    confidence: str
    sources: tuple[Source, ...]
    note: str
    details: Mapping[str, Any]
    laws: Mapping[Level, Law]

    @property
    def is_assumption(self) -> bool:
        """Whether no published figure fixes the value."""
        return self.status.startswith("assumption")

    def value(self, level: Level = "base") -> float:
        """Return the number at a level. Raises SimlabError where the parameter is a table or has no such level."""
        value = {"low": self.low, "base": self.base, "high": self.high}[level]
        if value is None or isinstance(value, Mapping):
            raise SimlabError(f"calibration: {self.id} has no single number for {level!r}")
        return value

    def shares(self) -> Mapping[str, float]:
        """Return the table of a parameter that is one, like the mix of tools. Raises SimlabError for a number."""
        if isinstance(self.base, Mapping):
            return self.base
        raise SimlabError(f"calibration: {self.id} is a number, not a table")

    def law(self, level: Level = "base") -> Law:
        """Return the law at a level. Raises SimlabError where there is none."""
        law = self.laws.get(level)
        if law is None:
            known = ", ".join(self.laws) or "none"
            raise SimlabError(f"calibration: {self.id} has no law for {level!r}; it has: {known}")
        return law


@dataclass(frozen=True, kw_only=True, slots=True)
class Target:
    """A published figure that the laws must reproduce: from `low` to `high`, equal where it is one number."""

    quantity: str
    figure: str
    low: float
    high: float
    unit: str
    source: Source


def parameter(name: str) -> Parameter:
    """Return a parameter by its id, like "llm.ttft_base". Raises SimlabError for an unknown one."""
    known = parameters()
    if name not in known:
        family = name.split(".", maxsplit=1)[0]
        near = [one for one in known if one.split(".", maxsplit=1)[0] == family] or sorted(
            {one.split(".", maxsplit=1)[0] + ".*" for one in known}
        )
        raise SimlabError(f"calibration: no parameter {name!r}; known: {', '.join(near)}")
    return known[name]


@cache
def parameters() -> Mapping[str, Parameter]:
    """Return all parameters by id, in the order of the file."""
    return MappingProxyType({name: _parameter(name, table) for name, table in _tables()["parameters"].items()})


@cache
def sources() -> Mapping[str, Source]:
    """Return all sources by key."""
    return MappingProxyType({key: Source(key=key, **table) for key, table in _tables()["sources"].items()})


def formulas() -> Mapping[str, str | float]:
    """Return how the parameters of model faults, neglect and step latency combine, as text for reports."""
    return MappingProxyType(_tables()["formulas"])


def targets() -> tuple[Target, ...]:
    """Return the published figures to reproduce."""
    return tuple(
        _target(quantity, table, figure, value)
        for quantity, table in _tables()["validation"].items()
        for figure, value in table["figures"].items()
    )


TOOL_KINDS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "shell": "tool.shell",
        "edit": "tool.edit",
        "read_search": "tool.read_search",
        "agent": "tool.subagent",
        "web": "tool.web",
        "other": "tool.other",
    }
)
"""The kinds of ``tool.mix`` and the parameter that holds the run time of each."""


def tool_mixture(level: Level = "base") -> Mapping[str, tuple[float, Law]]:
    """Return each kind of tool in a coding agent with its share of the calls and its run time."""
    mix = parameter("tool.mix").shares()
    return {kind: (mix[kind], parameter(name).law(level)) for kind, name in TOOL_KINDS.items()}


@cache
def _tables() -> dict[str, Any]:
    return tomllib.loads(files("simlab.sim").joinpath("calibration.toml").read_text(encoding="utf-8"))


def _parameter(name: str, table: Mapping[str, Any]) -> Parameter:
    known = sources()
    return Parameter(
        id=name,
        description=table["description"],
        unit=table["unit"],
        low=table.get("low"),
        base=table["base"],
        high=table.get("high"),
        distribution=table["distribution"],
        status=table["status"],
        confidence=table["confidence"],
        sources=tuple(known[key] for key in table["sources"]),
        note=table.get("note", ""),
        details=table.get("details", {}),
        laws=_laws(name, table),
    )


def _laws(name: str, table: Mapping[str, Any]) -> dict[Level, Law]:
    """Return the laws at the three levels: given, or the base law moved, or constants."""
    unit = _LAW_UNITS.get(table["unit"], "plain")
    given = {level: table[key] for level, key in _LAW_KEYS.items() if key in table}
    if "base" not in given:
        levels = [level for level in LEVELS if isinstance(table.get(level), int | float)]
        return {level: parse_law(table[level], f"calibration.toml: {name}", unit) for level in levels}
    laws = {level: parse_law(law, f"calibration.toml: {name}.law", unit) for level, law in given.items()}
    base = laws["base"]
    if not isinstance(base, Discrete | Constant):
        for level in LEVELS:
            if level in table and level not in laws:
                laws[level] = replace(scaled(base, table[level] / table["base"]), cap=base.cap)
    return {level: laws[level] for level in LEVELS if level in laws}


def _target(quantity: str, table: Mapping[str, Any], figure: str, value: float | list[float]) -> Target:
    low, high = value if isinstance(value, list) else (value, value)
    return Target(
        quantity=quantity,
        figure=figure,
        low=low,
        high=high,
        unit=cast(str, table["unit"]),
        source=sources()[table["source"]],
    )
