"""What the mocked model understands of a trajectory: tasks, steps, open questions.

The understanding is a function of the messages alone. It is kept and continued as the trajectory grows, and built
anew when history was rewritten; a test holds that both give the same.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum, auto
from functools import lru_cache
from itertools import islice
from typing import NamedTuple, assert_never

from simlab.core.messages import (
    AssistantMessage,
    EventMessage,
    LateResultMessage,
    Message,
    NoticeMessage,
    PlaceholderMessage,
    PlaceholderState,
    ResultMessage,
    SideMessage,
    SideOutcome,
    ToolKind,
    ToolResult,
)
from simlab.core.record import IntentKind
from simlab.sim.spec import Acts, Intent, Plan, Step, ToolModel


class StepStatus(Enum):
    """Where a step stands, as far as the trajectory tells.

    ``held``: its result is known only as a placeholder and may still come. ``blind``: done, without its result.
    """

    TODO = auto()
    OPEN = auto()
    HELD = auto()
    DONE = auto()
    BLIND = auto()
    VOID = auto()


# Looked up once: on Python 3.11 the look-up of a member of an enumeration costs more than a call.
_TODO, _OPEN, _DONE = StepStatus.TODO, StepStatus.OPEN, StepStatus.DONE
_BLIND, _VOID = StepStatus.BLIND, StepStatus.VOID


@dataclass(slots=True, eq=False)
class StepState:
    """One step of one task. ``version`` names the amendment that it answers; ``placeholder`` the call that lost it.

    ``over``: nothing more is to be done for it. ``waits`` counts the steps that it needs and that are not over;
    ``feeds`` are the steps that wait for this one. A ``is_plain`` step has neither guard nor job. The final answer
    needs what ``is_for_final``.
    """

    step: Step
    index: int
    status: StepStatus = StepStatus.TODO
    over: bool = False
    version: str = ""
    call_id: str = ""
    placeholder: str = ""
    failures: int = 0
    value: float | None = None
    waits: int = 0
    needs: "list[StepState]" = field(default_factory=list)
    feeds: "list[StepState]" = field(default_factory=list)
    job_needs: tuple[str, ...] = ()
    is_plain: bool = True
    is_for_final: bool = False


@dataclass(slots=True, eq=False)
class TaskState:
    """One task that the trajectory asks for. ``version`` is the last amendment of its answer.

    ``ready`` are the steps whose needs were met when last looked at; ``has_gaps``: some result is, or was, only a
    placeholder; ``aside`` are the steps taken for void in the last message, and whether their job was expected.
    """

    id: str
    plan: Plan
    urgent: bool
    order: int
    steps: dict[str, StepState]
    ready: list[StepState] = field(default_factory=list)
    final_needs: list[StepState] = field(default_factory=list)
    final_waits: int = 0
    jobs: set[str] = field(default_factory=set)
    has_gaps: bool = False
    aside: list[tuple[StepState, bool]] = field(default_factory=list)
    voided: bool = False
    final: bool = False
    version: str = ""

    @classmethod
    def of(cls, task_id: str, plan: Plan, *, urgent: bool, order: int) -> "TaskState":
        """Return a task with nothing done."""
        steps = {step.id: StepState(step, index) for index, step in enumerate(plan.steps)}
        task = cls(task_id, plan, urgent, order, steps)
        for step_id, state in steps.items():
            needed, state.job_needs = plan.links[step_id]
            state.is_plain = state.step.guard is None and state.step.job is None
            state.needs = [steps[need] for need in needed]
            for need in state.needs:
                need.feeds.append(state)
            state.waits = len(needed)
            if not needed and not state.job_needs:
                task.ready.append(state)
        task.final_needs = [steps[need] for need in plan.final_links[0]]
        task.final_waits = len(task.final_needs)
        for state in task.final_needs:
            state.is_for_final = True
        return task

    def recount(self) -> None:
        """Count anew what everybody waits for: after an amendment, a correction or the end of a job."""
        self.ready = []
        for state in self.steps.values():
            state.waits = sum(not need.over for need in state.needs)
            if not state.over and state.waits == 0 and self.jobs.issuperset(state.job_needs):
                self.ready.append(state)
        self.final_waits = sum(not need.over for need in self.final_needs)

    def become(self, state: StepState, status: StepStatus) -> None:
        """Change the status of a step, and of what waits for it."""
        was_over = state.over
        state.status = status
        over = state.over = status is _DONE or status is _BLIND or status is _VOID
        if status is _VOID:
            self._expect_no_job(state)
        if was_over:
            self.recount()
        if was_over or not over:
            return
        self.final_waits -= state.is_for_final
        for each in state.feeds:
            each.waits -= 1
            if each.waits == 0 and not each.over and self.jobs.issuperset(each.job_needs):
                self.ready.append(each)

    def _expect_no_job(self, state: StepState) -> None:
        """Nobody waits for the job of a void step."""
        name = state.step.id
        if name in self.jobs:
            return
        self.jobs.add(name)
        for each in self.steps.values():
            if name in each.job_needs and each not in state.feeds and each.waits == 0 and not each.over:
                self.ready += [each] if self.jobs.issuperset(each.job_needs) else []

    def set_aside(self, state: StepState) -> None:
        """Take a step for void in the message at hand: that follows from what is known now, and may not hold later."""
        self.aside.append((state, state.step.id not in self.jobs))
        self.become(state, _VOID)

    def look_again(self) -> None:
        """Forget what was set aside for a message: it may never have been recorded, and more is known by now."""
        for state, expected_job in self.aside:
            state.status, state.over = _TODO, False
            if expected_job:
                self.jobs.discard(state.step.id)
        self.aside.clear()
        self.recount()

    def final_is_ready(self) -> bool:
        """Whether everything that the final answer needs is known."""
        return self.final_waits == 0 and self.jobs.issuperset(self.plan.final_links[1])

    def plan_step(self, step: str) -> Step:
        """Return a step of its plan."""
        return self.plan.by_id[step]


class CallRef(NamedTuple):
    """Which step a call belongs to, as the model wrote it into its arguments."""

    task_id: str
    step: str
    version: str
    attempt: int


def write_arguments(ref: CallRef) -> str:
    """Write the arguments of a call. Fields are separated by unit separators, which no id contains."""
    task_id, step, version, attempt = ref
    return f"{task_id}\x1f{step}\x1f{version}\x1f{attempt}"


@lru_cache(maxsize=4096)
def read_arguments(arguments: str) -> CallRef:
    """Read back what ``write_arguments`` wrote."""
    task_id, step, version, attempt = arguments.split("\x1f")
    return CallRef(task_id, step, version, int(attempt))


@lru_cache(maxsize=4096)
def read_result(content: str) -> tuple[str, str, float | None]:
    """Read what a tool's result says beside that it is done: the job that it started or stopped, and a number."""
    _, found, number = content.rpartition("progress=")
    stopped = content.partition(": cancelled, id ")[2].partition(", progress=")[0]
    return content.partition(": started, id ")[2], stopped, float(number) if found else None


def job_event_id(task_id: str, step: str, count: int) -> str:
    """Return the id of the ``count``-th job of a step: that of the event that reports its end."""
    return f"job:{task_id}:{step}" if count == 1 else f"job:{task_id}:{step}:{count}"


_ASKED_AGAIN = Intent(kind=IntentKind.LIGHT)


class Reading:
    """The running understanding of one trajectory."""

    __slots__ = (
        "_attempts",
        "_intents",
        "_plan_of",
        "_tools",
        "_urgent",
        "active",
        "at",
        "calls",
        "corrected",
        "epoch",
        "pending",
        "said",
        "seen",
        "started",
        "tasks",
        "withdrawn",
    )

    def __init__(
        self,
        plan_of: Callable[[str], Plan],
        tools: Mapping[str, ToolModel],
        intents: Mapping[str, Intent],
        attempts: int,
    ) -> None:
        self._plan_of = plan_of
        self._tools = tools
        self._intents = intents
        self._attempts = attempts
        self._forget(0)

    def _forget(self, epoch: int) -> None:
        self.epoch = epoch
        self.at = 0
        self.tasks: dict[str, TaskState] = {}
        self.active: list[TaskState] = []
        self.pending: dict[str, Intent] = {}
        self.calls: dict[str, CallRef] = {}
        self.seen: set[str] = set()
        self.said: set[str] = set()
        self.started: dict[str, CallRef] = {}
        self.withdrawn: list[CallRef] = []
        self.corrected: set[tuple[str | None, str | None]] = set()

    def read(self, messages: Sequence[Message], length: int, epoch: int) -> None:
        """Take in the messages up to ``length``; start over when history was rewritten since the last call."""
        if epoch != self.epoch or length < self.at:
            self._forget(epoch)
        for task in self.tasks.values():
            if task.aside:
                task.look_again()
        for message in islice(messages, self.at, length):
            self._read(message)
        self.at = length

    def _read(self, message: Message) -> None:
        match message:  # the most frequent first
            case ResultMessage() | LateResultMessage():
                self._result(message.call_id, message.result)
            case AssistantMessage():
                self._said(message)
            case EventMessage(events=events):
                for event in events:
                    self._event(event.id, event.urgent)
            case PlaceholderMessage(call_id=call_id, state=state) | NoticeMessage(call_id=call_id, state=state):
                self._placeholder(call_id, state)
            case SideMessage(event=event, outcome=outcome):
                if outcome is SideOutcome.FOR_MAIN:
                    self._event(event.id, event.urgent)
                else:
                    self.seen.add(event.id)
                    self._was_said(event.id, self._intents[event.id])
            case _:
                assert_never(message)

    # --- events -----------------------------------------------------------------------------------------------

    def _event(self, event_id: str, urgent: bool) -> None:
        self.seen.add(event_id)
        intent = self._intents[event_id]
        if self._was_said(event_id, intent):
            self.pending[event_id] = _ASKED_AGAIN
            return
        self._understand(event_id, urgent, intent)

    def _was_said(self, event_id: str, intent: Intent) -> bool:
        """Note what is said; return whether it had been said before, in whichever order the repetitions are read."""
        root = intent.repeats or event_id
        if root in self.said:
            return True
        self.said.add(root)
        return False

    def _understand(self, event_id: str, urgent: bool, intent: Intent) -> None:
        task = self.tasks.get(intent.task) if intent.task is not None else None
        match intent.kind:
            case IntentKind.REQUEST:
                self._request(event_id, urgent)
            case IntentKind.AMEND:
                self.pending[event_id] = intent
                if task is not None and not task.voided:
                    self._amend(task, intent.step, event_id)
            case IntentKind.CORRECT:
                self.pending[event_id] = intent
                self.corrected.add((intent.task, intent.step))
                if task is not None:
                    self._correct(task, intent.step)
            case IntentKind.QUESTION | IntentKind.LIGHT | IntentKind.NOTICE:
                self.pending[event_id] = intent
                self._job_ended(event_id)
            case _:
                assert_never(intent.kind)

    def _request(self, event_id: str, urgent: bool) -> None:
        task = TaskState.of(event_id, self._plan_of(event_id), urgent=urgent, order=len(self.tasks))
        self.tasks[event_id] = task
        self.active.append(task)
        for step in (None, *task.steps):
            if (event_id, step) in self.corrected:  # a correction can be read before the request that it takes back
                self._correct(task, step)

    def _amend(self, task: TaskState, step: str | None, event_id: str) -> None:
        task.version = event_id
        if step is not None and (state := task.steps.get(step)) is not None and state.status is not _VOID:
            state.version = event_id
            state.placeholder = ""
            state.failures = 0
            task.jobs.discard(step)
            task.become(state, _TODO)
            task.recount()
        if task.final:
            task.final = False
            self.active.append(task)
            self.active.sort(key=lambda each: each.order)

    def _correct(self, task: TaskState, step: str | None) -> None:
        for remedy in task.plan.remedies:
            job = remedy.job or ""
            if step in (None, job) and task.steps[job].status is _DONE and job not in task.jobs:
                self.withdrawn.append(CallRef(task.id, remedy.id, "", 0))
        if step is None:
            task.voided = True
            self.active = [each for each in self.active if each is not task]
        elif step in task.steps:
            task.become(task.steps[step], _VOID)

    def _job_ended(self, event_id: str) -> None:
        """Note the end of a job that the trajectory has seen start; one of an older version of its step is void."""
        ref = self.started.get(event_id)
        if ref is not None and self._state(ref) is not None:
            self._job_over(self.tasks[ref.task_id], ref.step)

    def _job_started(self, job_id: str, ref: CallRef) -> None:
        self.started[job_id] = ref
        if job_id in self.seen:  # its end stands before the late result of its start
            self._job_ended(job_id)

    @staticmethod
    def _job_over(task: TaskState, step: str) -> None:
        task.jobs.add(step)
        task.recount()

    # --- what the assistant said -------------------------------------------------------------------------------

    def _said(self, message: AssistantMessage) -> None:
        for said in message.says:
            kind, _, name = said.partition(":")
            if kind == "final":
                self._finish(self.tasks.get(name))
            else:
                self.pending.pop(name, None)
        for call in message.calls:
            ref = self.calls[call.id] = read_arguments(call.arguments)
            if self.withdrawn and ref in self.withdrawn:
                self.withdrawn.remove(ref)
            state = self._state(ref)
            if state is not None:
                self.tasks[ref.task_id].become(state, _OPEN)
                state.call_id = call.id

    def _finish(self, task: TaskState | None) -> None:
        if task is not None:
            task.final = True
            self.active = [each for each in self.active if each is not task]

    # --- results ------------------------------------------------------------------------------------------------

    def _state(self, ref: CallRef) -> StepState | None:
        """Return the step that a call is for, unless the call answers an older version of it, or it is void."""
        task_id, step, version, _attempt = ref
        task = self.tasks.get(task_id)
        state = task.steps.get(step) if task is not None else None
        if state is None or state.version != version or state.status is _VOID:
            return None
        return state

    def _result(self, call_id: str, result: ToolResult) -> None:
        started, stopped, value = read_result(result.content)
        if stopped:  # whatever has become of the step that stopped it, nothing will report its end
            self.seen.add(stopped)
            self._job_ended(stopped)
        ref = self.calls.get(call_id)
        state = self._state(ref) if ref is not None else None
        if ref is None or state is None:
            return
        task = self.tasks[ref.task_id]
        if started:
            self._job_started(started, ref)
        if not result.ok and ref.attempt + 1 < self._attempts:
            state.failures = ref.attempt + 1
            task.become(state, _TODO)
            return
        task.become(state, _DONE)
        if value is not None:
            state.value = value
        if state.is_plain:
            return
        tool = self._tools[state.step.tool]
        if tool.acts is Acts.CANCEL and state.step.job is not None:
            self._job_over(task, state.step.job)

    def _placeholder(self, call_id: str, known: PlaceholderState) -> None:
        ref = self.calls.get(call_id)
        state = self._state(ref) if ref is not None else None
        if ref is None or state is None or state.call_id != call_id:
            if ref is not None:
                self._remedy_lost(ref, known)
            return
        state.placeholder = call_id
        task = self.tasks[ref.task_id]
        task.has_gaps = True
        match known:
            case PlaceholderState.STILL_RUNNING:
                task.become(state, StepStatus.HELD)
            case PlaceholderState.CANCELLED_AFTER:
                task.become(state, _BLIND)
            case PlaceholderState.NOT_STARTED | PlaceholderState.CANCELLED_BEFORE:
                task.become(state, _TODO)
            case PlaceholderState.CANCELLED_UNKNOWN:
                harmless = self._tools[state.step.tool].spec.kind is ToolKind.READ
                task.become(state, _TODO if harmless else _BLIND)
            case _:
                assert_never(known)

    def _remedy_lost(self, ref: CallRef, known: PlaceholderState) -> None:
        """A call that was to cancel a job did not start: it is still to be made."""
        task = self.tasks.get(ref.task_id)
        if known is PlaceholderState.NOT_STARTED and task is not None and ref.step not in task.steps:
            self.withdrawn.append(ref)
