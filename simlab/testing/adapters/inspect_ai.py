"""inspect_ai 0.3.285 (``react``).

The agent runs outside of an evaluation, so the checkpointer that it asks for is the library's own empty one. A stop is
``AgentRef.interrupt``, a message in the middle of a turn ``AgentRef.post``. An agent that was stopped waits inside its
turn for the user's next message; that is idle here. The library keeps no conversation, so a second turn side by side is
declined by the adapter.
"""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Any

from inspect_ai.agent import AgentState, react
from inspect_ai.agent import _react as react_module
from inspect_ai.agent._channel import AgentChannel, agent_channel
from inspect_ai.agent._channel.items import Cancel, UserMessage
from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageTool,
    ChatMessageUser,
    GenerateConfig,
    ModelAPI,
    ModelOutput,
    get_model,
    modelapi,
)
from inspect_ai.tool import Tool, ToolCall, ToolDef
from inspect_ai.util._checkpoint.checkpointer_noop import _NoopCheckpointer

from simlab.testing.contract import Env, Ev, Message, Refused, assistant_message

_channels: dict[int, AgentChannel] = {}


@asynccontextmanager
async def _noted_channel() -> AsyncIterator[AgentChannel]:
    async with agent_channel() as channel:
        task = asyncio.current_task()
        _channels[id(task)] = channel
        try:
            yield channel
        finally:
            del _channels[id(task)]


react_module.agent_channel = _noted_channel
react_module.checkpointer = _NoopCheckpointer


class InspectAI:
    """One conversation of a ``react`` agent without a submit tool."""

    def __init__(self, env: Env) -> None:
        model = get_model("simlab/fake", memoize=False, env=env)
        self.agent = react(model=model, tools=[_work(env)], prompt=None, submit=False)
        self.state = AgentState(messages=[])
        self.task: asyncio.Task[AgentState] | None = None
        self.idle = asyncio.Event()
        self.busy = False

    async def turn(self, text: str) -> None:
        """Start the agent, or give a stopped one the message that it waits for; return when it ends or is stopped."""
        if self.busy:
            raise Refused
        self.busy = True
        try:
            await self._turn(text)
        finally:
            self.busy = False

    async def _turn(self, text: str) -> None:
        self.idle = asyncio.Event()
        channel = self.channel()
        if self.task is not None and channel is not None:
            channel._ref().post(UserMessage(ChatMessageUser(content=text)))
        else:
            self.state.messages.append(ChatMessageUser(content=text))
            self.task = asyncio.create_task(self._run())
        idle = asyncio.create_task(self.idle.wait())
        try:
            await asyncio.wait({self.task, idle}, return_when=asyncio.FIRST_COMPLETED)
        except asyncio.CancelledError:
            self.task.cancel()
            with suppress(asyncio.CancelledError):
                await self.task
            raise
        finally:
            idle.cancel()
        if self.task.done():
            self.state = self.task.result()

    async def _run(self) -> AgentState:
        return await self.agent(self.state)

    def channel(self) -> AgentChannel | None:
        """Return the channel of the agent that runs."""
        return _channels.get(id(self.task)) if self.task is not None and not self.task.done() else None

    def deliver(self, event: Ev) -> bool:
        """Take a stop and a message natively."""
        channel = self.channel()
        if channel is None or not self.busy or event.kind == "stop_after_step":
            return False
        if event.kind == "message":
            channel._ref().post(UserMessage(ChatMessageUser(content=str(event.text))))
            return True
        if not channel.turn_active:
            return False
        channel.subscribe_turn_state(lambda state: self.idle.set() if state == "cancelled" else None)
        channel._ref().interrupt(Cancel())
        return True

    async def close(self) -> None:
        """End an agent that still waits for a message."""
        if self.task is not None and not self.task.done():
            self.task.cancel()
            await asyncio.wait({self.task})


def _work(env: Env) -> Tool:
    async def work(label: str, duration_ms: int) -> str:
        return await env.tool(label, duration_ms)

    parameters = {"label": "What to do.", "duration_ms": "How long it takes."}
    return ToolDef(work, name="work", description="Do a piece of work.", parameters=parameters).as_tool()


@modelapi(name="simlab")
class _FakeAPI(ModelAPI):
    def __init__(
        self,
        model_name: str,
        base_url: str | None = None,
        api_key: str | None = None,
        config: GenerateConfig | None = None,
        *,
        env: Env,
    ) -> None:
        super().__init__(model_name, base_url, api_key, config=config or GenerateConfig())
        self.env = env

    async def generate(self, input: list[ChatMessage], *args: Any, **kwargs: Any) -> ModelOutput:  # noqa: A002
        plan = self.env.plan(to_chat(input))
        await self.env.think(plan)
        calls = [ToolCall(id=call.id, function="work", arguments=call.arguments) for call in plan.calls]
        output = ModelOutput.from_content("fake", plan.text)
        output.choices[0].message = ChatMessageAssistant(content=plan.text, tool_calls=calls or None, model="fake")
        return output


def to_chat(messages: Sequence[ChatMessage]) -> list[Message]:
    """Write a request in the OpenAI Chat Completions format."""
    chat: list[Message] = []
    for message in messages:
        match message:
            case ChatMessageAssistant():
                calls = [(call.id, call.function, call.arguments) for call in message.tool_calls or []]
                chat.append(assistant_message(message.text, calls))
            case ChatMessageTool():
                chat.append({"role": "tool", "tool_call_id": message.tool_call_id, "content": message.text})
            case _:
                chat.append({"role": message.role, "content": message.text})
    return chat
