"""The SimPy driver: carries out the agent's commands in virtual time and feeds the inputs back.

The driver knows the truth and writes it down; it hands the agent only what an agent could observe.
"""

from collections.abc import Callable, Mapping
from typing import Any

from simlab.core import commands as c
from simlab.core import inputs as i
from simlab.core.agent import Agent
from simlab.core.events import Event, EventType, Handling
from simlab.core.messages import (
    AssistantMessage,
    EventMessage,
    LateResultMessage,
    SideMessage,
    SideOutcome,
)
from simlab.core.phases import Phase
from simlab.core.plugins import Router, Strategy, StrategyError
from simlab.core.record import DecisionPoint, EventTruth, IntentKind, RunRecord, TaskTruth
from simlab.core.trace import Trace
from simlab.sim.bench import Bench
from simlab.sim.clock import MODEL, SETTLE, VERDICT, WINDOW, Clock, Happening, rank
from simlab.sim.model import MockedModel, Planned
from simlab.sim.spec import EventSpec, Intent, Plan, WorldSpec, true_handling
from simlab.sim.streams import Draws
from simlab.sim.workload import Workload

INSTANT_LIMIT = 20_000  # inputs in one millisecond: more means that the strategy never lets the instant end


class EventHints:
    """What a simulated router may use beyond the event: the truth, and numbers named for the event."""

    __slots__ = ("_draws", "_event_id", "true_handling")

    def __init__(self, draws: Draws, event_id: str, handling: Handling) -> None:
        self._draws = draws
        self._event_id = event_id
        self.true_handling = handling

    def uniform(self, *name: str | int) -> float:
        """Return a number in (0, 1) named for this event and ``name``."""
        return self._draws.uniform("router", self._event_id, *name)


class Driver:
    """One run: an agent with its strategy in one world. Use ``simulate``."""

    def __init__(self, spec: WorldSpec, strategy: Strategy, router: Router, *, seed: int, replication: int) -> None:
        self.spec = spec
        self.router = router
        self.clock = Clock()
        self.draws = Draws(seed, replication)
        self.intents: dict[str, Intent] = {}
        tools = {tool.spec.name: tool for tool in spec.tools}
        self.agent = Agent(strategy, [tool.spec for tool in spec.tools])
        self.trace = Trace(strategy=strategy.name, departures=strategy.traits.departures)
        self.model = MockedModel(
            spec.model,
            spec.plans,
            tools,
            self.intents,
            self.draws,
            tool_attempts=spec.tool_attempts,
            resample=spec.resample,
        )
        self.bench = Bench(
            clock=self.clock,
            tools=tools,
            draws=self.draws,
            plan_of=self._plan_of,
            tell=self.feed,
            job_ended=self._job_ended,
            resample=spec.resample,
        )
        self.workload = Workload(self.clock, self.draws, spec.horizon_ms, self._arrive)
        self.record = RunRecord(
            scenario=spec.name,
            strategy=strategy.name,
            router=router.name,
            seed=seed,
            replication=replication,
            trace=self.trace,
            tool_runs=self.bench.runs,
            effects=self.bench.effects,
            horizon_ms=spec.horizon_ms,
        )
        self._corrected: dict[tuple[str, str | None], int] = {}
        self._planned: Planned | None = None
        self._sides: dict[str, tuple[Planned, c.StartSide]] = {}
        self._counts = {"message": 0, "call": 0, "verdict": 0}
        self._call_index: dict[str, int] = {}
        self._noted: set[tuple[str, str, str]] = set()
        self._awaiting_final: dict[str, list[str]] = {}
        self._instant_ms = -1
        self._instant_inputs = 0

    # --- the exchange ----------------------------------------------------------------------------------------------

    def feed(self, item: i.Input) -> None:
        """Hand an input to the agent and carry out what it asks for."""
        now_ms = self.clock.now_ms
        self._guard_instant(now_ms)
        records = self.trace.records
        records.append((now_ms, item))
        for command in self.agent.receive(item, now_ms):
            records.append((now_ms, command))
            _CARRY_OUT[type(command)](self, command)

    def _guard_instant(self, now_ms: int) -> None:
        if now_ms != self._instant_ms:
            self._instant_ms = now_ms
            self._instant_inputs = 0
        self._instant_inputs += 1
        if self._instant_inputs > INSTANT_LIMIT:
            raise StrategyError(
                f"strategy {self.trace.strategy!r}: the instant {now_ms} ms does not end "
                f"({INSTANT_LIMIT} inputs): it never terminates"
            )

    def run(self) -> RunRecord:
        """Run to quiescence or to the horizon."""
        self.workload.begin(self.spec.events, self.spec.streams)
        self.trace.complete = self.clock.run(self.spec.horizon_ms, self._is_over)
        ended_ms = self.clock.now_ms
        if not self.trace.complete and self.spec.horizon_ms is not None:
            ended_ms = self.spec.horizon_ms
        self.record.ended_ms = self.trace.ended_ms = ended_ms
        self._close_books()
        return self.record

    def _is_over(self) -> bool:
        phase = self.agent.state.phase
        return (
            (phase is Phase.IDLE or phase is Phase.WAITING_USER)
            and self.workload.waiting == 0
            and not self.bench.jobs
            and self.agent.is_quiet
        )

    def _close_books(self) -> None:
        """Compare effects with corrections, and price what was still under way."""
        for effect in self.record.effects:
            whole = self._corrected.get((effect.task_id, None))
            part = self._corrected.get((effect.task_id, effect.step))
            times = [at_ms for at_ms in (whole, part) if at_ms is not None]
            if times:
                effect.mistaken = True
                effect.corrected_ms = min(times)
        for planned in [self._planned, *(side for side, _ in self._sides.values())]:
            if planned is not None:
                self._stop_model(planned, kept=False)

    # --- arrivals and routing --------------------------------------------------------------------------------------

    def _arrive(self, event: Event, intent: Intent, cause: str | None) -> None:
        now_ms = self.clock.now_ms
        self.intents[event.id] = intent
        truth = self._register(event, intent)
        truth.cause = cause
        if intent.kind is IntentKind.REQUEST:
            voided_ms = now_ms if (event.id, None) in self._corrected else None
            self.record.tasks[event.id] = TaskTruth(task_id=event.id, asked_ms=now_ms, voided_ms=voided_ms)
        elif intent.kind is IntentKind.CORRECT and intent.task is not None:
            self._corrected.setdefault((intent.task, intent.step), now_ms)
            if intent.step is None and intent.task in self.record.tasks:
                self.record.tasks[intent.task].voided_ms = now_ms
        self.feed(i.EventArrived(event=event))

    def _register(self, event: Event, intent: Intent) -> EventTruth:
        truth = EventTruth(
            event_id=event.id,
            kind=intent.kind,
            handling=true_handling(intent, event.urgent),
            urgent=event.urgent,
            arrived_ms=self.clock.now_ms,
            source=event.source,
            task_id=event.id if intent.kind is IntentKind.REQUEST else intent.task,
        )
        self.record.events[event.id] = truth
        return truth

    def _route(self, command: c.Route) -> None:
        event = command.event
        if event.id not in self.intents:  # the core made it: a late result, or the notice of one
            self.intents[event.id] = Intent(kind=IntentKind.NOTICE)
            self._register(event, self.intents[event.id])
        verdict = self.router.route(event, EventHints(self.draws, event.id, self.record.events[event.id].handling))
        self._counts["verdict"] += 1
        routed = i.Routed(event_id=event.id, verdict=verdict)
        self.clock.after(0, rank(VERDICT, self._counts["verdict"]), self._routed, routed)

    def _routed(self, happening: Happening) -> None:
        routed: i.Routed = happening.item
        self.record.events[routed.event_id].routed_ms = self.clock.now_ms
        self.feed(routed)

    # --- the model -------------------------------------------------------------------------------------------------

    def _call_model(self, command: c.CallModel) -> None:
        now_ms = self.clock.now_ms
        planned = self.model.begin(command.messages, command.length, command.epoch, command.generation, now_ms)
        self._planned = planned
        self.record.model_calls.append(planned.record)
        planned.record.synchronous = not planned.speech.missing and not self.agent.view.background_calls
        for missing in planned.speech.missing:
            key = (missing.task_id, missing.node, missing.step)
            if key not in self._noted:
                self._noted.add(key)
                self.record.decision_points.append(
                    DecisionPoint(
                        task_id=missing.task_id,
                        node=missing.node,
                        missing=missing.step,
                        at_ms=now_ms,
                        generation=command.generation,
                        call_id=missing.call_id,
                        outstanding=len({each.step for each in planned.speech.missing}),
                    )
                )
        self.clock.after(planned.total_ms, MODEL, self._model_ends, planned)

    def _model_ends(self, happening: Happening) -> None:
        planned: Planned = happening.item
        if planned is not self._planned:
            return
        self._planned = None
        self._stop_model(planned, kept=True)
        message = self.model.message(planned, self._next("message", "m"), self._call_ids(planned))
        self._note_answers(message)
        self.feed(
            i.ModelFinished(
                generation=planned.record.generation, message=message, output_tokens=planned.record.output_tokens
            )
        )

    def _next(self, kind: str, prefix: str) -> str:
        self._counts[kind] += 1
        return f"{prefix}{self._counts[kind]}"

    def _call_ids(self, planned: Planned) -> list[str]:
        ids = [self._next("call", "c") for _ in planned.speech.calls]
        for call_id in ids:
            self._call_index[call_id] = len(self._call_index)
        return ids

    def _stop_model(self, planned: Planned, *, kept: bool) -> None:
        record = planned.record
        record.ended_ms = self.clock.now_ms
        record.kept = kept
        record.output_tokens = planned.tokens_after(record.ended_ms - record.started_ms)
        self.model.bill(record)

    def _cancel_model(self, command: c.CancelModel) -> None:
        planned = self._planned
        assert planned is not None
        self._planned = None
        self._stop_model(planned, kept=False)
        partial = None
        if command.partial is not c.Partial.DISCARD and planned.record.output_tokens > 0:
            partial = AssistantMessage(id=self._next("message", "m"), tokens=planned.record.output_tokens, cut=True)
        stopped = i.ModelStopped(
            generation=command.generation, output_tokens=planned.record.output_tokens, partial=partial
        )
        self.clock.after(0, MODEL, self._feed_item, stopped)

    def _feed_item(self, happening: Happening) -> None:
        self.feed(happening.item)

    # --- who was answered when -------------------------------------------------------------------------------------

    def _note_answers(self, message: AssistantMessage) -> None:
        now_ms = self.clock.now_ms
        for said in message.says:
            kind, _, ref = said.partition(":")
            if kind == "final":
                self._note_final(ref, now_ms)
            else:
                self._note_answer(ref, now_ms)
        for said in message.says:
            kind, _, ref = said.partition(":")
            if kind == "final":
                for event_id in self._awaiting_final.pop(ref, ()):
                    self.record.events[event_id].acted_ms = now_ms

    def _note_final(self, task_id: str, now_ms: int) -> None:
        task = self.record.tasks[task_id]
        task.finished_ms = now_ms
        task.finals += 1
        truth = self.record.events[task_id]
        truth.first_answer_ms = truth.first_answer_ms if truth.first_answer_ms is not None else now_ms
        truth.acted_ms = truth.acted_ms if truth.acted_ms is not None else now_ms

    def _note_answer(self, event_id: str, now_ms: int) -> None:
        truth = self.record.events[event_id]
        if truth.first_answer_ms is None:
            truth.first_answer_ms = now_ms
        task = self.model.reading.tasks.get(truth.task_id) if truth.task_id is not None else None
        if truth.kind is IntentKind.AMEND and task is not None and not task.voided:
            self._awaiting_final.setdefault(task.id, []).append(event_id)
        else:
            truth.acted_ms = now_ms

    # --- tools -----------------------------------------------------------------------------------------------------

    def _plan_of(self, task_id: str) -> Plan:
        intent = self.intents[task_id]
        return self.spec.plans[intent.plan] if intent.plan is not None else Plan()

    def _prepare_tool(self, command: c.PrepareTool) -> None:
        self.bench.prepare(command.call, self._call_index[command.call.id])

    def _start_tool(self, command: c.StartTool) -> None:
        self.bench.start(command.call, self._call_index[command.call.id])

    def _cancel_tool(self, command: c.CancelTool) -> None:
        self.bench.cancel(command.call_id)

    def _undo_tool(self, command: c.UndoTool) -> None:
        self.bench.undo(command.call_id)

    def _job_ended(self, job_id: str, step: str) -> None:
        self.workload.deliver(
            EventSpec(
                id=job_id,
                at_ms=self.clock.now_ms,
                type=EventType.TOOL_RESULT,
                intent=Intent(kind=IntentKind.NOTICE),
                text=f"{step}: complete",
                source=step,
                channel="tool",
            )
        )

    # --- side sessions ---------------------------------------------------------------------------------------------

    def _start_side(self, command: c.StartSide) -> None:
        if command.kind is c.SideKind.ACKNOWLEDGE:
            u = self.draws.uniform("acknowledge", command.event.id)
            delay_ms = round(self.spec.acknowledge_ms.quantile(u))
            self.clock.after(delay_ms, MODEL, self._acknowledged, command)
            return
        planned = self.model.begin_side(command.messages, command.event.id, self.clock.now_ms)
        self.record.model_calls.append(planned.record)
        self._sides[command.session_id] = (planned, command)
        self.clock.after(planned.total_ms, MODEL, self._side_ends, command.session_id)

    def _acknowledged(self, happening: Happening) -> None:
        command: c.StartSide = happening.item
        self.record.events[command.event.id].acknowledged_ms = self.clock.now_ms
        reply = AssistantMessage(id=self._next("message", "m"))
        self.feed(i.SideEnded(session_id=command.session_id, answer=reply, outcome=SideOutcome.ANSWERED))

    def _side_ends(self, happening: Happening) -> None:
        planned, command = self._sides.pop(happening.item)
        self._stop_model(planned, kept=True)
        now_ms = self.clock.now_ms
        event_id = command.event.id
        light = self.intents[event_id].kind in (IntentKind.LIGHT, IntentKind.NOTICE)
        truth = self.record.events[event_id]
        if self.intents[event_id].kind is not IntentKind.REQUEST:
            truth.first_answer_ms = now_ms
        if light:
            truth.acted_ms = now_ms
        answer = AssistantMessage(
            id=self._next("message", "m"), tokens=planned.record.output_tokens, says=(f"answer:{event_id}",)
        )
        self.feed(
            i.SideEnded(
                session_id=command.session_id,
                answer=answer,
                outcome=SideOutcome.ANSWERED if light else SideOutcome.FOR_MAIN,
                output_tokens=planned.record.output_tokens,
            )
        )

    # --- time and bookkeeping --------------------------------------------------------------------------------------

    def _set_timer(self, command: c.SetTimer) -> None:
        self._counts["verdict"] += 1
        fired = i.TimerFired(timer_id=command.timer_id)
        self.clock.after(command.delay_ms, rank(WINDOW, self._counts["verdict"]), self._feed_item, fired)

    def _settle(self, _command: c.Settle) -> None:
        self.clock.after(0, SETTLE, self._feed_item, i.Settled())

    def _append(self, command: c.Append) -> None:
        match command.message:
            case EventMessage(events=events):
                for event in events:
                    self._consumed(event.id)
            case SideMessage(event=event) | LateResultMessage(event=event):
                self._consumed(event.id)
            case _:
                pass

    def _consumed(self, event_id: str) -> None:
        truth = self.record.events[event_id]
        if truth.consumed_ms is None:
            truth.consumed_ms = self.clock.now_ms

    def _replace(self, command: c.Replace) -> None:
        self.model.changed(command.index)
        if isinstance(command.message, LateResultMessage):
            self._consumed(command.message.event.id)

    def _insert(self, command: c.Insert) -> None:
        self.model.changed(command.index)

    def _rewind(self, command: c.Rewind) -> None:
        self.model.changed(command.length)

    def _nothing(self, _command: c.Command) -> None:
        """The trace has it; the world does nothing about it."""


_CARRY_OUT: Mapping[type[c.Command], Callable[[Driver, Any], None]] = {
    c.Route: Driver._route,
    c.CallModel: Driver._call_model,
    c.CancelModel: Driver._cancel_model,
    c.Append: Driver._append,
    c.Replace: Driver._replace,
    c.Insert: Driver._insert,
    c.Rewind: Driver._rewind,
    c.PrepareTool: Driver._prepare_tool,
    c.StartTool: Driver._start_tool,
    c.CancelTool: Driver._cancel_tool,
    c.UndoTool: Driver._undo_tool,
    c.StartSide: Driver._start_side,
    c.SetTimer: Driver._set_timer,
    c.Refuse: Driver._nothing,
    c.Drop: Driver._nothing,
    c.Sleep: Driver._nothing,
    c.Settle: Driver._settle,
}


def simulate(spec: WorldSpec, strategy: Strategy, router: Router, *, seed: int = 0, replication: int = 0) -> RunRecord:
    """Run one replication of a world with a strategy and a router; equal arguments give equal records."""
    return Driver(spec, strategy, router, seed=seed, replication=replication).run()
