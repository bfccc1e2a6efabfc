"""Variants of a world: another time-out, faults of the model, work drawn anew, parameters at other levels.

A variant has a name that can be typed: ``coding-assistant@hazards=stress``, ``stress@cap=120s``,
``chat-ops@resample``, ``coding-assistant@model.ttft_ms.median_s=1.6``; several follow one another, each with its ``@``.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from simlab.core.errors import SimlabError
from simlab.experiment.design import World
from simlab.experiment.levels import at_level
from simlab.experiment.scenario import Scenario, load_scenario
from simlab.sim.faults.hazards import preset
from simlab.sim.spec import WorldSpec


def with_tool_cap(world: World, cap_s: int) -> World:
    """Return the world with every tool timing out after ``cap_s`` seconds (or its own time-out, if that is shorter)."""
    cap_ms = 1000 * cap_s
    tools = tuple(replace(tool, timeout_ms=min(cap_ms, tool.timeout_ms or cap_ms)) for tool in world.spec.tools)
    return World(
        name=f"{world.name}@cap={cap_s}s",
        spec=replace(world.spec, tools=tools),
        digest=f"{world.digest}+tool_cap_s={cap_s}",
    )


def resampled(world: World) -> World:
    """Return the world in which work that is done again is drawn anew (a sensitivity setting, see ``flips``)."""
    spec: WorldSpec = replace(world.spec, resample=True)
    return World(name=f"{world.name}@resample", spec=spec, digest=f"{world.digest}+resample")


def with_hazards(world: World, name: str) -> World:
    """Return the world with a preset of the model's faults. Raises SimlabError for an unknown preset."""
    spec = replace(world.spec, hazards=preset(name))
    return World(name=f"{world.name}@hazards={name}", spec=spec, digest=f"{world.digest}+hazards={name}")


def load_variant(text: str) -> Scenario:
    """Read a scenario, or a variant of one by its name. Raises SimlabError."""
    base, *changes = text.split("@")
    scenario = load_scenario(base)
    if not changes:
        return scenario
    world = variant_of(scenario, changes)
    return replace(scenario, name=world.name, world=world.spec, sha256=world.digest)


def variant_of(scenario: Scenario, changes: Sequence[str], levels: Mapping[str, float] | None = None) -> World:
    """Return the world with parameters at these levels, and then changed. Raises SimlabError."""
    world = World.of(scenario)
    if levels:
        world = at_level(scenario, levels)
    for change in changes:
        world = _changed(scenario, world, change)
    return world


def _changed(scenario: Scenario, world: World, change: str) -> World:
    key, _, value = change.partition("=")
    if change == "resample":
        return resampled(world)
    if key == "hazards":
        return with_hazards(world, value)
    if key == "cap" and value.removesuffix("s").isdigit():
        return with_tool_cap(world, int(value.removesuffix("s")))
    levels = {}
    for each in change.split(","):
        parameter, _, number = each.partition("=")
        try:
            levels[parameter] = float(number)
        except ValueError:
            raise SimlabError(f"{scenario.name}@{change}: PARAM=NUMBER is expected, not {each!r}") from None
    if world.name != scenario.name:
        raise SimlabError(f"{scenario.name}@{change}: levels of parameters come first, before other changes")
    return at_level(scenario, levels)
