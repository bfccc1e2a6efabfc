"""The tempted model: reads and speaks like the mocked model, and makes the mistakes that its hazards give it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from simlab.core.messages import (
    AssistantMessage,
    EventMessage,
    Mark,
    Message,
    PlaceholderMessage,
    PlaceholderState,
    SideMessage,
    SideOutcome,
    ToolResult,
    Wording,
)
from simlab.core.record import Exposure, FaultKind, IntentKind
from simlab.sim.faults import confuse, derail, fabricate, false_success, forget, misread, neglect, repeat
from simlab.sim.faults.minds import Mind, Node
from simlab.sim.reading import CallRef, StepStatus, TaskState, read_arguments
from simlab.sim.speaking import Speech, advance, speak
from simlab.sim.spec import Acts, Intent, ToolModel

_REPEATABLE: Final = (StepStatus.HELD, StepStatus.BLIND)


@dataclass(slots=True, frozen=True)
class Faults:
    """What is wrong with a message: the faults that it plays out, what it claims, which nodes rest on inventions."""

    played: list[Exposure]
    claims: list[tuple[str, str, FaultKind]]
    invented: frozenset[Node]


class _Heard(dict[str, Intent]):
    """Intents as the model takes them, found when it first asks for them."""

    def __init__(self, mind: Mind) -> None:
        super().__init__()
        self._mind = mind

    def __missing__(self, event_id: str) -> Intent:
        return misread.take_for(self._mind, event_id, self._mind.intent(event_id))


class Tempted(Mind):
    """A mind that meets its opportunities as it reads."""

    __slots__ = ("_faced", "_interrupted", "_reinstated", "_reminded", "_since", "left_open")

    def _forget(self, epoch: int) -> None:
        super()._forget(epoch)
        self._intents = _Heard(self)
        self._interrupted: dict[str, int] = {}
        self._faced: dict[str, int] = {}
        self._since: dict[str, int] = {}
        self._reinstated: set[str] = set()
        self._reminded = False
        self.left_open: set[str] = set()

    def read(self, messages: Sequence[Message], length: int, epoch: int) -> None:
        """Take in the messages up to ``length``; start over when history was rewritten, or an item is passed over."""
        if neglect.pass_over(self, messages, length) or epoch != self.epoch or length < self.at:
            self._forget(epoch)
        start = self.at
        while start < length:
            stop = next((i for i in range(start + 1, length) if isinstance(messages[i], AssistantMessage)), length)
            self._reminded = any(_reminds(message) for message in messages[start:stop])
            super().read(messages, stop, epoch)
            start = stop
        self._notice_open_calls()

    def _notice_open_calls(self) -> None:
        """A call that is still open when the model is called was left open: its result is missing altogether.

        To the hazards it is a missing result; the record's decision points are those behind placeholders.
        """
        for task in self.active:
            for state in task.steps.values():
                if state.status is StepStatus.OPEN and not state.placeholder:
                    self._place(state.call_id, Wording.MISSING)
                    state.placeholder = state.call_id
                    self.left_open.add(state.call_id)
                    task.has_gaps = True

    def _place(self, call_id: str, wording: Wording) -> None:
        self.wordings[call_id] = wording
        self.placed_at[call_id] = self.said_count

    def _read(self, message: Message) -> None:
        match message:
            case PlaceholderMessage(call_id=call_id, wording=wording):
                self._place(call_id, wording)
                if call_id in self.calls:
                    self._interrupted[self.calls[call_id].task_id] = self.said_count
            case SideMessage(event=event, outcome=SideOutcome.ANSWERED, marked=False):
                confuse.mix_up(self, event.id)
            case _:
                pass
        if self._reminded and _reminds(message):
            for task_id in list(self.dropped):
                self.remember(task_id)
        super()._read(message)

    # --- events -----------------------------------------------------------------------------------------------------

    def _event(self, event_id: str, urgent: bool) -> None:
        if self._passed_over(event_id):
            return
        intent = self.intent(event_id)
        root = intent.repeats
        if root is not None and self._passed_over(root):
            self._reinstated.add(root)
            self._event(root, urgent)
        self._comes_between(event_id, urgent, intent)
        super()._event(event_id, urgent)

    def _passed_over(self, event_id: str) -> bool:
        return event_id in self.luck.neglected and event_id not in self._reinstated

    def _comes_between(self, event_id: str, urgent: bool, intent: Intent) -> None:
        """An event speaks of a task, or comes between the model and its tasks."""
        about = intent.repeats or intent.task
        if about is not None:
            self.remember(about)
        if intent.kind is IntentKind.NOTICE or self._reminded:
            return
        pushes = urgent and intent.kind is IntentKind.REQUEST and intent.repeats is None
        for task in list(self.active):
            if task.id != about and self._since[task.id] < self.said_count:
                self._tempt(task, event_id, pushes)

    def _tempt(self, task: TaskState, event_id: str, pushes: bool) -> None:
        lost_a_call = self._interrupted.get(task.id) == self.said_count
        if not pushes and not lost_a_call:
            derail.throw_off(self, task, event_id)
        elif self._faced.get(task.id) != self.said_count:
            self._faced[task.id] = self.said_count
            forget.lose(self, task, event_id)

    def _request(self, event_id: str, urgent: bool) -> None:
        super()._request(event_id, urgent)
        self._since[event_id] = self.said_count

    # --- what was said, and what came back --------------------------------------------------------------------------

    def _said(self, message: AssistantMessage) -> None:
        self.said_count += 1
        for call in message.calls:
            ref = read_arguments(call.arguments)
            state = self._state(ref)
            if state is not None:
                if state.status in _REPEATABLE:
                    self.repeated.add((ref.task_id, ref.step, ref.version))
                self._note(self.tasks[ref.task_id], ref.step)
        super()._said(message)

    def _finish(self, task: TaskState | None) -> None:
        if task is not None:
            self._note(task, "final")
        super()._finish(task)

    def _result(self, call_id: str, result: ToolResult) -> None:
        ref = self.calls.get(call_id)
        if call_id in self.stale or ref is None:
            return
        if self._is_refused(ref, result):
            return
        super()._result(call_id, result)
        self.remember(ref.task_id)
        state = self._state(ref)
        if state is None or state.status is not StepStatus.DONE:
            return
        key = (ref.task_id, ref.step)
        (self.failed.discard if result.ok else self.failed.add)(key)
        if key not in self.tainted:
            fabricate.put_right(self, self.tasks[ref.task_id], state)

    def _is_refused(self, ref: CallRef, result: ToolResult) -> bool:
        """A check did not let an invented value pass: its step is to be done again, with the true one."""
        state = self._state(ref)
        key = (ref.task_id, ref.step)
        if state is None or result.ok or key not in self.tainted:
            return False
        if self._tools[state.step.tool].acts is not Acts.CHECK:
            return False
        fabricate.expose(self, self.tasks[ref.task_id], state)
        return True

    def _placeholder(self, call_id: str, known: PlaceholderState) -> None:
        if call_id not in self.stale:
            self.known[call_id] = known
            super()._placeholder(call_id, known)


def _reminds(message: Message) -> bool:
    return isinstance(message, EventMessage) and (message.reminds or message.mark is Mark.REMINDER)


def speak_tempted(mind: Tempted, tools: Mapping[str, ToolModel]) -> Speech:
    """Return the next message of a model that may go wrong."""
    mind.played, mind.claims = [], []

    def go_on(task: TaskState, tools: Mapping[str, ToolModel], part: Speech) -> bool:
        finished = advance(task, tools, part)
        repeat.call_again(mind, task, part)
        finished |= fabricate.invent(mind, task, part)
        part.missing = [each for each in part.missing if each.call_id not in mind.left_open]
        return finished

    speech = speak(mind, tools, go_on)
    false_success.claim(mind, speech)
    nodes = [(ref.task_id, ref.step) for ref in speech.calls] + [(task_id, "final") for task_id in speech.finals]
    invented = frozenset(node for node in nodes if mind.rests_on_invention(mind.tasks[node[0]], node[1]) is not None)
    speech.faults = Faults(mind.played, mind.claims, invented)
    return speech
