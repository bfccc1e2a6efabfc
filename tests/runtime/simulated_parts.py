"""The simulated world behind the asyncio driver: the same model, tools and arrivals, on an event loop's clock."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from heapq import heappop, heappush
from itertools import count
from typing import Any

from simlab.core.commands import Insert, Replace, Rewind
from simlab.core.decisions import Departure, SafePoint
from simlab.core.events import Event, EventType, Verdict
from simlab.core.inputs import Input, ToolCancelled, ToolEnded
from simlab.core.messages import AssistantMessage, Call, Message, PlaceholderState, SideOutcome, ToolResult
from simlab.core.order import TIMER
from simlab.core.plugins import Router, Strategy
from simlab.core.record import IntentKind, RunRecord
from simlab.core.trace import Trace
from simlab.runtime import AgentRuntime, Parts, Stream, Tool, ToolHandle
from simlab.sim.bench import Bench
from simlab.sim.books import Books
from simlab.sim.driver import reference_run
from simlab.sim.faults.luck import Luck
from simlab.sim.model import MockedModel, Planned
from simlab.sim.plans import Planner
from simlab.sim.routing import RouterDesk
from simlab.sim.spec import EventSpec, Intent, Plan, WorldSpec
from simlab.sim.streams import Draws
from simlab.sim.workload import Workload

WAKING_HOPS = 6
"""Iterations of the event loop in which whoever slept until an instant has said so, before anything arrives in it."""


class LoopClock:
    """The clock of ``simlab.sim`` on an event loop: whole milliseconds since the world began.

    ``order`` is the rank of what happens now; what that causes at this very instant has no lower one.
    """

    def __init__(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._began_s = self._loop.time()
        self.order = 0.0
        self._order_ms = -1
        self._heap: list[tuple[int, float, int, Callable[[Any], None], object]] = []
        self._numbers = count()

    @property
    def now_ms(self) -> int:
        return round((self._loop.time() - self._began_s) * 1000)

    def after(self, delay_ms: int, order: float, action: Callable[[Any], None], item: object = None) -> None:
        due_ms = self.now_ms + delay_ms
        if delay_ms == 0 and order >= TIMER and self._order_ms == due_ms:
            order = max(order, self.order)
        heappush(self._heap, (due_ms, order, next(self._numbers), action, item))
        self._loop.call_at(self._began_s + due_ms / 1000, self._happen, WAKING_HOPS if order >= TIMER else 0)

    def _happen(self, hops: int) -> None:
        """Let the first thing that is due happen: one for each timer, in the order of ranks."""
        if hops:
            self._loop.call_soon(self._happen, hops - 1)
            return
        self._order_ms, self.order, _number, action, item = heappop(self._heap)
        action(item)

    async def sleep(self, delay_ms: int) -> None:
        done = self._loop.create_future()
        self.after(delay_ms, 0.0, _wake, done)
        await done


def _wake(done: "asyncio.Future[None]") -> None:
    if not done.done():
        done.set_result(None)


class Places:
    """So many model calls at once, first come, first served; without a capacity as many as there are."""

    def __init__(self, capacity: int | None) -> None:
        self._free = capacity
        self._queue: deque[asyncio.Future[None]] = deque()

    @asynccontextmanager
    async def one(self) -> AsyncIterator[None]:
        if self._free == 0:
            turn = asyncio.get_running_loop().create_future()
            self._queue.append(turn)
            try:
                await turn
            except asyncio.CancelledError:
                if turn.done() and not turn.cancelled():
                    self._give_back()
                else:
                    self._queue.remove(turn)
                raise
        elif self._free is not None:
            self._free -= 1
        try:
            yield
        finally:
            self._give_back()

    def _give_back(self) -> None:
        if self._queue:
            self._queue.popleft().set_result(None)
        elif self._free is not None:
            self._free += 1


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
        if spec.hazards is not None:
            self.books.luck = Luck(self.draws, self.record.exposures, lambda: self.clock.now_ms)
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
            hazards=spec.hazards,
            luck=self.books.luck,
        )
        self.places = Places(spec.model_concurrency)
        self.thinking_share = spec.model.thinking_share if SafePoint.STREAM_ITEM in strategy.traits.points else 0.0
        self.is_streamed = Departure.KEEPS_PARTIAL in strategy.traits.departures
        self.bench = Bench(
            clock=clock,
            tools=tools,
            draws=self.draws,
            plan_of=self.plan_of,
            tell=self._told,
            job_ended=self._job_ended,
            resample=spec.resample,
            invented=self.books.invented_calls,
        )
        self.workload = Workload(
            clock=clock,
            draws=self.draws,
            horizon_ms=spec.horizon_ms,
            arrive=self._arrive,
            unanswered=self.books.unanswered,
        )
        self.desk = RouterDesk(clock, router, self.draws, self._decided)
        self.verdicts: dict[str, asyncio.Future[Verdict]] = {}
        self.heard = 0
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
            stock_reply=self._acknowledged,
            undo=self._undo,
            refused=self._refused,
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

    def _route(self, event: Event) -> "asyncio.Future[Verdict]":
        verdict = self.verdicts[event.id] = asyncio.get_running_loop().create_future()
        self.desk.take(event, self.books.met(event).handling)
        return verdict

    def _decided(self, event_id: str, verdict: Verdict) -> None:
        self.verdicts.pop(event_id).set_result(verdict)

    def _refused(self, event_id: str, _reason: str) -> None:
        self.workload.refused(self.record.events[event_id])

    # --- the model ------------------------------------------------------------------------------------------------

    async def _call_model(self, messages: Sequence[Message], stream: Stream) -> AssistantMessage:
        self.epoch += 1
        self._hear_of_changes()
        planned = self.model.begin(messages, len(messages), self.epoch, self.epoch, self.clock.now_ms)
        async with self.places.one():
            await self._speak(planned, stream)
        stream.output_tokens = planned.tokens
        self.messages += 1
        ids = []
        for _ in planned.speech.calls:
            self.calls += 1
            ids.append(f"c{self.calls}")
        message = self.model.message(planned, f"m{self.messages}", ids)
        for task_id in self.books.said(message, self.model.reading):
            self.workload.answered(task_id)
        if planned.speech.faults is not None:
            self.books.went_wrong(planned.speech, ids)
        return message

    def _hear_of_changes(self) -> None:
        """Tell the model where history was rewritten: its cache ends there."""
        records = self.runtime.trace.records
        for _at_ms, record in records[self.heard :]:
            if isinstance(record, Replace | Insert):
                self.model.changed(record.index)
            elif isinstance(record, Rewind):
                self.model.changed(record.length)
        self.heard = len(records)

    async def _speak(self, planned: Planned, stream: Stream) -> None:
        """Take the time of a call; report the end of its thinking and, if anybody keeps them, its tokens one by one."""
        since_ms = self.clock.now_ms
        stops = {planned.total_ms: 0}
        thinking_ms = round(planned.silent_ms + self.thinking_share * (planned.total_ms - planned.silent_ms))
        if self.thinking_share > 0:
            stops[thinking_ms] = 0
        if self.is_streamed:
            out = [planned.tokens_after(ms) for ms in range(planned.total_ms)]
            stops |= {ms: tokens for ms, tokens in enumerate(out) if ms and tokens > out[ms - 1]}
        for ms in sorted(stops):
            await self.clock.sleep(since_ms + ms - self.clock.now_ms)
            if stops[ms]:
                stream.output_tokens = stops[ms]
                stream.partial = stream.delivered = AssistantMessage(id="m0", tokens=stops[ms], cut=True)
            if self.thinking_share > 0 and ms == thinking_ms:
                stream.item_done()

    async def _aside(self, messages: Sequence[Message], event: Event) -> tuple[AssistantMessage, SideOutcome]:
        self._hear_of_changes()
        planned = self.model.begin_side(messages, event.id, self.clock.now_ms)
        async with self.places.one():
            await self.clock.sleep(planned.total_ms)
        light = self.books.intents[event.id].kind in (IntentKind.LIGHT, IntentKind.NOTICE)
        self.books.side_answered(event.id, for_main=not light)
        self.messages += 1
        answer = AssistantMessage(id=f"m{self.messages}", tokens=planned.tokens, says=(f"answer:{event.id}",))
        return answer, SideOutcome.ANSWERED if light else SideOutcome.FOR_MAIN

    async def _acknowledge(self, event: Event) -> None:
        await self.clock.sleep(round(self.spec.acknowledge_ms.quantile(self.draws.uniform("acknowledge", event.id))))
        self._acknowledged(event)

    def _acknowledged(self, event: Event) -> None:
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

    async def _undo(self, call_id: str) -> None:
        self.bench.undo(call_id)
