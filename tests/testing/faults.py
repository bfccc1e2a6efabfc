"""Faults planted in the careful loop, each a mistake that real agent loops have made. Every one must be found."""

import asyncio
import json
from typing import Any

from simlab.testing import Env, Ev
from tests.testing.careful_loop import CarefulLoop


class LostWakeUp(CarefulLoop):
    """Does not look at the inbox again after the last answer: the message waits until somebody else speaks."""

    async def turn(self, text: str) -> None:
        self.inbox.append(text)
        async with self.lock:
            self.stopping = None
            calls: list[dict[str, Any]] = [{}]
            while calls and self.stopping is None:
                self.history += [{"role": "user", "content": text} for text in self.inbox]
                self.inbox.clear()
                calls = await self.think()
                await self.act(calls)


class DroppedInTheLastCall(LostWakeUp):
    """Accepts a message during the last answer, and starts the next turn with an empty inbox."""

    async def turn(self, text: str) -> None:
        if not self.lock.locked():
            self.inbox.clear()
        await super().turn(text)


class ResultDroppedOnCancel(CarefulLoop):
    """When stopped, forgets the results of the tools that had already ended."""

    async def finish(self, work: list[Any]) -> list[Any]:
        results = await super().finish(work)
        return [None] * len(results) if self.stopping == "stop" else results


class RunTwiceOnResume(CarefulLoop):
    """Runs the interrupted tools again when the next turn starts."""

    def __init__(self, env: Env) -> None:
        super().__init__(env)
        self.interrupted: list[dict[str, Any]] = []

    async def turn(self, text: str) -> None:
        if self.interrupted and not self.lock.locked():
            calls, self.interrupted = self.interrupted, []
            results = await self.finish([self.env.tool(**json.loads(c["function"]["arguments"])) for c in calls])
            for call, result in zip(calls, results, strict=True):
                for message in self.history:
                    if message.get("tool_call_id") == call["id"]:
                        message["content"] = result
        await super().turn(text)

    async def act(self, calls: list[dict[str, Any]]) -> None:
        await super().act(calls)
        if self.stopping == "stop":
            self.interrupted = [c for c, one in zip(calls, self.current, strict=False) if one.cancelled()]


class StaleStopFlag(CarefulLoop):
    """Clears the stop flag only when something was really cut off, so that a stop can hit the next turn."""

    async def turn(self, text: str) -> None:
        self.inbox.append(text)
        async with self.lock:
            while self.inbox and self.stopping is None:
                await self.rounds()
            if any(one.cancelled() for one in self.current):
                self.stopping = None


class SiblingOverwritten(CarefulLoop):
    """Each turn works on its own copy of the conversation, and the last one to end overwrites the others."""

    latest: CarefulLoop | None = None

    async def turn(self, text: str) -> None:
        self.latest = copy = CarefulLoop(self.env)
        copy.history = list(self.history)
        await copy.turn(text)
        self.history = copy.history

    def deliver(self, event: Ev) -> bool:
        return self.latest is not None and self.latest.deliver(event)


class PartialTextKept(CarefulLoop):
    """Writes what was said so far into the conversation, as if it were the answer."""

    async def think(self) -> list[dict[str, Any]]:
        plan, parts = self.env.plan(self.history), []

        async def read() -> dict[str, Any]:
            async for piece in self.env.stream(plan):
                parts.append(piece)
            return plan.message

        (answer,) = await self.finish([read()])
        if answer is None and parts:
            self.history.append({"role": "assistant", "content": "".join(parts)})
        if answer is None:
            return []
        self.history.append(answer)
        return list(answer.get("tool_calls", []))


class DanglingCall(CarefulLoop):
    """Leaves the calls open whose tools were stopped."""

    async def act(self, calls: list[dict[str, Any]]) -> None:
        await super().act(calls)
        if self.stopping == "stop":
            self.history = [m for m in self.history if not str(m["content"]).startswith("stopped")]


class ToolsOutliveTheStop(CarefulLoop):
    """Stops waiting for its tools, and does not stop the tools."""

    async def finish(self, work: list[Any]) -> list[Any]:
        return await super().finish([asyncio.shield(asyncio.ensure_future(one)) for one in work])


class RoundRolledBack(CarefulLoop):
    """When stopped during tools, removes the whole round from the conversation."""

    async def act(self, calls: list[dict[str, Any]]) -> None:
        before = len(self.history) - 1
        await super().act(calls)
        if self.stopping == "stop" and calls:
            del self.history[before:]


class WaiterOverwritten(CarefulLoop):
    """Lets a second turn wait for the first in a place that has room for one: a third makes the second wait forever."""

    waiter: "asyncio.Future[None] | None" = None
    busy = False

    async def turn(self, text: str) -> None:
        if self.busy:
            self.waiter = asyncio.get_running_loop().create_future()
            await self.waiter
        self.busy = True
        await super().turn(text)
        self.busy = False
        if self.waiter is not None:
            self.waiter.set_result(None)
            self.waiter = None
