"""Repeat: the model makes the same call again while the first one runs, or without knowing what became of it.

Opportunity: a call of an active task of which the trajectory says "still running", or "cancelled, effect unknown" for a
tool that changes the world; drawn once for each (task, step, version). A second run does the work again, and if both
take effect, the effect is doubled, unless the tool is idempotent.
"""

from dataclasses import dataclass
from typing import Final

from simlab.core.messages import PlaceholderState
from simlab.core.record import FaultKind
from simlab.sim.calibration import Level, parameter
from simlab.sim.faults.minds import Mind
from simlab.sim.reading import CallRef, StepState, StepStatus, TaskState
from simlab.sim.speaking import Speech

PARAMETERS: Final = ("flt.repeat_running", "flt.repeat_unknown")


@dataclass(frozen=True, slots=True, kw_only=True)
class Repeat:
    """Chances of a second call: while the first ``running`` one goes on, and when its effect is ``unknown``."""

    running: float
    unknown: float


def repeat(level: Level) -> Repeat:
    """Return the calibrated hazard at a level."""
    return Repeat(**{name.partition("repeat_")[2]: parameter(name).value(level) for name in PARAMETERS})


def call_again(mind: Mind, task: TaskState, part: Speech) -> None:
    """Make calls again that are under way, or whose end nobody knows."""
    for state in task.steps.values():
        hazard = _hazard(mind, task, state)
        if hazard is None or (task.id, state.step.id, state.version) in mind.repeated:
            continue
        subject = (task.id, state.step.id, state.version)
        exposure = mind.luck.meet(FaultKind.REPEAT, subject, hazard, task.id)
        if exposure.sampled:
            part.calls.append(CallRef(task.id, state.step.id, state.version, state.failures))
            part.work.append(("call", task.id, state.step.id, state.version))
            mind.played.append(exposure)


def _hazard(mind: Mind, task: TaskState, state: StepState) -> float | None:
    """Return the hazard of an opportunity, None where there is none."""
    model = mind.hazards.repeat
    if state.status is StepStatus.HELD:
        return model if isinstance(model, float) else model.running
    if state.status is StepStatus.BLIND and mind.known[state.call_id] is PlaceholderState.CANCELLED_UNKNOWN:
        return model if isinstance(model, float) else model.unknown
    return None
