"""Hashes of whole runs, recorded: what a change that is meant to change nothing must leave alone.

``python -m tests.sim.recorded_bytes`` writes the file again, after a change that is meant to change results. Scenarios,
strategies and routers are named, so that new ones change nothing here.
"""

import json
from collections.abc import Callable, Iterable
from hashlib import sha256
from pathlib import Path
from random import Random

from simlab.core.canon import canonical
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
    return canonical(record)


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
