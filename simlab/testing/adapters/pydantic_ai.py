"""pydantic-ai 2.68.0 (``pydantic-ai-slim``).

A turn is ``agent.iter``; a message in the middle of it is ``AgentRun.enqueue``, a stop is ``AgentRun.cancel``. The next
turn gets ``all_messages()`` of the result, or of ``RunCancelled``, as the documentation shows. The library keeps no
conversation, so a second turn side by side is declined by the adapter.
"""

import json
from collections.abc import AsyncIterator, Sequence
from typing import Any

from pydantic_ai import Agent, Tool, UserError
from pydantic_ai.exceptions import RunCancelled
from pydantic_ai.messages import (
    ModelMessage,
    ModelResponse,
    RetryPromptPart,
    SystemPromptPart,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.models.function import AgentInfo, DeltaToolCall, DeltaToolCalls, FunctionModel
from pydantic_ai.run import AgentRun

from simlab.testing.contract import Env, Ev, Message, Refused, assistant_message


class PydanticAI:
    """One conversation of a pydantic-ai agent."""

    def __init__(self, env: Env) -> None:
        self.env = env
        self.history: list[ModelMessage] = []
        self.agent = Agent(FunctionModel(self._answer), tools=[Tool(env.tool, name="work", takes_ctx=False)])
        self.run: AgentRun[None, str] | None = None
        self.starting = self.stopping = False

    async def turn(self, text: str) -> None:
        """Run the agent on the history so far."""
        if self.starting or self.run is not None:
            raise Refused
        self.starting, self.stopping = True, False
        try:
            async with self.agent.iter(text, message_history=self.history) as run:
                self.run, self.starting = run, False
                if self.stopping:
                    run.cancel()
                async for node in run:
                    await self.read(node, run)
            self.history = run.all_messages()
        except RunCancelled as cut:
            self.history = cut.all_messages()
        finally:
            self.run, self.starting = None, False

    async def read(self, node: Any, run: AgentRun[None, str]) -> None:
        """Do nothing: the run takes its steps as it is iterated."""

    def deliver(self, event: Ev) -> bool:
        """Take a message and a stop natively."""
        if event.kind == "stop" and self.starting:
            self.stopping = True
            return True
        if self.run is None or event.kind == "stop_after_step":
            return False
        try:
            self.run.cancel() if event.kind == "stop" else self.run.enqueue(str(event.text))
        except UserError:
            return False  # the run has ended
        return True

    async def _answer(self, messages: list[ModelMessage], info: AgentInfo) -> ModelResponse:
        plan = self.env.plan(to_chat(messages))
        await self.env.think(plan)
        calls = [ToolCallPart("work", call.arguments, call.id) for call in plan.calls]
        return ModelResponse(parts=[TextPart(plan.text), *calls])


class PydanticAIStreamed(PydanticAI):
    """The same with a model that streams its answer, read piece by piece."""

    def __init__(self, env: Env) -> None:
        super().__init__(env)
        model = FunctionModel(stream_function=self._stream)
        self.agent = Agent(model, tools=[Tool(env.tool, name="work", takes_ctx=False)])

    async def read(self, node: Any, run: AgentRun[None, str]) -> None:
        """Read the stream of a model request to its end."""
        if Agent.is_model_request_node(node):
            stream: Any
            async with node.stream(run.ctx) as stream:
                async for _event in stream:
                    pass

    async def _stream(self, messages: list[ModelMessage], info: AgentInfo) -> AsyncIterator[str | DeltaToolCalls]:
        plan = self.env.plan(to_chat(messages))
        async for piece in self.env.stream(plan):
            yield piece
        for index, call in enumerate(plan.calls):
            yield {index: DeltaToolCall(name="work", json_args=json.dumps(call.arguments), tool_call_id=call.id)}


def to_chat(messages: Sequence[ModelMessage]) -> list[Message]:
    """Write a request in the OpenAI Chat Completions format."""
    chat: list[Message] = []
    for message in messages:
        if isinstance(message, ModelResponse):
            text = "".join(part.content for part in message.parts if isinstance(part, TextPart))
            calls = [part for part in message.parts if isinstance(part, ToolCallPart)]
            chat.append(assistant_message(text, [(c.tool_call_id, c.tool_name, c.args_as_json_str()) for c in calls]))
            continue
        for part in message.parts:
            match part:
                case SystemPromptPart():
                    chat.append({"role": "system", "content": part.content})
                case UserPromptPart():
                    chat.append({"role": "user", "content": str(part.content)})
                case ToolReturnPart():
                    content = part.model_response_str()
                    chat.append({"role": "tool", "tool_call_id": part.tool_call_id, "content": content})
                case RetryPromptPart():
                    content = part.model_response()
                    role = {"role": "tool", "tool_call_id": part.tool_call_id} if part.tool_name else {"role": "user"}
                    chat.append({**role, "content": content})
    return chat
