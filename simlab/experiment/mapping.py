"""The decision map: which strategy wins where, over a grid of two parameters.

Each cell is compared on common random numbers; the lead of its best strategy is tested against every other one, and
the claims of all cells together are held to a false discovery rate (Benjamini and Hochberg 1995). A cell is a file, so
a map can be stopped and continued.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from simlab.core.errors import SimlabError
from simlab.experiment.design import Design, World
from simlab.experiment.levels import Axis, at_level
from simlab.experiment.metric_values import check_metric, metric_values
from simlab.experiment.output import write_whole
from simlab.experiment.pools import spawned_pool
from simlab.experiment.runner import run_chunks
from simlab.experiment.scenario import Scenario

if TYPE_CHECKING:
    import pandas as pd
    from numpy.typing import NDArray

RATE = 0.05
"""At most this share of the cells with a winner are expected to have none."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MapPlan:
    """A map: the scenario, two axes, the metric (a column of the table of runs, or ``response:KIND``) and the arms."""

    scenario: Scenario
    x: Axis
    y: Axis
    metric: str
    strategies: tuple[str, ...]
    router: str
    replications: int
    seed: int
    higher_is_better: bool = False

    def __post_init__(self) -> None:
        check_metric(self.metric)

    def cells(self) -> list[tuple[int, int]]:
        """Return the places of all cells."""
        return [(row, column) for row in range(len(self.y.levels)) for column in range(len(self.x.levels))]

    def design(self, cell: tuple[int, int]) -> Design:
        """Return the experiment of one cell."""
        row, column = cell
        levels = {self.x.parameter: self.x.levels[column], self.y.parameter: self.y.levels[row]}
        return self.design_of(at_level(self.scenario, levels))

    def design_of(self, world: World) -> Design:
        """Return the experiment in one world."""
        return Design(
            worlds=(world,),
            strategies=self.strategies,
            routers=(self.router,),
            replications=self.replications,
            seed=self.seed,
        )

    def file_name(self, cell: tuple[int, int]) -> str:
        """Return the name of a cell's file: it changes with everything that decides the cell."""
        return f"cell-{cell[0]:03d}-{cell[1]:03d}-{self.metric.replace(':', '-')}-{self.design(cell).digest}.json"


def values_of(design: Design, metric: str) -> "dict[str, NDArray[Any]]":
    """Return the metric's value for each run of each strategy, in the order of replications.

    ``response:KIND`` is the mean over the events of that kind in the run, in seconds; an event never answered counts as
    answered when the run was cut. Runs without such an event are left out under every strategy. Raises SimlabError for
    an unknown metric, or when a strategy fails.
    """
    import pandas as pd

    runs, events = [], []
    for chunk in run_chunks(design):
        for failure in chunk.failures:
            raise SimlabError(f"{failure.what}; replay: {failure.replay}")
        runs.append(pd.DataFrame(chunk.runs))
        events.append(pd.DataFrame(chunk.events))
    by_arm = metric_values((pd.concat(runs, ignore_index=True), pd.concat(events, ignore_index=True)), metric)
    wide = pd.DataFrame({strategy: values for (strategy, _), values in by_arm.items()}, columns=design.strategies)
    whole = wide.dropna()
    if len(whole) < 2:
        raise SimlabError(f"metric {metric!r}: fewer than two runs have a value under every strategy")
    return {strategy: whole[strategy].to_numpy(dtype=float) for strategy in design.strategies}


# --- cells ------------------------------------------------------------------------------------------------------------


def make_cell(plan: MapPlan, cell: tuple[int, int]) -> dict[str, Any]:
    """Compare the strategies in one cell: means, the best, and the p value of "it beats no other"."""
    from simlab.analysis.stats.verdict import winner

    values = values_of(plan.design(cell), plan.metric)
    best = winner(values, higher_is_better=plan.higher_is_better)
    return {
        "row": cell[0],
        "column": cell[1],
        "means": {name: float(array.mean()) for name, array in values.items()},
        "runs": len(values[best.name]),
        "winner": best.name,
        "p_value": best.p_value,
    }


def make_map(
    plan: MapPlan, folder: Path, *, jobs: int = 1, progress: Callable[[int], None] | None = None
) -> "pd.DataFrame":
    """Make every cell that the folder does not hold yet; return the map, a row for each cell.

    Columns: x, y (levels), winner, p_value, decided (after control of the false discovery rate), and a mean for each
    strategy.
    """
    import pandas as pd

    from simlab.analysis.stats.multiple import benjamini_hochberg

    folder.mkdir(parents=True, exist_ok=True)
    found = {cell: _read(folder / plan.file_name(cell)) for cell in plan.cells()}
    missing = [cell for cell, content in found.items() if content is None]
    if progress is not None:
        progress(len(found) - len(missing))
    for cell, content in _make(plan, missing, jobs):
        _write(folder / plan.file_name(cell), content)
        found[cell] = content
        if progress is not None:
            progress(1)
    cells = [content for content in found.values() if content is not None]
    adjusted = benjamini_hochberg([content["p_value"] for content in cells])
    return pd.DataFrame(
        [
            {
                "x": plan.x.levels[content["column"]],
                "y": plan.y.levels[content["row"]],
                "winner": content["winner"],
                "p_value": content["p_value"],
                "p_adjusted": float(p_adjusted),
                "decided": bool(p_adjusted <= RATE),
                "runs": content["runs"],
                **content["means"],
            }
            for content, p_adjusted in zip(cells, adjusted, strict=True)
        ]
    )


_plan: MapPlan | None = None


def _take_plan(plan: MapPlan) -> None:
    global _plan  # noqa: PLW0603 - a worker process holds one plan, given to it when it starts
    _plan = plan


def _make_numbered(cell: tuple[int, int]) -> dict[str, Any]:
    assert _plan is not None
    return make_cell(_plan, cell)


def _make(
    plan: MapPlan, cells: Sequence[tuple[int, int]], jobs: int
) -> Iterator[tuple[tuple[int, int], dict[str, Any]]]:
    if jobs == 1 or len(cells) < 2:
        for cell in cells:
            yield cell, make_cell(plan, cell)
        return
    with spawned_pool(min(jobs, len(cells)), _take_plan, plan) as pool:
        yield from zip(cells, pool.map(_make_numbered, cells), strict=True)


def _read(path: Path) -> dict[str, Any] | None:
    try:
        content: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return content


def _write(path: Path, content: Mapping[str, Any]) -> None:
    write_whole(path, json.dumps(content).encode())
