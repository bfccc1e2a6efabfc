"""Derail: a message that was flushed in the middle of a task makes the model drop its plan.

Opportunity: (task, event), for every event that is appended while the task is under way, is not about it and lost it no
call (those are opportunities to forget). What follows is the same: the plan rests until something speaks of it. The
hazard is the added failure when an update comes at a step boundary. A message that is marked with a reminder is none.
"""

from typing import Final

from simlab.core.record import FaultKind
from simlab.sim.faults.minds import Mind
from simlab.sim.reading import TaskState

PARAMETER: Final = "int.update_error_guided"


def throw_off(mind: Mind, task: TaskState, event_id: str) -> None:
    """Draw whether the model drops the plan of the task over this event."""
    if mind.luck.meet(FaultKind.DERAIL, (task.id, event_id), mind.hazards.derail, task.id).sampled:
        mind.drop(task)
