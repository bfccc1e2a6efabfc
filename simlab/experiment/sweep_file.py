"""The form of a sweep file (``simlab sweep DESIGN.toml``): which keys there are, and what each may hold."""

from typing import Annotated, Final

from pydantic import Field

from simlab.experiment.scenario_file import Positive, Rate, Table, Text, Whole
from simlab.experiment.toml_file import FileError

Names = Annotated[list[Text], Field(min_length=1)]
Levels = Annotated[list[float], Field(min_length=1)]
Range = Annotated[list[float], Field(min_length=2, max_length=2)]

FORMS: Final = ("grid", "latin_hypercube", "points")


class SweepError(FileError):
    """A sweep file that cannot be found, read or understood. Names file and key."""


class HypercubeTable(Table):
    """A Latin hypercube: every parameter's range is cut into as many slices as there are samples, each met once."""

    samples: Positive
    """How many points."""
    parameters: Annotated[dict[str, Range], Field(min_length=1)]
    """From a parameter's path to its range, ``[low, high]``."""
    log: list[Text] = Field(default_factory=list)
    """Parameters whose range is cut in equal ratios rather than in equal steps."""


class StopTable(Table):
    """Stop adding replications once a metric is known well enough, in each scenario at each point."""

    metric: Text
    """A column of the table of runs, or ``response:KIND``, ``acted:KIND``, ``wait:KIND`` (seconds, mean of a run)."""
    half_width: Rate
    """Half of the widest 95 % interval allowed, of the paired difference of any arm to the baseline."""
    relative: bool = False
    """``half_width`` is a share of the baseline's mean; else it is in the metric's unit."""
    baseline: Text | None = None
    """The strategy with which the others are compared. Left out: the first."""
    every: Positive = 50
    """Replications between two looks."""
    at_least: Annotated[int, Field(ge=2)] = 100
    """No look before this many replications."""
    at_most: Positive
    """Stop here in any case."""


class SweepFile(Table):
    """A sweep: scenarios x points x strategies x routers x replications."""

    scenarios: Names
    """Names or paths of scenarios, or variants of them (``coding-assistant@hazards=stress``)."""
    strategies: Names
    """Names of strategies."""
    routers: Names = Field(default_factory=lambda: ["by_type"])
    """Names of routers, or router files."""
    replications: Positive | None = None
    """Replications of each; left out where ``stop`` says how many."""
    seed: Whole = 0
    """Root of all random numbers."""
    chunk: Positive | None = None
    """Replications in a chunk, the unit of work. Left out: about two thousand runs, or ``stop.every``."""
    grid: dict[str, Levels] = Field(default_factory=dict)
    """Every combination of levels: from a parameter's path (``model.ttft_ms.median_s``) to its levels."""
    latin_hypercube: HypercubeTable | None = None
    """Points that fill the ranges evenly; they are drawn from ``seed``."""
    points: list[dict[str, float]] = Field(default_factory=list)
    """Points one by one: from a parameter's path to its value."""
    stop: StopTable | None = None
    """When to stop adding replications. Left out: after ``replications``."""
