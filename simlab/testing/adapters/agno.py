"""agno 3.1.10.

A turn is ``Agent.arun(stream=True)``, read to its end, on a session of an ``InMemoryDb`` with its history in the
context; a stop is ``Agent.cancel_run``. The library leaves cancelled runs out of that history. There is neither a stop
after the step nor a message in the middle of a turn. The registry of cancelled runs belongs to the process, so every
run has an id of its own.
"""

import json
from collections.abc import AsyncIterator, Iterator, Sequence
from itertools import count
from typing import Any

from agno.agent import Agent
from agno.db.in_memory import InMemoryDb
from agno.models.base import Model
from agno.models.message import Message as AgnoMessage
from agno.models.response import ModelResponse
from agno.tools.function import Function

from simlab.testing.contract import Env, Ev, Message, assistant_message

_RUN_IDS = count()


class Agno:
    """One session of an agno agent."""

    def __init__(self, env: Env) -> None:
        async def work(label: str, duration_ms: int) -> str:
            """Do a piece of work."""
            return await env.tool(label, duration_ms)

        self.agent = Agent(
            model=_FakeModel(id="fake", env=env),
            tools=[Function.from_callable(work)],
            db=InMemoryDb(),
            session_id="simlab",
            add_history_to_context=True,
            num_history_runs=100,
            telemetry=False,
        )
        self.run_ids: list[str] = []

    async def turn(self, text: str) -> None:
        """Run the agent on the session."""
        run_id = f"run-{next(_RUN_IDS)}"
        self.run_ids.append(run_id)
        try:
            async for _event in self.agent.arun(text, run_id=run_id, stream=True):
                pass
        finally:
            self.run_ids.remove(run_id)

    def deliver(self, event: Ev) -> bool:
        """Take a stop natively."""
        if event.kind != "stop":
            return False
        found = [Agent.cancel_run(run_id) for run_id in self.run_ids]
        return any(found)


class _FakeModel(Model):
    def __init__(self, *, id: str, env: Env) -> None:  # noqa: A002
        super().__init__(id=id, name="fake", provider="simlab")
        self.env = env

    async def ainvoke_stream(
        self, messages: list[AgnoMessage], *args: Any, **kwargs: Any
    ) -> AsyncIterator[ModelResponse]:
        plan = self.env.plan(to_chat(messages))
        async for piece in self.env.stream(plan):
            yield ModelResponse(role="assistant", content=piece)
        calls = [
            {"id": c.id, "type": "function", "function": {"name": "work", "arguments": json.dumps(c.arguments)}}
            for c in plan.calls
        ]
        if calls:
            yield ModelResponse(tool_calls=calls)

    async def ainvoke(self, *args: Any, **kwargs: Any) -> ModelResponse:
        raise NotImplementedError("this adapter streams")

    def invoke(self, *args: Any, **kwargs: Any) -> ModelResponse:
        raise NotImplementedError("this adapter is asynchronous")

    def invoke_stream(self, *args: Any, **kwargs: Any) -> Iterator[ModelResponse]:
        raise NotImplementedError("this adapter is asynchronous")

    def _parse_provider_response(self, response: Any, **kwargs: Any) -> ModelResponse:
        raise NotImplementedError

    def _parse_provider_response_delta(self, response: Any) -> ModelResponse:
        raise NotImplementedError


def to_chat(messages: Sequence[AgnoMessage]) -> list[Message]:
    """Write a request in the OpenAI Chat Completions format."""
    chat: list[Message] = []
    for message in messages:
        content = message.get_content_string() if message.content is not None else None
        if message.role == "assistant":
            calls = [(c["id"], c["function"]["name"], c["function"]["arguments"]) for c in message.tool_calls or []]
            chat.append(assistant_message(content, calls))
        elif message.role == "tool":
            chat.append({"role": "tool", "tool_call_id": message.tool_call_id, "content": content})
        else:
            chat.append({"role": message.role, "content": content})
    return chat
