"""autogen-agentchat 0.7.5.

A turn is ``AssistantAgent.run`` with a ``CancellationToken``; a stop is ``CancellationToken.cancel``. There is neither
a stop after the step nor a message in the middle of a turn. Its documentation says that an agent is not coroutine-safe,
so a second turn side by side is declined by the adapter.
"""

import asyncio
import json
from collections.abc import Sequence
from typing import Any

from autogen_agentchat.agents import AssistantAgent
from autogen_core import CancellationToken, FunctionCall
from autogen_core.models import (
    AssistantMessage,
    ChatCompletionClient,
    CreateResult,
    FunctionExecutionResultMessage,
    LLMMessage,
    ModelFamily,
    ModelInfo,
    RequestUsage,
    SystemMessage,
)
from autogen_core.tools import FunctionTool

from simlab.testing.contract import Env, Ev, Message, Refused, assistant_message


class AutoGen:
    """One conversation of an ``AssistantAgent``, kept in its own model context."""

    def __init__(self, env: Env) -> None:
        async def work(label: str, duration_ms: int) -> str:
            return await env.tool(label, duration_ms)

        tool = FunctionTool(work, "Do a piece of work.", name="work")
        self.agent = AssistantAgent("agent", _FakeClient(env), tools=[tool], max_tool_iterations=30)
        self.tokens: list[CancellationToken] = []

    async def turn(self, text: str) -> None:
        """Run the agent; a cancelled token surfaces as CancelledError."""
        if self.tokens:
            raise Refused
        token = CancellationToken()
        self.tokens.append(token)
        try:
            await self.agent.run(task=text, cancellation_token=token)
        finally:
            self.tokens.remove(token)

    def deliver(self, event: Ev) -> bool:
        """Take a stop natively."""
        if not self.tokens or event.kind != "stop":
            return False
        for token in self.tokens:
            token.cancel()
        return True


class _FakeClient(ChatCompletionClient):
    component_type = "replay"

    def __init__(self, env: Env) -> None:
        self.env = env

    async def create(
        self, messages: Sequence[LLMMessage], *, cancellation_token: CancellationToken | None = None, **kwargs: Any
    ) -> CreateResult:
        plan = self.env.plan(to_chat(messages))
        thinking = asyncio.ensure_future(self.env.think(plan))
        if cancellation_token is not None:
            cancellation_token.link_future(thinking)  # as the library's own clients do
        await thinking
        calls = [FunctionCall(id=call.id, name="work", arguments=json.dumps(call.arguments)) for call in plan.calls]
        return CreateResult(
            finish_reason="function_calls" if calls else "stop",
            content=calls or plan.text,
            thought=plan.text if calls else None,
            usage=self.actual_usage(),
            cached=False,
        )

    def create_stream(self, *args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError("this adapter does not stream")

    async def close(self) -> None:
        pass

    def actual_usage(self) -> RequestUsage:
        return RequestUsage(prompt_tokens=0, completion_tokens=0)

    def total_usage(self) -> RequestUsage:
        return self.actual_usage()

    def count_tokens(self, *args: Any, **kwargs: Any) -> int:
        return 0

    def remaining_tokens(self, *args: Any, **kwargs: Any) -> int:
        return 1_000_000

    @property
    def capabilities(self) -> Any:
        return self.model_info

    @property
    def model_info(self) -> ModelInfo:
        return ModelInfo(
            vision=False,
            function_calling=True,
            json_output=False,
            family=ModelFamily.UNKNOWN,
            structured_output=False,
            multiple_system_messages=True,
        )


def to_chat(messages: Sequence[LLMMessage]) -> list[Message]:
    """Write a request in the OpenAI Chat Completions format."""
    chat: list[Message] = []
    for message in messages:
        match message:
            case AssistantMessage(content=str(text)):
                chat.append(assistant_message(text, []))
            case AssistantMessage():
                chat.append(assistant_message(message.thought, [(c.id, c.name, c.arguments) for c in message.content]))
            case FunctionExecutionResultMessage():
                for result in message.content:
                    chat.append({"role": "tool", "tool_call_id": result.call_id, "content": result.content})
            case SystemMessage():
                chat.append({"role": "system", "content": message.content})
            case _:
                chat.append({"role": "user", "content": str(message.content)})
    return chat
