"""openai-agents 0.24.0.

A turn is ``Runner.run_streamed`` with an in-memory ``SQLiteSession`` (which works in threads), read to its end as the
documentation asks. A stop is ``cancel(mode="immediate")``, a stop after the step ``cancel(mode="after_turn")``. There
is no message in the middle of a turn.
"""

import json
from collections.abc import AsyncIterator, Sequence
from typing import Any

from agents import Agent, FunctionTool, Model, ModelResponse, RunConfig, Runner, SQLiteSession, set_tracing_disabled
from agents.result import RunResultStreaming
from agents.tool_context import ToolContext
from openai.types.responses import (
    Response,
    ResponseCompletedEvent,
    ResponseFunctionToolCall,
    ResponseOutputMessage,
    ResponseOutputText,
    ResponseTextDeltaEvent,
)

from simlab.testing.contract import Env, Ev, Message, Plan, assistant_message

SCHEMA = {
    "type": "object",
    "properties": {"label": {"type": "string"}, "duration_ms": {"type": "integer"}},
    "required": ["label", "duration_ms"],
    "additionalProperties": False,
}


class OpenAIAgents:
    """One conversation of an openai-agents agent, kept by the library's own session."""

    def __init__(self, env: Env) -> None:
        set_tracing_disabled(True)
        self.env = env
        tool = FunctionTool("work", "Do a piece of work.", SCHEMA, self._work)
        self.agent = Agent(name="agent", model=_FakeModel(env), tools=[tool])
        self.session = SQLiteSession("simlab")
        self.results: list[RunResultStreaming] = []

    async def turn(self, text: str) -> None:
        """Run the agent on the session."""
        result = Runner.run_streamed(
            self.agent, text, session=self.session, max_turns=30, run_config=RunConfig(tracing_disabled=True)
        )
        self.results.append(result)
        try:
            async for _event in result.stream_events():
                pass
        finally:
            self.results.remove(result)

    def deliver(self, event: Ev) -> bool:
        """Take both kinds of stop natively."""
        if not self.results or event.kind == "message":
            return False
        for result in self.results:
            result.cancel(mode="immediate" if event.kind == "stop" else "after_turn")
        return True

    async def close(self) -> None:
        """Close the session's database."""
        self.session.close()

    async def _work(self, context: ToolContext[Any], arguments: str) -> str:
        return await self.env.tool(**json.loads(arguments))


class _FakeModel(Model):
    def __init__(self, env: Env) -> None:
        self.env = env

    async def get_response(self, *args: Any, **kwargs: Any) -> ModelResponse:
        raise NotImplementedError("this adapter streams")

    async def stream_response(
        self,
        system_instructions: str | None,
        input: str | list[Any],  # noqa: A002
        *args: Any,
        **kwargs: Any,
    ) -> AsyncIterator[Any]:
        plan = self.env.plan(to_chat([{"role": "user", "content": input}] if isinstance(input, str) else input))
        async for piece in self.env.stream(plan):
            yield ResponseTextDeltaEvent(
                type="response.output_text.delta",
                content_index=0,
                delta=piece,
                item_id=f"msg_{plan.number}",
                logprobs=[],
                output_index=0,
                sequence_number=0,
            )
        yield ResponseCompletedEvent(type="response.completed", sequence_number=1, response=_response(plan))


def _response(plan: Plan) -> Response:
    text = ResponseOutputText(type="output_text", text=plan.text, annotations=[])
    message = ResponseOutputMessage(
        id=f"msg_{plan.number}", type="message", role="assistant", status="completed", content=[text]
    )
    calls = [
        ResponseFunctionToolCall(
            type="function_call", id=f"fc_{call.id}", call_id=call.id, name="work", arguments=json.dumps(call.arguments)
        )
        for call in plan.calls
    ]
    return Response(
        id=f"resp_{plan.number}",
        created_at=0,
        model="fake",
        object="response",
        output=[message, *calls],
        parallel_tool_calls=True,
        tool_choice="auto",
        tools=[],
    )


def to_chat(items: Sequence[dict[str, Any]]) -> list[Message]:
    """Write Responses input items in the Chat Completions format.

    In the Responses format an output may stand anywhere behind its call, so outputs are moved directly behind it; an
    output without a call stays where it is, and a call without an output stays open.
    """
    outputs = {item["call_id"]: item for item in items if item.get("type") == "function_call_output"}
    called = {item["call_id"] for item in items if item.get("type") == "function_call"}
    chat: list[Message] = []
    group: list[dict[str, Any]] = []
    for item in [*items, {"type": "end"}]:
        if item.get("type") == "function_call":
            group.append(item)
            continue
        if item.get("type") == "function_call_output" and item["call_id"] in called:
            continue
        _close_group(chat, group, outputs)
        group = []
        if item.get("type") == "function_call_output":
            chat.append(_result(item))
        elif "role" in item:
            chat.append({"role": item["role"], "content": _text(item["content"])})
    return chat


def _close_group(chat: list[Message], group: list[dict[str, Any]], outputs: dict[str, dict[str, Any]]) -> None:
    if not group:
        return
    text = chat.pop()["content"] if chat and chat[-1]["role"] == "assistant" and "tool_calls" not in chat[-1] else None
    chat.append(assistant_message(text, [(item["call_id"], item["name"], item["arguments"]) for item in group]))
    chat += [_result(outputs[item["call_id"]]) for item in group if item["call_id"] in outputs]


def _result(item: dict[str, Any]) -> Message:
    return {"role": "tool", "tool_call_id": item["call_id"], "content": _text(item["output"])}


def _text(content: Any) -> str:
    return content if isinstance(content, str) else "".join(part.get("text", "") for part in content)
