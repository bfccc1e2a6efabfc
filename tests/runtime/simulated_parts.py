"""The simulated world behind the asyncio driver: the same model, tools and arrivals, on an event loop's clock."""

import asyncio
from collections.abc import Callable, Sequence
from heapq import heappop, heappush
from itertools import count
from typing import Any

from simlab.core.events import Event, EventType, Verdict
from simlab.core.inputs import Input, ToolCancelled, ToolEnded
from simlab.core.messages import AssistantMessage, Call, Message, PlaceholderState, SideOutcome, ToolResult
from simlab.core.plugins import Router, Strategy
from simlab.core.record import IntentKind, RunRecord
from simlab.core.trace import Trace
from simlab.runtime import AgentRuntime, Parts, Stream, Tool, ToolHandle
from simlab.sim.bench import Bench
from simlab.sim.books import Books
from simlab.sim.driver import reference_run
from simlab.sim.model import MockedModel
from simlab.sim.plans import Planner
from simlab.sim.routing import EventHints
from simlab.sim.spec import EventSpec, Intent, Plan, WorldSpec
from simlab.sim.streams import Draws
from simlab.sim.workload import Workload


class LoopClock:
    """The clock of ``simlab.sim`` on an event loop: whole milliseconds since the world began."""

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._began_s = self._loop.time()
        self.order = 0.0
        self._heap: list[tuple[int, float, int, Callable[[Any], None], object]] = []
        self._numbers = count()

    @property
    def now_ms(self) -> int:
        return round((self._loop.time() - self._began_s) * 1000)

    def after(self, delay_ms: int, order: float, action: Callable[[Any], None], item: object = None) -> None:
        due_ms = self.now_ms + delay_ms
        heappush(self._heap, (due_ms, order, next(self._numbers), action, item))
        self._loop.call_at(self._began_s + due_ms / 1000, self._happen)

    def _happen(self) -> None:
        """Let the first thing that is due happen: one for each timer, in the order of ranks."""
        _due_ms, self.order, _number, action, item = heappop(self._heap)
        action(item)

    async def sleep(self, delay_ms: int) -> None:
        done = self._loop.create_future()
        self.after(delay_ms, 0.0, _wake, done)
        await done


def _wake(done: "asyncio.Future[None]") -> None:
    if not done.done():
        done.set_result(None)


class SimulatedParts:
    """One run of a world under the asyncio driver."""

    def __init__(self, spec: WorldSpec, strategy: Strategy, router: Router, *, seed: int, replication: int) -> None:
        self.spec = spec
        clock: Any = LoopClock()
        self.clock: LoopClock = clock
        self.draws = Draws(seed, replication)
        trace = Trace(strategy=strategy.name)
        self.record = RunRecord(
            scenario=spec.name,
            strategy=strategy.name,
            router=router.name,
            seed=seed,
            replication=replication,
            trace=trace,
        )
        self.books = Books(self.record, lambda: self.clock.now_ms)
        self.planner = Planner(spec.plans, self.draws)
        tools = {tool.spec.name: tool for tool in spec.tools}
        self.model = MockedModel(
            spec.model,
            self.plan_of,
            tools,
            self.books.intents,
            self.draws,
            tool_attempts=spec.tool_attempts,
            resample=spec.resample,
        )
        self.bench = Bench(
            clock=clock,
            tools=tools,
            draws=self.draws,
            plan_of=self.plan_of,
            tell=self._told,
            job_ended=self._job_ended,
            resample=spec.resample,
        )
        self.workload = Workload(
            clock=clock,
            draws=self.draws,
            horizon_ms=spec.horizon_ms,
            arrive=self._arrive,
            unanswered=self.books.unanswered,
        )
        self.router = router
        self.waiting: dict[str, asyncio.Future[Input]] = {}
        self.epoch = 0
        self.messages = 0
        self.calls = 0
        parts = Parts(
            model=self._call_model,
            tools=[Tool(spec=tool.spec, body=self._act, prepare=self._prepare) for tool in spec.tools],
            router=self._route,
            side=self._aside,
            holding_reply=self._acknowledge,
        )
        self.runtime = AgentRuntime(strategy, parts)

    async def run(self) -> Trace:
        """Run to quiescence, or to the horizon."""
        reference = reference_run(self.spec, seed=self.draws.seed, replication=self.draws.replication)
        spec = self.spec
        self.workload.begin(spec.events, spec.streams, spec.sessions, spec.placed, reference)
        while self.spec.horizon_ms is None or self.clock.now_ms < self.spec.horizon_ms:
            if self.workload.is_over and not self.bench.jobs and self.runtime.is_quiet:
                break
            await self.clock.sleep(500)
        await self.runtime.close()
        return self.runtime.trace

    def plan_of(self, task_id: str) -> Plan:
        return self.planner.plan(task_id, self.books.intents[task_id].plan)

    def _arrive(self, event: Event, intent: Intent, cause: str | None) -> None:
        self.books.arrived(event, intent, cause)
        self.runtime.deliver(event, self.clock.order)

    def _job_ended(self, job_id: str, step: str) -> None:
        intent = Intent(kind=IntentKind.NOTICE)
        self.workload.deliver(
            EventSpec(
                id=job_id,
                at_ms=self.clock.now_ms,
                type=EventType.TOOL_RESULT,
                intent=intent,
                text=f"{step}: complete",
                source=step,
                channel="tool",
            )
        )

    def _route(self, event: Event) -> Verdict:
        handling = self.books.met(event).handling
        return self.router.route(event, EventHints(self.draws, event.id, handling))

    # --- the model ------------------------------------------------------------------------------------------------

    async def _call_model(self, messages: Sequence[Message], stream: Stream) -> AssistantMessage:
        self.epoch += 1
        planned = self.model.begin(messages, len(messages), self.epoch, self.epoch, self.clock.now_ms)
        await self.clock.sleep(planned.total_ms)
        stream.output_tokens = planned.tokens
        self.messages += 1
        ids = []
        for _ in planned.speech.calls:
            self.calls += 1
            ids.append(f"c{self.calls}")
        message = self.model.message(planned, f"m{self.messages}", ids)
        for task_id in self.books.said(message, self.model.reading):
            self.workload.answered(task_id)
        return message

    async def _aside(self, messages: Sequence[Message], event: Event) -> tuple[AssistantMessage, SideOutcome]:
        planned = self.model.begin_side(messages, event.id, self.clock.now_ms)
        await self.clock.sleep(planned.total_ms)
        light = self.books.intents[event.id].kind in (IntentKind.LIGHT, IntentKind.NOTICE)
        self.books.side_answered(event.id, for_main=not light)
        self.messages += 1
        answer = AssistantMessage(id=f"m{self.messages}", tokens=planned.tokens, says=(f"answer:{event.id}",))
        return answer, SideOutcome.ANSWERED if light else SideOutcome.FOR_MAIN

    async def _acknowledge(self, event: Event) -> None:
        await self.clock.sleep(round(self.spec.acknowledge_ms.quantile(self.draws.uniform("acknowledge", event.id))))
        self.books.acknowledged(event.id)
        self.messages += 1

    # --- tools ----------------------------------------------------------------------------------------------------

    def _told(self, item: Input) -> None:
        assert isinstance(item, ToolEnded | ToolCancelled)
        waiting = self.waiting.pop(item.call_id)
        if not waiting.done():
            waiting.set_result(item)

    async def _prepare(self, call: Call) -> None:
        tool = next(tool for tool in self.spec.tools if tool.spec.name == call.tool)
        await self.clock.sleep(tool.prepare_ms)

    async def _act(self, call: Call, handle: ToolHandle) -> ToolResult:
        ended = self.waiting[call.id] = asyncio.get_running_loop().create_future()
        self.bench.start(call, int(call.id[1:]))
        try:
            item = await asyncio.shield(ended)
        except asyncio.CancelledError:
            self.bench.cancel(call.id)
            item = await ended  # its acknowledgement; or its end, if it cannot be stopped or ended first
            if isinstance(item, ToolCancelled):
                if item.state is PlaceholderState.CANCELLED_AFTER:
                    handle.took_effect()
                else:
                    handle.not_yet()
                raise
        assert isinstance(item, ToolEnded)
        return item.result
