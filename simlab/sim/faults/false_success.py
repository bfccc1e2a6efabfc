"""False success: a final answer claims an effect although the tool has failed.

Opportunity: (task, step, version), for a step with an effect whose last word is an error, when the final answer is
given. An honest answer reports the failure. The claim is wrong unless the ledger has the effect all the same (a tool
that timed out may have acted).
"""

from typing import Final

from simlab.core.record import FaultKind
from simlab.sim.faults.minds import Mind
from simlab.sim.speaking import Speech

PARAMETER: Final = "fab.false_success"


def claim(mind: Mind, speech: Speech) -> None:
    """Let final answers claim what failed, and what the model believes done through another fault."""
    for task_id in speech.finals:
        for state in mind.tasks[task_id].steps.values():
            step = state.step.id
            if not mind.has_effect(state.step.tool):
                continue
            if (task_id, step) in mind.skipped:
                mind.claims.append((task_id, step, FaultKind.CONFUSE))
            elif (task_id, step) in mind.failed:
                subject = (task_id, step, state.version)
                exposure = mind.luck.meet(FaultKind.FALSE_SUCCESS, subject, mind.hazards.false_success, task_id)
                if exposure.sampled:
                    mind.claims.append((task_id, step, FaultKind.FALSE_SUCCESS))
                    mind.played.append(exposure)
