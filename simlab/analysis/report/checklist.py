"""The STRESS-DES checklist, filled in from what is known of an experiment.

Source: T. Monks, C. Currie, B. Onggo, S. Robinson, M. Kunc and S. Taylor, "Strengthening the reporting of empirical
simulation studies: introducing the STRESS guidelines", Journal of Simulation 13 (2019) 55-67: the twenty items for
discrete-event simulation.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from simlab.analysis.report.values import Cell, Grid


@dataclass(frozen=True, slots=True, kw_only=True)
class Study:
    """The facts of an experiment that the checklist asks for. Texts are plain."""

    question: str
    scenarios: Sequence[str]
    strategies: Sequence[str]
    routers: Sequence[str]
    baseline: str
    metrics: Sequence[str]
    entities: str
    tools: Sequence[str]
    sources: int
    assumptions: int
    horizon: str
    replications: int
    seed: int
    margin: float
    resample: bool
    packages: Mapping[str, str]
    version: str
    command: str
    design: str


def checklist(study: Study) -> Grid:
    """Return the twenty items with their answers."""
    rows = [
        [Cell(text=number), Cell(text=item), Cell(text=answer)]
        for number, item, answer in (*_aims(study), *_logic(study), *_data(study), *_runs(study), *_code(study))
    ]
    caption = "STRESS-DES (Monks et al., Journal of Simulation 13, 2019), filled in from the experiment's own files."
    return Grid(ident="stress", caption=caption, head=["item", "what is asked", "answer"], rows=rows)


Item = tuple[str, str, str]


def _aims(study: Study) -> list[Item]:
    return [
        ("1.1", "Purpose of the model", study.question),
        ("1.2", "Model outputs", f"Per run and per event: {', '.join(study.metrics)}."),
        (
            "1.3",
            "Aims of the experiment",
            (
                f"Compare {', '.join(study.strategies)} (routers: {', '.join(study.routers)}) with {study.baseline} on "
                f"{', '.join(study.scenarios)}, by paired differences."
            ),
        ),
    ]


def _logic(study: Study) -> list[Item]:
    return [
        (
            "2.1",
            "Overview diagram of the base model",
            (
                "Event, inbox, router, backlog; safe point: take events, call the model, run tools, record "
                "results; repeat "
                "until no call is left; idle. The timelines of the worst runs show it at work."
            ),
        ),
        (
            "2.2",
            "Base model logic",
            (
                "A round takes events off the backlog, appends them to the trajectory, calls the model once and "
                "runs the "
                "tools that it chose. Events are consumed only at safe points. The order within one millisecond "
                "is fixed: "
                "effects, tools, model calls, timers, events, verdicts, windows."
            ),
        ),
        (
            "2.3",
            "Scenario logic",
            (
                "Scenarios differ in events, tasks, tools and latencies; strategies differ in what they decide at an "
                "arrival, at a safe point and about open calls. Everything else is the same."
            ),
        ),
        (
            "2.4",
            "Algorithms",
            (
                "The mocked model is a function of the trajectory that it is called with. Laws are drawn by "
                "inversion of "
                "one uniform number, which is named for what it is for."
            ),
        ),
        (
            "2.5",
            "Components: entities, activities, resources, queues, entry and exit",
            (
                f"{study.entities} Activities: model calls, tool runs ({', '.join(study.tools) or 'no tools'}), side "
                "sessions, verdicts. Resources: the model, the router's workers. Queue: the backlog. Entry: arrival in "
                "the inbox; exit: answered, refused, dropped or censored at the end of the run."
            ),
        ),
    ]


def _data(study: Study) -> list[Item]:
    return [
        (
            "3.1",
            "Data sources",
            f"{study.sources} values have a published source; see the assumptions of each scenario.",
        ),
        ("3.2", "Pre-processing", "Laws were fitted to published quantiles and traces; see docs/calibration.md."),
        ("3.3", "Input parameters", "In the scenario files; the tables of facts and assumptions show them."),
        ("3.4", "Assumptions", f'{study.assumptions} values say "assumption"; see the assumptions of each scenario.'),
    ]


def _runs(study: Study) -> list[Item]:
    again = "drawn anew as well (--resample)" if study.resample else "the same draw"
    return [
        ("4.1", "Initialisation", "Every run begins idle and empty and is a terminating simulation; no warm-up."),
        ("4.2", "Run length", f"Until nothing is under way, or the horizon: {study.horizon}."),
        (
            "4.3",
            "Estimation approach",
            (
                f"{study.replications:,} independent replications on common random numbers; paired t intervals guarded "
                f"against skewness; Holm over the table; margin {study.margin:.0%} of the baseline; work done "
                f"again has {again}."
            ),
        ),
    ]


def _code(study: Study) -> list[Item]:
    packages = ", ".join(f"{name} {version}" for name, version in study.packages.items())
    return [
        ("5.1", "Software", f"simlab {study.version}, Python, {packages}."),
        (
            "5.2",
            "Random sampling",
            (
                f"Root seed {study.seed}; a stream for each replication and a draw for each name, so that "
                "strategies share "
                "their luck."
            ),
        ),
        (
            "5.3",
            "Model execution",
            "Discrete events in virtual milliseconds on SimPy; replications may run in parallel.",
        ),
        ("5.4", "System specification", "Not recorded: the results are the same bytes on every machine."),
        ("6.1", "Computer model sharing", f"Apache-2.0. Made by `{study.command}` (design {study.design})."),
    ]
