"""The asyncio driver: the agent of the simulator, with a real model and real tools.

It carries out the same commands and feeds the same inputs as the SimPy driver. What happens at one instant is gathered
over a few iterations of the event loop, handed to the agent in the explicit order of ``core.order``, and only then is
the instant declared settled; so a strategy behaves here as it did in simulation, to the millisecond under a virtual
clock (a test compares the two drivers), and within the resolution of the loop on a real one.
"""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from heapq import heapify, heappop, heappush
from itertools import count
from typing import Any

from simlab.core import commands as c
from simlab.core import inputs as i
from simlab.core.agent import Agent
from simlab.core.events import Event, EventType, Verdict
from simlab.core.messages import AssistantMessage, Call, Message, SideOutcome, ToolKind, ToolResult, notation
from simlab.core.order import EVENT, MODEL, TIMER, TOOL, VERDICT, WINDOW, rank
from simlab.core.plugins import Strategy
from simlab.core.trace import Trace
from simlab.runtime.parts import Parts, Stream, Tool, ToolHandle

GATHERING_HOPS = 24
"""Iterations of the event loop over which the inputs of one instant are gathered: a cancelled task needs a few."""


class AgentRuntime:
    """One agent, alive in an asyncio program. Make it inside a running loop; ``deliver`` events; wait for ``quiet``.

    Raises what the model, a tool or the strategy raises (a tool's own exception becomes an error result).
    """

    def __init__(self, strategy: Strategy, parts: Parts) -> None:
        self.agent = Agent(strategy, [tool.spec for tool in parts.tools])
        self.trace = Trace(strategy=strategy.name, departures=strategy.traits.departures)
        self._parts = parts
        self._tools: dict[str, Tool] = {tool.spec.name: tool for tool in parts.tools}
        self._loop = asyncio.get_running_loop()
        self._began_s = self._loop.time()
        self._heap: list[tuple[float, int, i.Input]] = []
        self._numbers = count(1)
        self._call_index: dict[str, int] = {}
        self._hops_left = 0
        self._settle_wanted = False
        self._model: asyncio.Task[None] | None = None
        self._live_generation: int | None = None
        self._stream = Stream(lambda: None)
        self._running: dict[str, asyncio.Task[None]] = {}
        self._signalled: set[str] = set()
        self._others: set[asyncio.Task[None]] = set()
        self._quiet: asyncio.Future[None] | None = None
        self._error: BaseException | None = None
        self._closed = False

    # --- what a program uses ----------------------------------------------------------------------------------------

    def deliver(self, event: Event, order: float | None = None) -> None:
        """Hand over an event, without waiting. Its verdict and what follows come later.

        ``order`` is its place within the instant (``core.order``); left out, timers come before other events.
        """
        if self._closed:
            raise RuntimeError(f"event {event.id!r}: the runtime is closed")
        if order is None:
            order = rank(TIMER if event.type is EventType.TIMER_TRIGGER else EVENT, next(self._numbers))
        self._put(order, i.EventArrived(event=event))

    async def quiet(self) -> None:
        """Wait until nothing more will happen without an event from outside. Raises what went wrong.

        Any number of tasks may wait; one of them can be cancelled without a consequence for the others.
        """
        while self._error is None and not self.is_quiet and not self._closed:
            if self._quiet is None or self._quiet.done():
                self._quiet = self._loop.create_future()
            await asyncio.shield(self._quiet)
        if self._error is not None:
            raise self._error

    @property
    def is_quiet(self) -> bool:
        """Whether nothing more will happen without an event from outside."""
        return not self._heap and self._hops_left == 0 and self.agent.is_quiet

    @property
    def trajectory(self) -> list[Message]:
        """The messages that the model sees, a copy."""
        return list(self.agent.state.trajectory)

    def __str__(self) -> str:
        return notation(self.agent.state.trajectory)

    async def close(self) -> None:
        """Cancel whatever still runs. Nothing happens afterwards, and whoever waits for rest waits no longer."""
        self._closed = True
        self._release()
        tasks = [task for task in (self._model, *self._running.values(), *self._others) if task is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    # --- one instant ------------------------------------------------------------------------------------------------

    @property
    def now_ms(self) -> int:
        """Milliseconds since the runtime was made."""
        return round((self._loop.time() - self._began_s) * 1000)

    def _put(self, order: float, item: i.Input) -> None:
        if self._closed:
            return
        heappush(self._heap, (order, next(self._numbers), item))
        self._gather()

    def _gather(self) -> None:
        """Give the other things of this instant time to arrive."""
        if self._hops_left == 0:
            self._loop.call_soon(self._hop)
        self._hops_left = GATHERING_HOPS

    def _hop(self) -> None:
        self._hops_left -= 1
        if self._closed:
            return
        if self._hops_left > 0:
            self._loop.call_soon(self._hop)
            return
        try:
            self._drain()
        except Exception as error:  # the strategy's fault, or a misuse: told where somebody waits
            self._fail(error)

    def _drain(self) -> None:
        if self._heap:
            self._feed(heappop(self._heap)[2])
            self._gather()  # what this started or cancelled may answer within this very instant, before what waits
        elif self._settle_wanted:
            self._settle_wanted = False
            self._feed(i.Settled())
            self._gather()
        elif self.agent.is_quiet:
            self._release()

    def _feed(self, item: i.Input) -> None:
        now_ms = self.now_ms
        self.trace.records.append((now_ms, item))
        for command in self.agent.receive(item, now_ms):
            self.trace.records.append((now_ms, command))
            _CARRY_OUT[type(command)](self, command)

    def _fail(self, error: BaseException) -> None:
        self._error = self._error or error
        self._release()

    def _release(self) -> None:
        """Wake those who wait for rest."""
        if self._quiet is not None and not self._quiet.done():
            self._quiet.set_result(None)

    # --- the model --------------------------------------------------------------------------------------------------

    def _call_model(self, command: c.CallModel) -> None:
        generation = self._live_generation = command.generation
        stream = self._stream = Stream(lambda: self._from_model(i.StreamItem(generation=generation, index=0)))
        self._model = self._start(self._think(command, stream))

    async def _think(self, command: c.CallModel, stream: Stream) -> None:
        message = await self._parts.model(command.messages[: command.length], stream)
        self._from_model(
            i.ModelFinished(
                generation=command.generation, message=message, output_tokens=stream.output_tokens or message.tokens
            )
        )

    def _from_model(self, item: i.StreamItem | i.ModelFinished) -> None:
        """Take what the model says, unless it was stopped: a model may go on for a while, or to its end."""
        if item.generation != self._live_generation:
            return
        if isinstance(item, i.ModelFinished):
            self._model = None
            for call in item.message.calls:
                self._call_index[call.id] = len(self._call_index) + 1
        self._put(MODEL, item)

    def _cancel_model(self, command: c.CancelModel) -> None:
        stream = self._stream
        partial = None
        if command.partial is c.Partial.KEEP:
            partial = stream.partial
        elif command.partial is c.Partial.TRUNCATE:
            partial = stream.delivered
        self._live_generation = None
        if self._model is not None:
            self._model.cancel()
            self._model = None
        # what it has just said waits in this instant's heap: the stop wins
        self._heap = [entry for entry in self._heap if not isinstance(entry[2], i.StreamItem | i.ModelFinished)]
        heapify(self._heap)
        self._put(
            MODEL,
            i.ModelStopped(generation=command.generation, output_tokens=stream.output_tokens, partial=partial),
        )

    # --- tools ------------------------------------------------------------------------------------------------------

    def _order(self, call_id: str) -> float:
        return rank(TOOL, self._call_index[call_id])

    def _prepare_tool(self, command: c.PrepareTool) -> None:
        self._start(self._prepare(command))

    async def _prepare(self, command: c.PrepareTool) -> None:
        prepare = self._tools[command.call.tool].prepare
        if prepare is not None:
            await prepare(command.call)
        self._put(self._order(command.call.id), i.ToolPrepared(call_id=command.call.id))

    def _start_tool(self, command: c.StartTool) -> None:
        call = command.call
        tool = self._tools[call.tool]
        handle = ToolHandle(call, has_effect=tool.spec.kind is ToolKind.EFFECT)
        self._running[call.id] = self._start(self._act(tool, handle))

    async def _act(self, tool: Tool, handle: ToolHandle) -> None:
        call = handle.call
        item: i.Input
        try:
            item = i.ToolEnded(call_id=call.id, result=await tool.body(call, handle))
        except asyncio.CancelledError as error:
            if call.id in self._signalled:
                item = i.ToolCancelled(call_id=call.id, state=handle.known)
            else:  # nobody stopped it: something that it waits for was cancelled elsewhere
                item = _failed(call, error)
        except Exception as error:  # a tool that raises has an error result; the agent goes on
            item = _failed(call, error)
        self._running.pop(call.id, None)
        self._put(self._order(call.id), item)

    def _cancel_tool(self, command: c.CancelTool) -> None:
        task = self._running.get(command.call_id)
        if task is not None:
            self._signalled.add(command.call_id)
            task.cancel()

    def _undo_tool(self, command: c.UndoTool) -> None:
        if self._parts.undo is not None:
            self._start(_quietly(self._parts.undo(command.call_id)))

    # --- router, side sessions, windows -----------------------------------------------------------------------------

    def _route(self, command: c.Route) -> None:
        verdict = self._parts.router(command.event)
        if isinstance(verdict, Verdict):
            self._verdict(command.event, verdict)
        else:
            self._start(self._await_verdict(command.event, verdict))

    async def _await_verdict(self, event: Event, verdict: Awaitable[Verdict]) -> None:
        self._verdict(event, await verdict)

    def _verdict(self, event: Event, verdict: Verdict) -> None:
        self._put(rank(VERDICT, next(self._numbers)), i.Routed(event_id=event.id, verdict=verdict))

    def _refuse(self, command: c.Refuse) -> None:
        if self._parts.refused is not None:
            self._parts.refused(command.event_id, command.reason)

    def _start_side(self, command: c.StartSide) -> None:
        self._start(self._aside(command))

    async def _aside(self, command: c.StartSide) -> None:
        answer, outcome = AssistantMessage(id=f"{command.session_id}:answer"), SideOutcome.ANSWERED
        order = MODEL if command.kind is c.SideKind.ACKNOWLEDGE else rank(MODEL, next(self._numbers))
        if command.kind is c.SideKind.ACKNOWLEDGE:
            await self._hold(command)
        elif self._parts.side is not None:
            answer, outcome = await self._parts.side(command.messages, command.event)
        else:  # nobody to ask: the main task must answer
            outcome = SideOutcome.FOR_MAIN
        self._put(
            order,
            i.SideEnded(session_id=command.session_id, answer=answer, outcome=outcome, output_tokens=answer.tokens),
        )

    async def _hold(self, command: c.StartSide) -> None:
        """Send a holding reply; a stock reply in its place, if it is not ready in time."""
        if self._parts.holding_reply is None:
            return
        limit_s = None if command.limit_ms is None else command.limit_ms / 1000
        try:
            async with asyncio.timeout(limit_s) as limit:
                await self._parts.holding_reply(command.event)
        except TimeoutError:
            if not limit.expired():
                raise
            if self._parts.stock_reply is not None:
                self._parts.stock_reply(command.event)

    def _set_timer(self, command: c.SetTimer) -> None:
        due_s = self._began_s + (self.now_ms + command.delay_ms) / 1000
        order = rank(WINDOW, next(self._numbers))
        self._loop.call_at(due_s, self._put, order, i.TimerFired(timer_id=command.timer_id))

    def _settle(self, _command: c.Settle) -> None:
        self._settle_wanted = True

    def _nothing(self, _command: c.Command) -> None:
        """The trace has it."""

    # --- tasks ------------------------------------------------------------------------------------------------------

    def _start(self, work: Coroutine[Any, Any, None]) -> "asyncio.Task[None]":
        task = self._loop.create_task(work)
        self._others.add(task)
        task.add_done_callback(self._ended)
        return task

    def _ended(self, task: "asyncio.Task[None]") -> None:
        self._others.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            self._fail(error)


def _failed(call: Call, error: BaseException) -> i.ToolEnded:
    return i.ToolEnded(call_id=call.id, result=ToolResult(content=f"{call.tool}: {error!r}", ok=False))


async def _quietly(work: Awaitable[None]) -> None:
    await work


_CARRY_OUT: Mapping[type[c.Command], Callable[[AgentRuntime, Any], None]] = {
    c.Route: AgentRuntime._route,
    c.CallModel: AgentRuntime._call_model,
    c.CancelModel: AgentRuntime._cancel_model,
    c.PrepareTool: AgentRuntime._prepare_tool,
    c.StartTool: AgentRuntime._start_tool,
    c.CancelTool: AgentRuntime._cancel_tool,
    c.UndoTool: AgentRuntime._undo_tool,
    c.StartSide: AgentRuntime._start_side,
    c.SetTimer: AgentRuntime._set_timer,
    c.Settle: AgentRuntime._settle,
    c.Append: AgentRuntime._nothing,
    c.Replace: AgentRuntime._nothing,
    c.Insert: AgentRuntime._nothing,
    c.Rewind: AgentRuntime._nothing,
    c.Refuse: AgentRuntime._refuse,
    c.Drop: AgentRuntime._nothing,
    c.Sleep: AgentRuntime._nothing,
}
