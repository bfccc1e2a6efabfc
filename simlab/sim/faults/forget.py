"""Forget: an interrupted task is not taken up again.

Opportunity: an interruption of a task, named (task, first event behind it). A task is interrupted when a call of it
was closed by a placeholder before an event that is not about it, or when an urgent request pushes it aside. A forgotten
task rests until something in the trajectory speaks of it: a late result of one of its calls, an event about it, or the
repeat of the request by its impatient sender. An event that is marked with a reminder (``Mark.REMINDER``) is no
opportunity.
"""

from typing import Final

from simlab.core.record import FaultKind
from simlab.sim.faults.minds import Mind
from simlab.sim.reading import TaskState

PARAMETER: Final = "flt.forget"


def lose(mind: Mind, task: TaskState, event_id: str) -> None:
    """Draw whether the task is forgotten over this event."""
    if mind.luck.meet(FaultKind.FORGET, (task.id, event_id), mind.hazards.forget, task.id).sampled:
        mind.drop(task)
