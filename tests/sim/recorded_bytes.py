"""Hashes of whole runs, recorded: what a change that is meant to change nothing must leave alone.

``python -m tests.sim.recorded_bytes`` writes the file again, after a change that is meant to change results. Scenarios,
strategies and routers are named, so that new ones change nothing here.
"""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from dataclasses import MISSING, Field, fields, is_dataclass, replace
from enum import Enum
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import Any

from simlab.core.commands import CallModel
from simlab.core.errors import SimlabError
from simlab.core.plugins import Router, Strategy
from simlab.experiment.scenario import load_scenario, shipped_scenarios
from simlab.routers import ROUTERS
from simlab.sim.driver import simulate
from simlab.sim.spec import WorldSpec
from simlab.strategies import STRATEGIES
from simlab.testing.worlds import random_world

PATH = Path(__file__).with_name("recorded_bytes.json")
RANDOM_WORLDS = 24
DIGITS = 16
STRATEGY_NAMES = (
    "queue",
    "queue-first-return",
    "queue-turn",
    "queue-join",
    "cancel",
    "cancel-background",
    "parallel",
    "routed",
    "hard-cancel",
    "holding-reply",
    "langgraph-rollback",
    "openclaw-steer-skip-unstarted",
    "docker-steer",
    "pipecat-async",
)
ROUTER_NAMES = ("by_type", "oracle", "keyword", "random")


def run_bytes(world: WorldSpec, strategy: Strategy, router: Router, seed: int, replication: int) -> bytes:
    """Return everything about one run: trace, ledger, truth; or the error that ended it."""
    try:
        record = simulate(world, strategy, router, seed=seed, replication=replication)
    except SimlabError as error:
        return str(error).encode()
    lines = [f"{at_ms} {_told(item)}" for at_ms, item in record.trace.records]
    parts = [_told(getattr(record, each.name)) for each in fields(record) if each.name != "trace"]
    return "\n".join([*lines, *parts]).encode()


def _told(value: object) -> str:
    """Write a value; fields at their defaults are left out, so that a new field changes nothing where it has none."""
    if isinstance(value, Enum):
        return str(value.value)
    if isinstance(value, CallModel):  # its list goes on growing
        value = replace(value, messages=())
    if is_dataclass(value) and not isinstance(value, type):
        parts = [
            f"{each.name}={_told(told)}"
            for each in fields(value)
            if (told := getattr(value, each.name)) != _default(each)
        ]
        return f"{type(value).__name__}({', '.join(parts)})"
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_told(key)}: {_told(each)}" for key, each in value.items()) + "}"
    if isinstance(value, Set):
        return "{" + ", ".join(sorted(_told(each) for each in value)) + "}"
    if isinstance(value, Sequence) and not isinstance(value, str):
        return "[" + ", ".join(_told(each) for each in value) + "]"
    return repr(value)


def _default(each: Field[Any]) -> object:
    return each.default_factory() if each.default_factory is not MISSING else each.default


def _digest(parts: Iterable[bytes]) -> str:
    whole = sha256()
    for part in parts:
        whole.update(sha256(part).digest())
    return whole.hexdigest()[:DIGITS]


def _shipped(scenario: str) -> Iterable[bytes]:
    world = load_scenario(scenario).world
    for name in STRATEGY_NAMES:
        yield run_bytes(world, STRATEGIES.get(name), ROUTERS.get("by_type"), 0, 0)
    for name in ROUTER_NAMES:
        yield run_bytes(world, STRATEGIES.get("routed"), ROUTERS.get(name), 0, 1)


def _random(number: int) -> Iterable[bytes]:
    world = random_world(Random(number))
    for offset in range(4):
        name = STRATEGY_NAMES[(number + 3 * offset) % len(STRATEGY_NAMES)]
        yield run_bytes(world, STRATEGIES.get(name), ROUTERS.get("oracle"), 1, 2)


def cases() -> dict[str, Callable[[], str]]:
    """Return what is recorded: a name, and how to make its hash."""
    found: dict[str, Callable[[], str]] = {}
    worked = [name for name in shipped_scenarios() if name.startswith("worked/")]
    for scenario in ("chat-ops", "coding-assistant", "stress", *worked):
        found[scenario] = lambda scenario=scenario: _digest(_shipped(scenario))  # type: ignore[misc]
    for number in range(RANDOM_WORLDS):
        found[f"random world {number}"] = lambda number=number: _digest(_random(number))  # type: ignore[misc]
    return found


if __name__ == "__main__":
    hashes = {name: make() for name, make in cases().items()}
    PATH.write_text(json.dumps(hashes, indent=1) + "\n", encoding="utf-8")
