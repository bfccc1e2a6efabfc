"""The SimPy driver: carries out the agent's commands in virtual time and feeds the inputs back.

The world knows the truth and writes it down (``books``); it hands the agent only what an agent could observe. Around
the driver stand the router's desk, the room of the models, the bench of tools and the workload.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from simlab.core import commands as c
from simlab.core import inputs as i
from simlab.core.agent import Agent
from simlab.core.decisions import SafePoint
from simlab.core.events import Event, EventType, Verdict
from simlab.core.phases import Phase
from simlab.core.plugins import Router, Strategy, StrategyError
from simlab.core.record import IntentKind, RunRecord
from simlab.core.trace import Trace
from simlab.sim.bench import Bench
from simlab.sim.books import CONSUMES_NOTHING, Books
from simlab.sim.clock import WINDOW, Clock, rank
from simlab.sim.faults.luck import Luck
from simlab.sim.model import MockedModel
from simlab.sim.plans import Planner
from simlab.sim.room import ModelRoom
from simlab.sim.routing import RouterDesk
from simlab.sim.spec import EventSpec, Intent, Plan, WorldSpec
from simlab.sim.streams import Draws
from simlab.sim.workload import Reference, Workload

INSTANT_LIMIT = 20_000  # inputs in one millisecond: more means that the strategy never lets the instant end
CALLS_LIMIT = 10_000  # main model calls since the last arrival: more means that the strategy never comes to rest
_SETTLED = i.Settled()
# Looked up once: on Python 3.11 the look-up of a member of an enumeration costs more than a call.
_IDLE, _WAITING_USER = Phase.IDLE, Phase.WAITING_USER


class Driver:
    """One run: an agent with its strategy in one world. Use ``simulate``."""

    def __init__(
        self, spec: WorldSpec, strategy: Strategy, router: Router, *, draws: Draws, reference: Reference
    ) -> None:
        self.spec = spec
        self.reference = reference
        self.clock = clock = Clock()
        tools = {tool.spec.name: tool for tool in spec.tools}
        self.agent = Agent(strategy, [tool.spec for tool in spec.tools])
        self.trace = Trace(strategy=strategy.name, departures=strategy.traits.departures)
        self.record = RunRecord(
            scenario=spec.name,
            strategy=strategy.name,
            router=router.name,
            seed=draws.seed,
            replication=draws.replication,
            trace=self.trace,
            horizon_ms=spec.horizon_ms,
        )
        self.books = Books(self.record, lambda: clock.now_ms)
        if spec.hazards is not None:
            self.books.luck = Luck(draws, self.record.exposures, lambda: clock.now_ms)
        self.planner = Planner(spec.plans, draws)
        self.desk = RouterDesk(clock, router, draws, self._verdict)
        self.room = ModelRoom(
            clock=clock,
            model=MockedModel(
                spec.model,
                self._plan_of,
                tools,
                self.books.intents,
                draws,
                tool_attempts=spec.tool_attempts,
                resample=spec.resample,
                hazards=spec.hazards,
                luck=self.books.luck,
            ),
            books=self.books,
            draws=draws,
            tell=self.feed,
            finished=self._finished,
            capacity=spec.model_concurrency,
            acknowledge=spec.acknowledge_ms,
            acknowledge_usd=spec.acknowledge_usd,
            thinking_share=spec.model.thinking_share if SafePoint.STREAM_ITEM in strategy.traits.points else 0.0,
        )
        self.bench = Bench(
            clock=clock,
            tools=tools,
            draws=draws,
            plan_of=self._plan_of,
            tell=self.feed,
            job_ended=self._job_ended,
            resample=spec.resample,
            invented=self.books.invented_calls,
        )
        self.record.tool_runs = self.bench.runs
        self.record.effects = self.bench.effects
        self.workload = Workload(
            clock=clock,
            draws=draws,
            horizon_ms=spec.horizon_ms,
            arrive=self._arrive,
            unanswered=self.books.unanswered,
        )
        self._plans: dict[str, Plan] = {}
        self._write = self.trace.records.append
        self._receive = self.agent.receive
        self._windows = 0
        self._instant_ms = -1
        self._instant_inputs = 0
        self._calls_since = 0

    # --- the exchange -----------------------------------------------------------------------------------------------

    def feed(self, item: i.Input) -> None:
        """Hand an input to the agent and carry out what it asks for."""
        now_ms = self.clock.now_ms
        if now_ms != self._instant_ms:
            self._instant_ms = now_ms
            self._instant_inputs = 0
        self._instant_inputs += 1
        if self._instant_inputs > INSTANT_LIMIT:
            raise self._never_ends(now_ms)
        write = self._write
        write((now_ms, item))
        for command in self._receive(item, now_ms):
            write((now_ms, command))
            _CARRY_OUT[type(command)](self, command)

    def _never_ends(self, now_ms: int) -> StrategyError:
        return StrategyError(
            f"strategy {self.trace.strategy!r}: the instant {now_ms} ms does not end "
            f"({INSTANT_LIMIT} inputs): it never terminates"
        )

    def run(self) -> RunRecord:
        """Run to quiescence or to the horizon."""
        spec = self.spec
        self.workload.begin(spec.events, spec.streams, spec.sessions, spec.placed, self.reference)
        self.trace.complete = self.clock.run(spec.horizon_ms, self._is_over)
        ended_ms = self.clock.now_ms
        if not self.trace.complete and spec.horizon_ms is not None:
            ended_ms = spec.horizon_ms
        self.record.ended_ms = self.trace.ended_ms = ended_ms
        self.record.router_cost_usd = self.desk.cost_usd
        self.room.close(ended_ms)
        self.books.close()
        return self.record

    def dissolve(self) -> None:
        """Let go of everything: the parts know each other, and would lie there until the cycle collector comes."""
        vars(self).clear()

    def _is_over(self) -> bool:
        phase = self.agent.state.phase
        return (
            (phase is _IDLE or phase is _WAITING_USER)
            and self.workload.is_over
            and not self.bench.jobs
            and self.agent.is_quiet
        )

    # --- arrivals and routing ---------------------------------------------------------------------------------------

    def _arrive(self, event: Event, intent: Intent, cause: str | None) -> None:
        self._calls_since = 0
        self.books.arrived(event, intent, cause)
        self.feed(i.EventArrived(event=event))

    def _plan_of(self, task_id: str) -> Plan:
        plan = self._plans.get(task_id)
        if plan is None:
            plan = self._plans[task_id] = self.planner.plan(task_id, self.books.intents[task_id].plan)
        return plan

    def _finished(self, task_id: str) -> None:
        self.workload.answered(task_id)

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

    def _route(self, command: c.Route) -> None:
        self.desk.take(command.event, self.books.met(command.event).handling)

    def _verdict(self, event_id: str, verdict: Verdict) -> None:
        self.record.events[event_id].routed_ms = self.clock.now_ms
        self.feed(i.Routed(event_id=event_id, verdict=verdict))

    def _refuse(self, command: c.Refuse) -> None:
        self.workload.refused(self.record.events[command.event_id])

    # --- models, tools, time ----------------------------------------------------------------------------------------

    def _call_model(self, command: c.CallModel) -> None:
        self._calls_since += 1
        if self._calls_since > CALLS_LIMIT:
            raise StrategyError(
                f"strategy {self.trace.strategy!r}: {CALLS_LIMIT} model calls since the last event arrived, at "
                f"{self.clock.now_ms} ms: it never comes to rest"
            )
        self.room.begin(command, anything_open=bool(self.agent.state.open))

    def _cancel_model(self, command: c.CancelModel) -> None:
        self.room.cancel(command)

    def _start_side(self, command: c.StartSide) -> None:
        self.room.begin_side(command)

    def _prepare_tool(self, command: c.PrepareTool) -> None:
        self.bench.prepare(command.call, self.room.call_index[command.call.id])

    def _start_tool(self, command: c.StartTool) -> None:
        self.bench.start(command.call, self.room.call_index[command.call.id])

    def _cancel_tool(self, command: c.CancelTool) -> None:
        self.bench.cancel(command.call_id)

    def _undo_tool(self, command: c.UndoTool) -> None:
        self.bench.undo(command.call_id)

    def _set_timer(self, command: c.SetTimer) -> None:
        self._windows += 1
        self.clock.after(command.delay_ms, rank(WINDOW, self._windows), self._timer_fires, command.timer_id)

    def _timer_fires(self, timer_id: str) -> None:
        self.feed(i.TimerFired(timer_id=timer_id))

    def _settle(self, _command: c.Settle) -> None:
        self.clock.at_end = self._settled

    def _settled(self) -> None:
        self.feed(_SETTLED)

    # --- history ----------------------------------------------------------------------------------------------------

    def _append(self, command: c.Append) -> None:
        if type(command.message) not in CONSUMES_NOTHING:
            self.books.appended(command.message)

    def _replace(self, command: c.Replace) -> None:
        self.room.model.changed(command.index)
        self.books.appended(command.message)

    def _insert(self, command: c.Insert) -> None:
        self.room.model.changed(command.index)

    def _rewind(self, command: c.Rewind) -> None:
        self.room.model.changed(command.length)

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
    c.Refuse: Driver._refuse,
    c.Drop: Driver._nothing,
    c.Sleep: Driver._nothing,
    c.Settle: Driver._settle,
}


def reference_run(spec: WorldSpec, *, seed: int, replication: int) -> Reference:
    """Run the world with nothing but its scripted requests, each in its turn; return when each was asked and finished.

    The model makes no mistakes in it.

    Placed events get their absolute times from it, so they are the same under every strategy.
    """
    from simlab.routers.by_type import ByType
    from simlab.strategies.queue import QueueAll

    if not spec.placed:
        return {}
    requests = tuple(each for each in spec.events if each.intent.kind is IntentKind.REQUEST)
    bare = replace(spec, events=requests, streams=(), placed=(), sessions=(), hazards=None)
    record = Driver(bare, QueueAll(), ByType(), draws=Draws(seed, replication), reference={}).run()
    return {
        task.task_id: (task.asked_ms, task.finished_ms if task.finished_ms is not None else record.ended_ms)
        for task in record.tasks.values()
    }


def simulate(
    spec: WorldSpec,
    strategy: Strategy,
    router: Router,
    *,
    seed: int = 0,
    replication: int = 0,
    reference: Reference | None = None,
) -> RunRecord:
    """Run one replication of a world with a strategy and a router; equal arguments give equal records.

    ``reference`` is what ``reference_run`` gave for the same world, seed and replication, if it is at hand.
    """
    if reference is None:
        reference = reference_run(spec, seed=seed, replication=replication)
    driver = Driver(spec, strategy, router, draws=Draws(seed, replication), reference=reference)
    record = driver.run()
    driver.dissolve()
    return record
