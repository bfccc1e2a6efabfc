"""The loop that most people write first: plain asyncio, a list of messages, and ``task.cancel()`` to stop."""

import asyncio
import json

from simlab.testing.contract import Env, Ev, Message


class Plain:
    """It takes nothing in the middle of a turn."""

    def __init__(self, env: Env) -> None:
        self.env = env
        self.history: list[Message] = []

    async def turn(self, text: str) -> None:
        """Call the model and run its tools until it calls none."""
        self.history.append({"role": "user", "content": text})
        while True:
            answer = await self.env.model(self.history)
            self.history.append(answer)
            calls = answer.get("tool_calls", [])
            if not calls:
                return
            results = await asyncio.gather(*(self.env.tool(**json.loads(c["function"]["arguments"])) for c in calls))
            for call, result in zip(calls, results, strict=True):
                self.history.append({"role": "tool", "tool_call_id": call["id"], "content": result})

    def deliver(self, event: Ev) -> bool:
        """Decline everything."""
        return False
