"""Short ways for notebooks: compare strategies and routers, by name or your own objects, on a scenario."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from typing import TYPE_CHECKING

from simlab.analysis.compare import Row
from simlab.analysis.lane_reading import lanes_of
from simlab.analysis.lanes import Lanes
from simlab.analysis.measures import MARGIN
from simlab.core.errors import SimlabError
from simlab.core.plugins import Router, Strategy
from simlab.core.record import RunRecord
from simlab.experiment.design import World
from simlab.experiment.population import Compared, compare_world
from simlab.experiment.routing import find_router
from simlab.experiment.runner import run_plugins
from simlab.experiment.variants import load_variant
from simlab.sim.driver import simulate
from simlab.strategies import STRATEGIES

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from simlab.sim.spec import WorldSpec


def world(scenario: str) -> World:
    """Return the world of a scenario, or of a variant of one (``chat-ops@hazards=stress``). Raises SimlabError."""
    return World.of(load_variant(scenario))


def compare(
    scenario: "str | World | WorldSpec",
    strategies: Sequence[str | Strategy],
    *,
    routers: Sequence[str | Router] = ("by_type",),
    replications: int = 50,
    seed: int = 0,
    baseline: str | None = None,
    margin: float = MARGIN,
) -> Compared:
    """Run every strategy with every router on the same luck and compare them with the baseline (None: the first)."""
    import pandas as pd

    place = _world(scenario)
    plugins = [(_strategy(one), _router(other)) for one, other in product(strategies, routers)]
    chunk = run_plugins(place, plugins, replications=replications, seed=seed)
    for failure in chunk.failures:
        raise SimlabError(f"{failure.strategy}: {failure.what}; replay: {failure.replay}")
    return compare_world(
        place,
        pd.DataFrame(chunk.runs),
        pd.DataFrame(chunk.events),
        baseline=baseline,
        margin=margin,
        expected=replications,
    )


def record(
    scenario: "str | World | WorldSpec",
    strategy: str | Strategy,
    router: str | Router = "by_type",
    *,
    seed: int = 0,
    replication: int = 0,
) -> RunRecord:
    """Make one run."""
    return simulate(_world(scenario).spec, _strategy(strategy), _router(router), seed=seed, replication=replication)


def timeline(
    scenario: "str | World | WorldSpec",
    strategies: Sequence[str | Strategy],
    router: str | Router = "by_type",
    *,
    seed: int = 0,
    replication: int = 0,
    window_s: tuple[float, float] | None = None,
) -> "Figure":
    """Draw one run under each strategy, on the same clock."""
    from simlab.analysis.charts.lanes import draw_lanes
    from simlab.analysis.style import looks_of

    runs: list[Lanes] = [
        lanes_of(record(scenario, each, router, seed=seed, replication=replication)) for each in strategies
    ]
    window_ms = None if window_s is None else (round(1000 * window_s[0]), round(1000 * window_s[1]))
    return draw_lanes(runs, looks_of(run.strategy for run in runs), window_ms=window_ms)


def mean(compared: Compared, arm: str, metric: str) -> Row:
    """Return the row of a metric's mean. Raises SimlabError where there is none."""
    return statistic(compared, arm, metric, "mean")


def statistic(compared: Compared, arm: str, metric: str, name: str) -> Row:
    """Return the row of a statistic: ``mean`` (restricted or not), ``p50``, ``p90``, ``p99``. Raises SimlabError."""
    for row in compared.rows:
        if (row.strategy, row.metric) == (arm, metric) and row.statistic.endswith(name):
            return row
    known = ", ".join(dict.fromkeys(row.metric for row in compared.rows))
    raise SimlabError(f"{compared.scenario}: no {name} of {metric!r} for {arm!r}; metrics: {known}")


def _world(scenario: "str | World | WorldSpec") -> World:
    if isinstance(scenario, World):
        return scenario
    if isinstance(scenario, str):
        return world(scenario)
    return World(name=scenario.name, spec=replace(scenario), digest="made in memory")


def _strategy(strategy: str | Strategy) -> Strategy:
    found: Strategy = STRATEGIES.get(strategy) if isinstance(strategy, str) else strategy
    return found


def _router(router: str | Router) -> Router:
    found: Router = find_router(router) if isinstance(router, str) else router
    return found
