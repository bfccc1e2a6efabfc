"""Fabricate: the model acts on a result that never arrived.

Opportunity: a decision point, (task, plan node, missing result), drawn once, by what held when the model was first
called with it. A node acts when every result that it lacks was invented. What then happens is played out: the call is
made (or the final answer given) with the invented value, and whatever is built on it is contaminated too; an effect of
such a call is a wrong effect. A call that the model believes answered is not made again. When the true result arrives
the model may put things right: it then does the contaminated steps again, with the true value. What a wrong call did
in the world stays done.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from math import exp, log
from types import MappingProxyType
from typing import Any, Final

from simlab.core.messages import Wording
from simlab.core.record import Exposure, FaultKind
from simlab.sim.calibration import Level, parameter
from simlab.sim.faults.minds import Mind
from simlab.sim.reading import CallRef, StepState, StepStatus, TaskState
from simlab.sim.speaking import Missing, Speech

CAP: Final = 0.95
STEPS_A_UNIT: Final = 5
UNITS_AT_MOST: Final = 5

PARAMETERS: Final[Mapping[str, str]] = MappingProxyType(
    {
        "explicit": "fab.p0_explicit",
        "terse": "fab.p0_terse",
        "error": "fab.p0_error",
        "missing": "fab.p0_missing",
        "or_pending": "fab.or_pending",
        "or_distance": "fab.or_distance",
        "or_pressure": "fab.or_pressure",
        "or_reasoning": "fab.or_reasoning",
        "or_rule": "fab.or_instruction",
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Fabrication:
    """The logistic hazard of one decision point.

    ``explicit`` to ``missing`` are chances by the wording of the placeholder; ``or_`` are odds ratios: for each further
    pending call, for each 5 steps since the placeholder (5 units at most), for full pressure, for a reasoning model,
    for a rule never to guess. ``pressure`` (0 to 1), ``reasoning`` and ``has_rule`` describe the deployment.
    """

    explicit: float
    terse: float
    error: float
    missing: float
    or_pending: float = 1.0
    or_distance: float = 1.0
    or_pressure: float = 1.0
    or_reasoning: float = 1.0
    or_rule: float = 1.0
    pressure: float = 0.0
    reasoning: bool = True
    has_rule: bool = False

    def hazard(self, wording: Wording, *, pending: int, steps_since: int) -> float:
        """Return the chance of inventing the result.

        ``pending`` counts the calls of which only a placeholder is known, ``steps_since`` the model's messages since
        this one was written. An explicit placeholder says "do not guess" already: a rule adds nothing to it.
        """
        p0: float = getattr(self, wording.value)
        if p0 <= 0:
            return 0.0
        logit = log(p0 / (1 - p0)) if p0 < 1 else float("inf")
        logit += log(self.or_pending) * max(0, pending - 1)
        logit += log(self.or_distance) * min(UNITS_AT_MOST, steps_since / STEPS_A_UNIT)
        logit += log(self.or_pressure) * self.pressure
        logit += log(self.or_reasoning) * self.reasoning
        if self.has_rule and wording is not Wording.EXPLICIT:
            logit += log(self.or_rule)
        return min(CAP, 1 / (1 + exp(-logit)))


def fabrication(level: Level) -> Fabrication:
    """Return the calibrated hazard at a level."""
    values: dict[str, Any] = {name: parameter(known).value(level) for name, known in PARAMETERS.items()}
    return Fabrication(**values)


def invent(mind: Mind, task: TaskState, part: Speech) -> bool:
    """Let the model act on what it lacks; return whether it gives the final answer all the same."""
    missing = [each for each in part.missing if each.task_id == task.id]
    pending = mind.pending_count() if missing else 0
    met = {(each.node, each.step): _meet(mind, task, each, pending) for each in missing}
    finished = False
    waiting: set[str] = set()
    for node in dict.fromkeys(each.node for each in missing):
        lacks = {step: each for (at, step), each in met.items() if at == node}
        if all(each.sampled for each in lacks.values()):
            if (task.id, node) not in mind.refused and _acts(mind, task, node):
                finished |= _act(mind, task, node, part)
                mind.played += lacks.values()
            else:
                waiting.update(lacks)
        else:
            waiting.update(step for step, each in lacks.items() if not each.sampled)
    believed = {each.step for each in missing}.union(*_invented_before(mind, task)) - waiting - _awaited_jobs(task)
    _leave_out(mind, task, believed, part)
    return finished


def _invented_before(mind: Mind, task: TaskState) -> list[set[str]]:
    return [steps for (task_id, _), steps in mind.invented.items() if task_id == task.id]


def _awaited_jobs(task: TaskState) -> set[str]:
    """Return the steps whose jobs somebody waits for: their end is not invented, so they have to be started."""
    awaited = {*task.plan.final_links[1], *(job for state in task.steps.values() for job in state.job_needs)}
    return awaited - task.jobs


def _meet(mind: Mind, task: TaskState, point: Missing, pending: int) -> Exposure:
    model = mind.hazards.fabricate
    hazard = model if isinstance(model, float) else _hazard(mind, model, task, point, pending)
    subject = (task.id, point.node, point.step)
    return mind.luck.meet(FaultKind.FABRICATE, subject, hazard, task.id)


def _hazard(mind: Mind, model: Fabrication, task: TaskState, point: Missing, pending: int) -> float:
    wording = mind.wording_of(point.call_id)
    return model.hazard(wording, pending=pending, steps_since=mind.steps_since(point.call_id))


def _acts(mind: Mind, task: TaskState, node: str) -> bool:
    """Whether an invention leads to a call with an effect: only a share of them does. All else follows from it."""
    if node == "final" or not mind.has_effect(task.plan_step(node).tool):
        return True
    return mind.luck.draw("act", task.id, node) < mind.hazards.act


def _act(mind: Mind, task: TaskState, node: str, part: Speech) -> bool:
    """Do what the node asks for; return whether that is the final answer."""
    if node == "final":
        if task.id not in part.finals:
            part.finals.append(task.id)
            part.work.append(("final", task.id, task.version))
            mind.claims += [
                (task.id, need.step.id, FaultKind.FABRICATE)
                for need in task.final_needs
                if not need.over and mind.has_effect(need.step.tool)
            ]
        return True
    state = task.steps[node]
    part.calls.append(CallRef(task.id, node, state.version, state.failures))
    part.work.append(("call", task.id, node, state.version))
    return False


def _leave_out(mind: Mind, task: TaskState, believed: set[str], part: Speech) -> None:
    """Take back calls for steps whose result the model believes it has."""
    out = {ref for ref in part.calls if ref.task_id == task.id and ref.step in believed}
    if out:
        part.calls = [ref for ref in part.calls if ref not in out]
        gone = {("call", ref.task_id, ref.step, ref.version) for ref in out}
        part.work = [work for work in part.work if work not in gone]
        again = {(ref.task_id, ref.step, ref.version) for ref in out}
        mind.played = [each for each in mind.played if each.kind is not FaultKind.REPEAT or each.subject not in again]


def put_right(mind: Mind, task: TaskState, found: StepState) -> None:
    """A true result has arrived: perhaps do again what was built on an invented one."""
    for (task_id, node), invented in list(mind.invented.items()):
        if task_id != task.id or found.step.id not in invented:
            continue
        invented.discard(found.step.id)
        subject = (task.id, node, found.step.id)
        if mind.luck.meet(FaultKind.RECOVER, subject, mind.hazards.recover, None).sampled:
            _redo(mind, task, node)


def expose(mind: Mind, task: TaskState, state: StepState) -> None:
    """A check has found an invention: what it stands on is done again, and nothing is invented for it a second time."""
    key = (task.id, state.step.id)
    if key not in mind.tainted:
        return
    mind.refused.add(key)
    mind.tainted.discard(key)
    mind.invented.pop(key, None)
    mind.stale.add(state.call_id)
    state.placeholder = ""
    for need in state.needs:
        expose(mind, task, need)
    task.become(state, StepStatus.TODO)
    task.recount()


def _redo(mind: Mind, task: TaskState, node: str) -> None:
    """Take a contaminated node, and what was built on it, up again."""
    if (task.id, node) not in mind.tainted or mind.invented.get((task.id, node)):
        return
    mind.tainted.discard((task.id, node))
    if node == "final":
        mind.reopen(task)
        return
    state = task.steps[node]
    mind.stale.add(state.call_id)
    state.placeholder = ""
    task.become(state, StepStatus.TODO)
    for each in state.feeds:
        _redo(mind, task, each.step.id)
    if state in task.final_needs:
        _redo(mind, task, "final")
    task.recount()
