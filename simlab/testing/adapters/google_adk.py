"""google-adk 2.13.0.

A turn is ``Runner.run_async`` on a session of an ``InMemorySessionService``; a stop is its ``abort_signal``. There is
neither a stop after the step nor a message in the middle of a turn. The library runs synchronous tools on the thread of
the loop, where nothing can interrupt them, so the tool is asynchronous.
"""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from typing import Any

from google.adk.agents import LlmAgent
from google.adk.models import BaseLlm, LlmRequest, LlmResponse
from google.adk.runners import Runner
from google.adk.sessions import InMemorySessionService
from google.genai import types

from simlab.testing.contract import Env, Ev, Message, assistant_message

WHO = {"user_id": "user", "session_id": "simlab"}


class GoogleADK:
    """One session of an ``LlmAgent``."""

    def __init__(self, env: Env) -> None:
        async def work(label: str, duration_ms: int) -> str:
            """Do a piece of work."""
            return await env.tool(label, duration_ms)

        agent = LlmAgent(name="agent", model=_FakeLlm(model="fake", env=env), tools=[work])
        self.sessions = InMemorySessionService()
        self.runner = Runner(app_name="simlab", agent=agent, session_service=self.sessions)
        self.signals: list[asyncio.Event] = []

    async def turn(self, text: str) -> None:
        """Run the agent on the session."""
        signal = asyncio.Event()
        self.signals.append(signal)
        try:
            if await self.sessions.get_session(app_name="simlab", **WHO) is None:
                await self.sessions.create_session(app_name="simlab", **WHO)
            message = types.Content(role="user", parts=[types.Part(text=text)])
            async for _event in self.runner.run_async(**WHO, new_message=message, abort_signal=signal):
                pass
        finally:
            self.signals.remove(signal)

    def deliver(self, event: Ev) -> bool:
        """Take a stop natively."""
        if not self.signals or event.kind != "stop":
            return False
        for signal in self.signals:
            signal.set()
        return True


class _FakeLlm(BaseLlm):
    env: Any

    async def generate_content_async(
        self, llm_request: LlmRequest, stream: bool = False
    ) -> AsyncGenerator[LlmResponse, None]:
        plan = self.env.plan(to_chat(llm_request.contents))
        await self.env.think(plan)
        calls = [types.FunctionCall(id=call.id, name="work", args=call.arguments) for call in plan.calls]
        parts = [types.Part(text=plan.text), *(types.Part(function_call=call) for call in calls)]
        yield LlmResponse(content=types.Content(role="model", parts=parts))


def to_chat(contents: Sequence[types.Content]) -> list[Message]:
    """Write a request in the OpenAI Chat Completions format."""
    chat: list[Message] = []
    for content in contents:
        parts = content.parts or []
        text = "".join(part.text for part in parts if part.text)
        calls = [part.function_call for part in parts if part.function_call]
        results = [part.function_response for part in parts if part.function_response]
        if content.role == "model":
            chat.append(assistant_message(text, [(str(c.id), str(c.name), c.args or {}) for c in calls]))
            continue
        for result in results:
            chat.append({"role": "tool", "tool_call_id": str(result.id), "content": str(result.response)})
        if text:
            chat.append({"role": "user", "content": text})
    return chat
