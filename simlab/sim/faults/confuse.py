"""Confuse: a side exchange that does not say so is taken for a step of the main task.

Opportunity: (task in hand, event), for each side exchange that was appended without its mark while a step of the task
was next. The step counts as done, with the side answer for its result: it is never carried out, what is built on it is
contaminated, and the final answer claims its effect. A marked exchange is no opportunity.
"""

from typing import Final

from simlab.core.record import FaultKind
from simlab.sim.faults.minds import Mind
from simlab.sim.reading import StepState, StepStatus, TaskState

PARAMETER: Final = "flt.confuse"


def mix_up(mind: Mind, event_id: str) -> None:
    """Draw whether an unmarked side exchange is taken for the next step of the task in hand."""
    task = mind.in_hand()
    state = _next_step(task) if task is not None else None
    if task is None or state is None:
        return
    if mind.luck.meet(FaultKind.CONFUSE, (task.id, event_id), mind.hazards.confuse, task.id).sampled:
        mind.tainted.add((task.id, state.step.id))
        mind.skipped.add((task.id, state.step.id))
        task.become(state, StepStatus.DONE)


def _next_step(task: TaskState) -> StepState | None:
    ready = [state for state in task.ready if state.status is StepStatus.TODO]
    return min(ready, key=lambda state: state.index, default=None)
