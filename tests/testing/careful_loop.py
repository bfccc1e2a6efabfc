"""A careful agent loop: it takes stops and messages in the middle of a turn; nothing is lost, run twice or left open.

The class is shown in docs/test-your-own-agent.md; a test keeps both the same.
"""

import asyncio
import json
from typing import Any

from simlab.testing import Env, Ev


class CarefulLoop:
    """One conversation. Messages are taken at the top of a round; a stop closes every open call."""

    def __init__(self, env: Env) -> None:
        self.env = env
        self.history: list[dict[str, Any]] = []
        self.inbox: list[str] = []
        self.lock = asyncio.Lock()
        self.stopping: str | None = None
        self.current: list[asyncio.Future[Any]] = []

    async def turn(self, text: str) -> None:
        self.inbox.append(text)  # a running turn takes it at its next round
        async with self.lock:
            self.stopping = None
            while self.inbox and self.stopping is None:
                await self.rounds()

    async def rounds(self) -> None:
        calls: list[dict[str, Any]] = [{}]
        while (calls or self.inbox) and self.stopping is None:
            self.history += [{"role": "user", "content": text} for text in self.inbox]
            self.inbox.clear()
            calls = await self.think()
            await self.act(calls)

    async def think(self) -> list[dict[str, Any]]:
        (answer,) = await self.finish([self.env.model(self.history)])
        if answer is None:
            return []  # stopped: what was said so far is dropped
        self.history.append(answer)
        return list(answer.get("tool_calls", []))

    async def act(self, calls: list[dict[str, Any]]) -> None:
        wanted = [] if self.stopping == "stop" else [json.loads(call["function"]["arguments"]) for call in calls]
        work = [self.env.tool(**arguments) for arguments in wanted]
        results = await self.finish(work) or ["not started: the user stopped the agent"] * len(calls)
        for call, result in zip(calls, results, strict=True):
            content = result or "stopped by the user; its effect is unknown"
            self.history.append({"role": "tool", "tool_call_id": call["id"], "content": content})

    async def finish(self, work: list[Any]) -> list[Any]:
        """Wait until all have ended, stopped or not; None stands for one that was stopped."""
        self.current = [asyncio.ensure_future(one) for one in work]
        if self.current:
            await asyncio.wait(self.current)
        return [None if one.cancelled() else one.result() for one in self.current]

    def deliver(self, event: Ev) -> bool:
        if not self.lock.locked() or (event.kind == "message" and self.stopping):
            return False  # a turn that is about to stop reads no more messages
        if event.kind == "message":
            self.inbox.append(str(event.text))
        else:
            self.stopping = event.kind
        if event.kind == "stop":
            for one in self.current:
                one.cancel()
        return True
