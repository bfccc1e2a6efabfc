"""The books: what the world knows of every event, task and model call, written down as it happens."""

from collections.abc import Callable, Sequence

from simlab.core.events import Event
from simlab.core.messages import (
    AssistantMessage,
    EventMessage,
    LateResultMessage,
    Message,
    NoticeMessage,
    PlaceholderMessage,
    ResultMessage,
    SideMessage,
)
from simlab.core.record import Claim, DecisionPoint, EventTruth, IntentKind, RunRecord, TaskTruth
from simlab.sim.faults.luck import Luck
from simlab.sim.reading import Reading
from simlab.sim.speaking import Missing, Speech
from simlab.sim.spec import Intent, true_handling

CONSUMES_NOTHING = frozenset({AssistantMessage, ResultMessage, PlaceholderMessage})


class Books:
    """Writes into a run's record. Times come from ``now_ms``."""

    __slots__ = ("_awaiting_final", "_corrected", "_noted", "_now_ms", "intents", "invented_calls", "luck",
                 "record", "unanswered")  # fmt: skip

    def __init__(self, record: RunRecord, now_ms: Callable[[], int]) -> None:
        self.record = record
        self._now_ms = now_ms
        self.intents: dict[str, Intent] = {}
        self.invented_calls: set[str] = set()
        self.luck: Luck | None = None
        self.unanswered: set[str] = set()
        self._corrected: dict[tuple[str, str | None], int] = {}
        self._noted: set[tuple[str, str, str]] = set()
        self._awaiting_final: dict[str, list[str]] = {}

    # --- arrivals ---------------------------------------------------------------------------------------------------

    def arrived(self, event: Event, intent: Intent, cause: str | None) -> None:
        """Write down an arrival; a retried event keeps the time of its first attempt."""
        now_ms = self._now_ms()
        if event.id in self.record.events:
            return
        truth = self.register(event, intent)
        truth.cause = cause
        if intent.kind is IntentKind.REQUEST:
            voided_ms = now_ms if (event.id, None) in self._corrected else None
            self.record.tasks[event.id] = TaskTruth(task_id=event.id, asked_ms=now_ms, voided_ms=voided_ms)
        elif intent.kind is IntentKind.CORRECT and intent.task is not None:
            self._corrected.setdefault((intent.task, intent.step), now_ms)
            if intent.step is None and intent.task in self.record.tasks:
                self.record.tasks[intent.task].voided_ms = now_ms

    def register(self, event: Event, intent: Intent) -> EventTruth:
        """Open the page of an event."""
        truth = EventTruth(
            event_id=event.id,
            kind=intent.kind,
            handling=true_handling(intent, event.urgent),
            urgent=event.urgent,
            arrived_ms=self._now_ms(),
            source=event.source,
            task_id=event.id if intent.kind is IntentKind.REQUEST else intent.task,
        )
        self.intents[event.id] = intent
        self.record.events[event.id] = truth
        return truth

    def met(self, event: Event) -> EventTruth:
        """Return the page of an event that the router meets; the core's own (late results) are opened here."""
        truth = self.record.events.get(event.id)
        return truth if truth is not None else self.register(event, Intent(kind=IntentKind.NOTICE))

    # --- consumption and answers ------------------------------------------------------------------------------------

    def appended(self, message: Message) -> None:
        """Write down which events a message consumes."""
        match message:
            case EventMessage(events=events):
                for event in events:
                    self._consumed(event.id)
            case SideMessage(event=event) | LateResultMessage(event=event):
                self._consumed(event.id)
            case NoticeMessage(call_id=call_id):
                self._consumed(f"late:{call_id}")
            case _:
                pass

    def _consumed(self, event_id: str) -> None:
        truth = self.record.events.get(event_id)
        if truth is not None and truth.consumed_ms is None:
            truth.consumed_ms = self._now_ms()

    def said(self, message: AssistantMessage, reading: Reading) -> list[str]:
        """Write down what a main message answers; return the tasks that it finishes."""
        finished: list[str] = []
        for each in message.says:
            kind, _, ref = each.partition(":")
            if kind == "final":
                self._final(ref)
                finished.append(ref)
            else:
                self._answer(ref, reading)
        for task_id in finished:
            for event_id in self._awaiting_final.pop(task_id, ()):
                self.record.events[event_id].acted_ms = self._now_ms()
        return finished

    def _final(self, task_id: str) -> None:
        task = self.record.tasks[task_id]
        task.finished_ms = self._now_ms()
        task.finals += 1
        truth = self.record.events[task_id]
        self.unanswered.discard(task_id)
        if truth.first_answer_ms is None:
            truth.first_answer_ms = task.finished_ms
        if truth.acted_ms is None:
            truth.acted_ms = task.finished_ms

    def _answer(self, event_id: str, reading: Reading) -> None:
        truth = self.record.events[event_id]
        self.first_answer(event_id)
        if self.luck is not None and event_id in self.luck.misread:
            return
        if truth.kind is IntentKind.REQUEST:  # a repeat of a request that the model has read: no task of its own
            self.record.tasks.pop(event_id, None)
        task = reading.tasks.get(truth.task_id) if truth.task_id is not None else None
        if truth.kind is IntentKind.AMEND and task is not None and not task.voided:
            self._awaiting_final.setdefault(task.id, []).append(event_id)
        else:
            truth.acted_ms = self._now_ms()

    def first_answer(self, event_id: str) -> None:
        """Write down an answer: in the main task or aside."""
        truth = self.record.events[event_id]
        self.unanswered.discard(event_id)
        if truth.first_answer_ms is None:
            truth.first_answer_ms = self._now_ms()

    def acknowledged(self, event_id: str) -> None:
        """Write down a holding reply. It is a sign of life, so it satisfies a waiting person's patience."""
        truth = self.record.events[event_id]
        self.unanswered.discard(event_id)
        if truth.acknowledged_ms is None:
            truth.acknowledged_ms = self._now_ms()

    def side_answered(self, event_id: str, *, for_main: bool) -> None:
        """Write down the end of a side session: an answer, unless the event asks for work."""
        if self.intents[event_id].kind is not IntentKind.REQUEST:
            self.first_answer(event_id)
        if not for_main:
            self.record.events[event_id].acted_ms = self._now_ms()

    def decision_points(self, missing: list[Missing], generation: int) -> list[DecisionPoint]:
        """Write down decision points, each once; return the new ones."""
        fresh: list[DecisionPoint] = []
        outstanding = len({each.call_id for each in missing})
        for each in missing:
            key = (each.task_id, each.node, each.step)
            if key not in self._noted:
                self._noted.add(key)
                fresh.append(
                    DecisionPoint(
                        task_id=each.task_id,
                        node=each.node,
                        missing=each.step,
                        at_ms=self._now_ms(),
                        generation=generation,
                        call_id=each.call_id,
                        outstanding=outstanding,
                    )
                )
        self.record.decision_points += fresh
        return fresh

    def went_wrong(self, speech: Speech, call_ids: Sequence[str]) -> None:
        """Write down the faults that a recorded message plays out, and what rests on something invented."""
        faults = speech.faults
        assert faults is not None
        assert self.luck is not None
        self.luck.kept(faults.played)
        for call_id, ref in zip(call_ids, speech.calls, strict=True):
            if (ref.task_id, ref.step) in faults.invented:
                self.invented_calls.add(call_id)
        for task_id in speech.finals:
            self.record.tasks[task_id].invented = (task_id, "final") in faults.invented
        self.record.claims += [
            Claim(task_id=task_id, step=step, at_ms=self._now_ms(), kind=kind) for task_id, step, kind in faults.claims
        ]

    def close(self) -> None:
        """Compare effects with corrections."""
        for effect in self.record.effects:
            whole = self._corrected.get((effect.task_id, None))
            part = self._corrected.get((effect.task_id, effect.step))
            times = [at_ms for at_ms in (whole, part) if at_ms is not None]
            if times:
                effect.mistaken = True
                effect.corrected_ms = min(times)
