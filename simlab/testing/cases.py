"""Failures on file: a schedule or a whole world, with the strategy that failed and what was found.

A file is JSON with the schedule as lines that a person can read. It holds all that the run depends on, so ``simlab
replay FILE`` makes exactly this run again.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from importlib import import_module
from pathlib import Path
from typing import Any, Final

from simlab.core.errors import SimlabError
from simlab.core.plugins import Strategy, StrategyError
from simlab.core.record import RunRecord
from simlab.experiment.output import write_set
from simlab.invariants import Blame, check
from simlab.routers import ROUTERS
from simlab.sim.driver import simulate
from simlab.sim.spec import WorldSpec
from simlab.strategies import STRATEGIES
from simlab.testing.packing import pack, unpack
from simlab.testing.schedule import Schedule, parse_move
from simlab.testing.stage import BROKEN, RAISED, Found
from simlab.testing.walking import perform

FOLDER: Final = Path("simlab-failures")
FORM: Final = "simlab case 1"


class CaseError(SimlabError):
    """A file that is no saved failure."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WorldRun:
    """A run in a world: everything that it depends on but the strategy."""

    world: WorldSpec
    router: str = "by_type"
    seed: int = 0
    replication: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One failure. ``strategy`` is a name, or ``module:attribute`` of one that is not registered.

    ``run`` is the schedule or the world. ``found`` is the name of what was found, ``what`` its evidence.
    """

    strategy: str
    run: Schedule | WorldRun
    found: str
    what: str = ""


def strategy_name(strategy: Strategy) -> str:
    """Return how a file names a strategy: by its registered name, or by where its class stands."""
    made = type(strategy)
    if strategy.name in STRATEGIES.names() and type(STRATEGIES.get(strategy.name)) is made:
        return strategy.name
    return f"{made.__module__}:{made.__qualname__}"


def make_strategy(name: str) -> Strategy:
    """Return a new strategy by its registered name or as ``module:attribute``. Raises SimlabError."""
    if ":" not in name:
        made: Strategy = STRATEGIES.get(name)
        return made
    module, _, attribute = name.partition(":")
    try:
        found: Any = import_module(module)
        for part in attribute.split("."):
            found = getattr(found, part)
    except (ImportError, AttributeError, ValueError) as error:
        raise SimlabError(f"strategy {name!r}: cannot be found: {error}") from None
    made = found() if isinstance(found, type) else found
    if not isinstance(made, Strategy):
        raise SimlabError(f"strategy {name!r}: {type(made).__name__} is no strategy")
    return made


# --- running ----------------------------------------------------------------------------------------------------------


def run_world(run: WorldRun, strategy: Strategy) -> tuple[RunRecord | None, list[Found]]:
    """Run a world; return its record (None if the strategy or the simulator failed) and what was found."""
    try:
        record = simulate(run.world, strategy, ROUTERS.get(run.router), seed=run.seed, replication=run.replication)
    except StrategyError as error:
        return None, [Found(name=RAISED, blame=Blame.STRATEGY, what=str(error))]
    except Exception as error:
        return None, [Found(name=BROKEN, blame=Blame.CORE, what=f"{type(error).__name__}: {error}")]
    return record, [Found.breach(breach) for breach in check(record)]


def replay(case: Case) -> tuple[RunRecord | None, list[Found]]:
    """Make the run of a case again; return its record and what was found this time."""
    strategy = make_strategy(case.strategy)
    if isinstance(case.run, WorldRun):
        return run_world(case.run, strategy)
    stage = perform(case.run, strategy)
    return stage.record, stage.found


# --- files ------------------------------------------------------------------------------------------------------------


def case_text(case: Case) -> str:
    """Write a case."""
    head = {"form": FORM, "strategy": case.strategy, "found": case.found, "what": case.what}
    if isinstance(case.run, WorldRun):
        run = case.run
        body = {"router": run.router, "seed": run.seed, "replication": run.replication, "world": pack(run.world)}
        return json.dumps({**head, **body}, indent=1) + "\n"
    return json.dumps({**head, "schedule": [str(move) for move in case.run]}, indent=1) + "\n"


def save_case(case: Case, folder: Path = FOLDER) -> Path:
    """Write a case into a folder under a name of its own; equal cases have equal names. Raises SimlabError."""
    text = case_text(case)
    short = case.strategy.rpartition(":")[2]
    name = f"{short}-{case.found}-{sha256(text.encode()).hexdigest()[:8]}.json"
    (path,) = write_set(folder, {name: lambda path: path.write_text(text, encoding="utf-8")})
    return path


def load_case(path: Path) -> Case:
    """Read a case. Raises CaseError in one line."""
    try:
        document = json.loads(path.read_text())
    except OSError as error:
        raise CaseError(f"{path}: cannot be read: {error.strerror}") from None
    except ValueError as error:
        raise CaseError(f"{path}: no JSON: {error}") from None
    if not isinstance(document, Mapping) or document.get("form") != FORM:
        raise CaseError(f"{path}: no saved failure; its form must be {FORM!r}")
    try:
        return _read(document)
    except (KeyError, TypeError, SimlabError) as error:
        raise CaseError(f"{path}: {type(error).__name__}: {error}") from None


def _read(document: Mapping[str, Any]) -> Case:
    run: Schedule | WorldRun
    if "schedule" in document:
        run = tuple(parse_move(line) for line in document["schedule"])
    else:
        world = unpack(document["world"])
        if not isinstance(world, WorldSpec):
            raise TypeError("world: no world")
        run = WorldRun(
            world=world,
            router=document["router"],
            seed=document["seed"],
            replication=document["replication"],
        )
    return Case(strategy=document["strategy"], run=run, found=document["found"], what=document.get("what", ""))


__all__ = [
    "Case",
    "CaseError",
    "WorldRun",
    "case_text",
    "load_case",
    "make_strategy",
    "replay",
    "run_world",
    "save_case",
    "strategy_name",
]
