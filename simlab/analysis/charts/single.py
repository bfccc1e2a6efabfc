"""Figures. Matplotlib is imported when one is drawn."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from simlab.analysis.outcome import Outcome
from simlab.analysis.style import GREY, INCHES_PER_ROW, looks

if TYPE_CHECKING:
    from matplotlib.axes import Axes

DOTS_PER_INCH: Final = 110


@dataclass(frozen=True, slots=True, kw_only=True)
class Panel:
    """One figure of a run beside the others: its title, its unit, and how to read it off (None: no mark)."""

    title: str
    unit: str
    read: Callable[[Outcome], float | None]


def _seconds(value_ms: float | None) -> float | None:
    return None if value_ms is None else value_ms / 1000


PANELS: Final = (
    Panel(title="Later event acted on after", unit="seconds", read=lambda each: _seconds(each.acted_ms)),
    Panel(title="Request done after", unit="seconds", read=lambda each: _seconds(each.request_ms)),
    Panel(title="Tool time thrown away", unit="seconds", read=lambda each: _seconds(each.tool_thrown_away_ms)),
    Panel(title="Model calls, main and side", unit="calls a run", read=lambda each: each.main_calls + each.side_calls),
)


def draw_comparison(outcomes: Sequence[Outcome], path: Path) -> None:
    """Draw one row for each scenario and one mark for each strategy (and router that it names), as a PNG."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    scenarios = list(dict.fromkeys(outcome.scenario for outcome in outcomes))
    arms = {arm(outcome): outcome.strategy for outcome in outcomes}
    height = 1.8 + INCHES_PER_ROW * len(scenarios)
    figure = Figure(figsize=(15, height), dpi=DOTS_PER_INCH, layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots(1, len(PANELS), sharey=True, squeeze=False)[0]
    for axis, panel in zip(axes, PANELS, strict=True):
        _draw_panel(axis, panel, outcomes, scenarios, arms)
    handles, labels = axes[-1].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside upper center", ncols=min(len(arms), 8), frameon=False)
    figure.supxlabel(
        "No mark: nothing to measure, or not before the run ended. Marks of one row are set apart to be seen.",
        fontsize=8,
        color=GREY,
    )
    figure.savefig(path, format="png", metadata={"Software": None})


def arm(outcome: Outcome) -> str:
    """Return the label of an outcome: its strategy, and its router if the outcome names one."""
    return f"{outcome.strategy} ({outcome.router})" if outcome.router else outcome.strategy


def _draw_panel(
    axis: "Axes", panel: Panel, outcomes: Sequence[Outcome], scenarios: Sequence[str], arms: Mapping[str, str]
) -> None:
    look = looks((strategy, name) for name, strategy in arms.items())
    for place, name in enumerate(arms):
        shift = (place - (len(arms) - 1) / 2) * 0.8 / max(len(arms), 1)
        points = [(panel.read(each), scenarios.index(each.scenario) + shift) for each in outcomes if arm(each) == name]
        seen = [(value, row) for value, row in points if value is not None]
        colour, mark = look[place]
        axis.plot(
            [x for x, _ in seen], [y for _, y in seen], mark, color=colour, markersize=5, label=name, clip_on=False
        )
    for line in range(len(scenarios) - 1):
        axis.axhline(line + 0.5, color=GREY, linewidth=0.3)
    axis.set_title(panel.title, fontsize=10)
    axis.set_xlabel(panel.unit)
    axis.set_xlim(left=0)
    axis.margins(x=0.08)
    axis.grid(axis="x", linewidth=0.3)
    axis.set_yticks(range(len(scenarios)), labels=[name.rpartition("/")[2] for name in scenarios], fontsize=8)
    axis.set_ylim(len(scenarios) - 0.4, -0.6)
