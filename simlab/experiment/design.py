"""An experiment: which worlds, strategies and routers, how many replications, from which seed."""

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import product
from typing import TYPE_CHECKING

from simlab.core.errors import SimlabError
from simlab.experiment.routing import find_router, router_digest
from simlab.sim.spec import WorldSpec
from simlab.strategies import STRATEGIES

if TYPE_CHECKING:
    from simlab.experiment.scenario import Scenario


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    """A world in an experiment. ``name`` labels it in tables, ``digest`` is the hash of what it was made from."""

    name: str
    spec: WorldSpec
    digest: str

    @classmethod
    def of(cls, scenario: "Scenario") -> "World":
        """Return the world of a scenario as its file says it."""
        return cls(name=scenario.name, spec=scenario.world, digest=scenario.sha256)


@dataclass(frozen=True, slots=True, kw_only=True)
class Design:
    """Every world under every strategy and router, ``replications`` times, on common random numbers."""

    worlds: tuple[World, ...]
    strategies: tuple[str, ...]
    routers: tuple[str, ...]
    replications: int
    seed: int

    def __post_init__(self) -> None:
        """Check what can be checked before anything runs. Raises SimlabError."""
        for name in self.strategies:
            STRATEGIES.get(name)
        for name in self.routers:
            find_router(name)
        _check(self.replications >= 1, f"replications: must be at least 1, not {self.replications}")
        _check(self.seed >= 0, f"seed: must be 0 or more, not {self.seed}")
        for what, names in (
            ("worlds", [world.name for world in self.worlds]),
            ("strategies", self.strategies),
            ("routers", self.routers),
        ):
            _check(len(names) > 0, f"{what}: at least one is needed")
            _check(len(set(names)) == len(names), f"{what}: one is named twice: {', '.join(names)}")

    @property
    def cells(self) -> Sequence[tuple[World, str, str]]:
        """Every (world, strategy, router), in order."""
        return list(product(self.worlds, self.strategies, self.routers))

    @property
    def digest(self) -> str:
        """The hash of everything that decides the results but the code: 16 hexadecimal digits."""
        text = repr(
            (
                [(world.name, world.digest) for world in self.worlds],
                self.strategies,
                self.routers,
                *(digest for digest in map(router_digest, self.routers) if digest),
                self.replications,
                self.seed,
            )
        )
        return sha256(text.encode()).hexdigest()[:16]


def _check(condition: bool, message: str) -> None:
    if not condition:
        raise SimlabError(message)
