"""smolagents 1.26.0 (``ToolCallingAgent``).

The library is synchronous: a turn is ``agent.run(reset=False)`` in a worker thread, and the threads that it starts for
parallel tools are counted by the loop. Its one stop, ``agent.interrupt``, is looked at before each step. The model is
shown calls and results as text without ids, so a provider never refuses its requests.
"""

import ast
import asyncio
import concurrent.futures
import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import smolagents.agents as agents_module
from smolagents import ChatMessage, LogLevel, MessageRole, Model, Tool, ToolCallingAgent
from smolagents.models import ChatMessageToolCall, ChatMessageToolCallFunction
from smolagents.utils import AgentError

from simlab.testing import threads
from simlab.testing.contract import Env, Ev, Message, Plan, assistant_message
from simlab.testing.fakes import text_of

CALLING = "Calling tools:\n"


def _pool(max_workers: int | None = None) -> concurrent.futures.Executor:
    virtual = threads.current_job() is not None
    return threads.ThreadPool() if virtual else concurrent.futures.ThreadPoolExecutor(max_workers)


def _as_completed(futures: Iterable[Any]) -> Iterator[Any]:
    virtual = threads.current_job() is not None
    return threads.as_completed(futures) if virtual else concurrent.futures.as_completed(futures)


agents_module.ThreadPoolExecutor = _pool
agents_module.as_completed = _as_completed


class SmolAgents:
    """One conversation of a ``ToolCallingAgent``, kept in its memory."""

    def __init__(self, env: Env) -> None:
        self.agent = ToolCallingAgent(
            tools=[_Work(env)], model=_FakeModel(env), verbosity_level=LogLevel.OFF, max_steps=30
        )
        self.running = 0

    async def turn(self, text: str) -> None:
        """Run the agent in a thread."""
        self.running += 1
        try:
            await asyncio.to_thread(self.agent.run, text, reset=False)
        except AgentError as error:
            if "interrupted" not in str(error):
                raise
        finally:
            self.running -= 1

    def deliver(self, event: Ev) -> bool:
        """Take a stop, which the agent looks at before each step."""
        if not self.running or event.kind == "message":
            return False
        self.agent.interrupt()
        return True


class _Work(Tool):
    name = "work"
    description = "Do a piece of work."
    inputs = {  # noqa: RUF012 - the library reads a class attribute
        "label": {"type": "string", "description": "What to do."},
        "duration_ms": {"type": "integer", "description": "How long it takes."},
    }
    output_type = "string"

    def __init__(self, env: Env) -> None:
        super().__init__()
        self.env = env

    def forward(self, label: str, duration_ms: int) -> str:
        return self.env.tool_sync(label, duration_ms)


class _FakeModel(Model):
    def __init__(self, env: Env) -> None:
        super().__init__(model_id="fake")
        self.env = env

    def generate(self, messages: list[ChatMessage], *args: Any, **kwargs: Any) -> ChatMessage:
        plan = self.env.plan(to_chat(messages))
        self.env.think_sync(plan)
        return ChatMessage(role=MessageRole.ASSISTANT, content=plan.text, tool_calls=_calls(plan))


def _calls(plan: Plan) -> list[ChatMessageToolCall]:
    calls: list[tuple[str, str, dict[str, Any]]] = [(call.id, "work", call.arguments) for call in plan.calls]
    return [
        ChatMessageToolCall(
            id=call_id, type="function", function=ChatMessageToolCallFunction(name=name, arguments=arguments)
        )
        for call_id, name, arguments in calls or [(f"answer_{plan.number}", "final_answer", {"answer": plan.text})]
    ]


def to_chat(messages: Sequence[ChatMessage]) -> list[Message]:
    """Write a request in the OpenAI Chat Completions format; calls and results are found in the text."""
    chat: list[Message] = []
    for message in messages:
        text = text_of({"content": message.content})
        role = getattr(message.role, "value", message.role)
        if role in ("tool-call", "assistant"):
            _append_answer(chat, text)
        elif role == "tool-response" or (role == "user" and text.startswith(("Observation:", "Error:", "Call id:"))):
            _append_results(chat, text)
        else:
            chat.append({"role": role, "content": text})
    return chat


def _append_answer(chat: list[Message], text: str) -> None:
    said, found, listed = text.partition(CALLING)
    calls = ast.literal_eval(listed.strip()) if found else []
    work = [
        (call["id"], "work", json.dumps(call["function"]["arguments"]))
        for call in calls
        if call["function"]["name"] == "work"
    ]
    if work and chat and chat[-1]["role"] == "assistant" and "tool_calls" not in chat[-1]:
        said = chat.pop()["content"]
    if said.strip() or work:
        chat.append(assistant_message(said.strip(), work))
    chat += [{"role": "tool", "tool_call_id": call_id, "content": ""} for call_id, _, _ in work]


def _append_results(chat: list[Message], text: str) -> None:
    """Give each call of the last answer the lines that name it."""
    for message in chat[::-1]:
        if message["role"] != "tool":
            return
        label = message["tool_call_id"].rsplit("_", 1)[-1]
        message["content"] += "\n".join(line for line in text.splitlines() if f"{label} is done" in line)
