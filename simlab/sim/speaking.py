"""What the mocked model says next: a function of the trajectory it was called with, and of nothing else.

One message answers every question it can answer, issues every call whose needs are met and whose task is not
suspended, and gives every final answer that is ready. A task is suspended while a later urgent request in the
trajectory is unfinished; what this very message finishes counts as finished.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple

from simlab.core.record import IntentKind
from simlab.sim.reading import CallRef, Reading, StepState, StepStatus, TaskState
from simlab.sim.spec import Acts, Intent, ToolModel

if TYPE_CHECKING:
    from simlab.sim.faults.tempted import Faults

Work = tuple[str, ...]
"""The name of a piece of work: ("answer", event), ("call", task, step, version) or ("final", task, version)."""


# Looked up once: on Python 3.11 the look-up of a member of an enumeration costs more than a call.
_TODO, _QUESTION = StepStatus.TODO, IntentKind.QUESTION


class Missing(NamedTuple):
    """A decision point: this node would be next, if it were not for one result known only as a placeholder."""

    task_id: str
    node: str
    step: str
    call_id: str


@dataclass(slots=True)
class Speech:
    """What one message holds, in order. ``work`` names each piece, for its draws. ``faults``: what is wrong with it."""

    answers: list[str] = field(default_factory=list)
    calls: list[CallRef] = field(default_factory=list)
    finals: list[str] = field(default_factory=list)
    work: list[Work] = field(default_factory=list)
    missing: list[Missing] = field(default_factory=list)
    faults: "Faults | None" = None


def advance(task: TaskState, tools: Mapping[str, ToolModel], part: Speech) -> bool:
    """Say for one task what can be said; return whether that finishes it."""
    if task.ready:
        _issue(task, tools, part)
    if task.has_gaps:
        for state in task.steps.values():
            if state.status is _TODO:
                _note_missing(task, state.step.id, state.needs, state.job_needs, part)
    if not task.final_is_ready():
        if task.has_gaps:
            _note_missing(task, "final", task.final_needs, task.plan.final_links[1], part)
        return False
    part.finals.append(task.id)
    part.work.append(("final", task.id, task.version))
    return True


Advance = Callable[[TaskState, Mapping[str, ToolModel], Speech], bool]


def speak(reading: Reading, tools: Mapping[str, ToolModel], go_on: Advance = advance) -> Speech:
    """Return the next message of a model that has read that far; ``go_on`` says for one task what can be said."""
    speech = Speech()
    for ref in reading.withdrawn:
        speech.calls.append(ref)
        speech.work.append(("call", ref.task_id, ref.step, ref.version))
    active = reading.active
    if len(active) == 1:
        go_on(active[0], tools, speech)
    elif active:
        _go_on_with_several(active, tools, speech, go_on)
    if reading.pending:  # looked at last, because a step that turns out void may be all that a question waited for
        speech.answers = [name for name, intent in reading.pending.items() if _answerable(reading, intent)]
        speech.work[:0] = [("answer", name) for name in speech.answers]
    return speech


def _go_on_with_several(
    active: list[TaskState], tools: Mapping[str, ToolModel], speech: Speech, go_on: Advance
) -> None:
    """Look at the latest task first: an urgent one that this message does not finish suspends those before it."""
    parts: list[Speech] = []
    for task in reversed(active):
        part = Speech()
        finished = go_on(task, tools, part)
        parts.append(part)
        if task.urgent and not finished:
            break
    for part in reversed(parts):
        speech.calls += part.calls
        speech.finals += part.finals
        speech.work += part.work
        speech.missing += part.missing


def _answerable(reading: Reading, intent: Intent) -> bool:
    """Whether a question can be answered now: a dependent one needs its facts, or a task that is over."""
    if intent.kind is not _QUESTION or intent.task is None:
        return True
    task = reading.tasks.get(intent.task)
    if task is None or task.voided or task.final:
        return True
    if not intent.needs:
        return all(state.over for state in task.steps.values())
    return all(_need_met(task, need) for need in intent.needs)


def _need_met(task: TaskState, need: str) -> bool:
    if need.startswith("job:"):
        return need.removeprefix("job:") in task.jobs
    state = task.steps.get(need)
    return state is None or state.over


def _issue(task: TaskState, tools: Mapping[str, ToolModel], part: Speech) -> None:
    """Issue every call whose needs are met, in the order of the plan. A step that turns out void may free others."""
    wanted: list[StepState] = []
    for state in task.ready:  # grows while it is walked
        if state.status is _TODO and (state.is_plain or _wanted(task, state, tools)):
            wanted.append(state)
    task.ready = [state for state in task.ready if not state.over]
    if len(wanted) > 1:
        wanted.sort(key=_by_index)
    task_id = task.id
    for state in wanted:
        step, version = state.step.id, state.version
        part.calls.append(CallRef(task_id, step, version, state.failures))
        part.work.append(("call", task_id, step, version))


_by_index = attrgetter("index")


def _wanted(task: TaskState, state: StepState, tools: Mapping[str, ToolModel]) -> bool:
    """Whether a step whose needs are met is to be done: its guard holds, its job has not ended. If not, it is void."""
    step = state.step
    if step.job is not None and tools[step.tool].acts is not Acts.START and step.job in task.jobs:
        task.set_aside(state)
        return False
    if step.guard is None:
        return True
    value = task.steps[step.guard.step].value
    if value is not None and step.guard.holds(value):
        return True
    task.set_aside(state)
    return False


def _note_missing(task: TaskState, node: str, needs: list[StepState], jobs: tuple[str, ...], part: Speech) -> None:
    """Note decision points: every unmet need of the node is known as a placeholder, and only so."""
    unmet = [state for state in needs if not state.over]
    if unmet and all(state.placeholder for state in unmet) and task.jobs.issuperset(jobs):
        part.missing += [Missing(task.id, node, state.step.id, state.placeholder) for state in unmet]
