"""Which assumed parameter moves the difference between two strategies: Morris's screening, or Sobol's indices."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

from simlab.core.errors import SimlabError
from simlab.experiment.design import Design
from simlab.experiment.levels import HAZARDS, at_level, parts_of, step_into
from simlab.experiment.mapping import values_of
from simlab.experiment.metric_values import check_metric
from simlab.experiment.scenario import Scenario, document_of
from simlab.sim.faults.hazards import Hazards, calibrated

if TYPE_CHECKING:
    from simlab.analysis.stats.sensitivity import MorrisIndex, SobolIndex

SPREAD = 2.0
"""An assumed number without a range of its own is tried from half to twice its value."""

Ranges = Mapping[str, tuple[float, float]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Screening:
    """A screening: the difference ``strategies[0]`` minus ``strategies[1]`` in a metric, over ranges of parameters."""

    scenario: Scenario
    metric: str
    strategies: tuple[str, str]
    router: str
    replications: int
    seed: int
    ranges: Ranges

    def __post_init__(self) -> None:
        check_metric(self.metric)

    def output(self, point: Mapping[str, float]) -> float:
        """Return the mean paired difference at one point."""
        design = Design(
            worlds=(at_level(self.scenario, point),),
            strategies=self.strategies,
            routers=(self.router,),
            replications=self.replications,
            seed=self.seed,
        )
        values = values_of(design, self.metric)
        return float((values[self.strategies[0]] - values[self.strategies[1]]).mean())


def assumed_ranges(scenario: Scenario) -> dict[str, tuple[float, float]]:
    """Return a range for every number that the file calls an assumption, and for every hazard.

    A number goes from half to twice its value (a share at most to 1), a hazard from 0 to the high column of the
    calibration, as a constant. Times of scripted events are left alone: they are the script.
    """
    document = document_of(scenario)
    ranges: dict[str, tuple[float, float]] = {}
    for path, source in scenario.sources.items():
        if source.startswith("assumption"):
            for where, value in _numbers(_at(document, path), path):
                if value > 0 and not where.endswith((".at_ms", "horizon_ms")) and "events" not in where.split(".")[0]:
                    high = value * SPREAD
                    ranges[where] = (value / SPREAD, min(1.0, high) if value <= 1 and _is_share(where) else high)
    worst = calibrated("high")
    for field in fields(Hazards):
        top = getattr(worst, field.name)
        ranges[f"{HAZARDS}{field.name}"] = (0.0, top if isinstance(top, float) and top > 0 else 0.3)
    return {name: pair for name, pair in ranges.items() if pair[0] < pair[1]}


def _is_share(path: str) -> bool:
    return any(word in path for word in ("share", "chance", "failure"))


def _at(document: Any, path: str) -> Any:
    node = document
    for part in parts_of(path):
        node = step_into(node, part, path)
    return node


def _numbers(node: Any, path: str) -> list[tuple[str, float]]:
    """Return every number below a node, with its path. Parameters of shape and weights of lists are not levels."""
    if isinstance(node, bool):
        return []
    if isinstance(node, int | float):
        return [(path, float(node))]
    if isinstance(node, dict):
        left = {key: inner for key, inner in node.items() if not _is_no_level(node, key)}
        return [each for key, inner in left.items() for each in _numbers(inner, f"{path}.{key}")]
    if isinstance(node, list) and all(isinstance(each, dict) for each in node):  # tables, by their ids or names
        named = [(each.get("id", each.get("name", index)), each) for index, each in enumerate(node)]
        return [each for name, inner in named for each in _numbers(inner, f"{path}.{name}")]
    return []


def _is_no_level(node: dict[str, Any], key: str) -> bool:
    """Whether a key holds a weight, a count of repetitions, or an end of a span whose ends could cross."""
    starts = [value for name, value in node.items() if name.partition("_")[0] == "low"]
    return key in ("weight", "repeats") or (key.partition("_")[0] in ("low", "high") and any(starts))


def screen(
    screening: Screening, *, trajectories: int, progress: Callable[[int], None] | None = None
) -> "Sequence[MorrisIndex]":
    """Return Morris's indices, the most influential parameter first. Needs ``simlab[sensitivity]``."""
    stats = _statistics()
    design = stats.morris_design(screening.ranges, trajectories=trajectories, seed=screening.seed)
    outputs = _outputs(screening, design, progress)
    found: Sequence[MorrisIndex] = stats.morris_indices(screening.ranges, design, outputs, seed=screening.seed)
    return found


def attribute(
    screening: Screening, *, base: int, progress: Callable[[int], None] | None = None
) -> "Sequence[SobolIndex]":
    """Return Sobol's indices, the largest total first. Needs ``simlab[sensitivity]``."""
    stats = _statistics()
    design = stats.sobol_design(screening.ranges, base=base, seed=screening.seed)
    outputs = _outputs(screening, design, progress)
    found: Sequence[SobolIndex] = stats.sobol_indices(screening.ranges, outputs, seed=screening.seed)
    return found


def _outputs(screening: Screening, design: Any, progress: Callable[[int], None] | None) -> list[float]:
    outputs = []
    for point in design:
        outputs.append(screening.output(dict(zip(screening.ranges, map(float, point), strict=True))))
        if progress is not None:
            progress(1)
    return outputs


def _statistics() -> Any:
    from simlab.analysis.stats import sensitivity

    try:
        import SALib  # noqa: F401
    except ImportError:
        raise SimlabError("sensitivity: needs SALib: python -m pip install 'simlab[sensitivity]'") from None
    return sensitivity
