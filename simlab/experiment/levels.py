"""Levels of parameters: one number of a scenario changed, the rest as it stands in the file.

A parameter is a key path into the file (``model.ttft_ms.median_s``, ``tools.shell.timeout_ms``,
``streams.noise.gap_ms.mean_s``, ``placed[0].chance``), or a hazard (``hazards.fabricate``): a constant in [0, 1].
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from hashlib import sha256
from typing import Any

from simlab.core.errors import SimlabError
from simlab.experiment.design import World
from simlab.experiment.scenario import Scenario, build_scenario, document_of
from simlab.sim.faults.hazards import Hazards
from simlab.sim.spec import WorldSpec

HAZARDS = "hazards."


@dataclass(frozen=True, slots=True, kw_only=True)
class Axis:
    """A parameter and its levels, in order."""

    parameter: str
    levels: tuple[float, ...]


def read_axis(text: str, where: str) -> Axis:
    """Read ``PARAM=a:b:n`` (n levels from a to b) or ``PARAM=v1,v2,...``. Raises SimlabError."""
    parameter, found, told = text.partition("=")
    if not found or not parameter:
        raise SimlabError(f"{where} {text!r}: PARAM=from:to:count or PARAM=value,value,... is expected")
    return Axis(parameter=parameter, levels=_levels(told, f"{where} {text!r}"))


def _levels(text: str, where: str) -> tuple[float, ...]:
    try:
        if ":" in text:
            low, high, count = text.split(":")
            number = int(count)
            if number < 2:
                raise SimlabError(f"{where}: at least two levels are needed")
            step = (float(high) - float(low)) / (number - 1)
            return tuple(round(float(low) + step * place, 12) for place in range(number))
        return tuple(float(part) for part in text.split(","))
    except ValueError:
        raise SimlabError(f"{where}: numbers are expected: from:to:count or value,value,...") from None


def at_level(scenario: Scenario, levels: Mapping[str, float]) -> World:
    """Return the scenario's world with parameters at the given levels. Raises SimlabError for a path to nothing.

    The file is read anew with the number in its place, so what the file may not say cannot be said this way either.
    """
    document = document_of(scenario)
    for parameter, value in levels.items():
        if not parameter.startswith(HAZARDS):
            _put(document, parameter, value)
    spec = build_scenario(scenario, document)
    told = ",".join(f"{parameter}={value:g}" for parameter, value in levels.items())
    for parameter, value in levels.items():
        if parameter.startswith(HAZARDS):
            spec = _with_hazard(spec, parameter.removeprefix(HAZARDS), value)
    digest = sha256(f"{scenario.sha256}+{told}".encode()).hexdigest()
    return World(name=f"{scenario.name}@{told}" if told else scenario.name, spec=spec, digest=digest)


def _with_hazard(spec: WorldSpec, name: str, value: float) -> WorldSpec:
    known = [field.name for field in fields(Hazards)]
    if name not in known:
        raise SimlabError(f"{HAZARDS}{name}: no such hazard; known: {', '.join(known)}")
    return replace(spec, hazards=replace(spec.hazards or Hazards(), **{name: value}))


def _put(document: dict[str, Any], path: str, value: float) -> None:
    """Put a number in the place of the number that stands at a key path."""
    node: Any = document
    *inner, last = parts_of(path)
    for part in inner:
        node = step_into(node, part, path)
    if not isinstance(node, dict) or last not in node:
        raise SimlabError(f"{path}: leads to no value of the scenario")
    if isinstance(node[last], bool) or not isinstance(node[last], int | float):
        raise SimlabError(f"{path}: holds {node[last]!r}, not a number")
    whole = isinstance(node[last], int) and float(value).is_integer()
    node[last] = int(value) if whole else _rounded(node[last], value)


def _rounded(before: float, value: float) -> float:
    """Keep whole what was whole: a time in milliseconds stays one."""
    return round(value) if isinstance(before, int) and abs(value) >= 1 else value


def parts_of(path: str) -> list[str]:
    """Return the parts of a key path."""
    return path.replace("[", ".").replace("]", "").split(".")


def step_into(node: Any, part: str, path: str) -> Any:
    """Return what lies one part further on the path. Raises SimlabError where nothing does."""
    if isinstance(node, list):
        named = [each for each in node if isinstance(each, dict) and part in (each.get("id"), each.get("name"))]
        if part.isdigit() and int(part) < len(node):
            return node[int(part)]
        if len(named) == 1:
            return named[0]
    elif isinstance(node, dict) and part in node:
        return node[part]
    raise SimlabError(f"{path}: {part!r} leads to no value of the scenario")


def grid(axes: Sequence[Axis]) -> list[dict[str, float]]:
    """Return every combination of levels, the first axis slowest."""
    points: list[dict[str, float]] = [{}]
    for axis in axes:
        points = [{**point, axis.parameter: level} for point in points for level in axis.levels]
    return points
