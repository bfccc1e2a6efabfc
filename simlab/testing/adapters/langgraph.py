"""langgraph 1.2.24 with langchain 1.5.2 (``create_agent``).

A turn is ``ainvoke`` on a thread of an ``InMemorySaver``. A stop after the step is ``RunControl.request_drain``. The
library has no other stop and takes no message in the middle of a turn; its server does, and is not tested here.
"""

from collections.abc import Sequence
from typing import Any

from langchain.agents import create_agent
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from langchain_core.tools import StructuredTool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.errors import GraphDrained
from langgraph.runtime import RunControl

from simlab.testing.contract import Env, Ev, Message, assistant_message


class LangGraph:
    """One thread of an agent made by ``create_agent``."""

    def __init__(self, env: Env) -> None:
        async def work(label: str, duration_ms: int) -> str:
            """Do a piece of work."""
            return await env.tool(label, duration_ms)

        tool = StructuredTool.from_function(coroutine=work, name="work")
        self.agent = create_agent(_FakeModel(env=env), tools=[tool], checkpointer=InMemorySaver())
        self.controls: list[RunControl] = []

    async def turn(self, text: str) -> None:
        """Run the graph on the thread."""
        control = RunControl()
        self.controls.append(control)
        try:
            await self.agent.ainvoke(
                {"messages": [HumanMessage(text)]},
                {"configurable": {"thread_id": "simlab"}, "recursion_limit": 60},
                control=control,
            )
        except GraphDrained:
            pass  # stopped after the step, as asked
        finally:
            self.controls.remove(control)

    def deliver(self, event: Ev) -> bool:
        """Take a stop after the step natively."""
        if not self.controls or event.kind != "stop_after_step":
            return False
        for control in self.controls:
            control.request_drain("the user asked to stop")
        return True


class _FakeModel(BaseChatModel):
    env: Any

    @property
    def _llm_type(self) -> str:
        return "simlab"

    def bind_tools(self, tools: Sequence[Any], **kwargs: Any) -> Any:
        return self

    def _generate(self, *args: Any, **kwargs: Any) -> ChatResult:
        raise NotImplementedError("this adapter is asynchronous")

    async def _agenerate(self, messages: list[BaseMessage], *args: Any, **kwargs: Any) -> ChatResult:
        plan = self.env.plan(to_chat(messages))
        await self.env.think(plan)
        calls = [{"id": call.id, "name": "work", "args": call.arguments} for call in plan.calls]
        return ChatResult(generations=[ChatGeneration(message=AIMessage(content=plan.text, tool_calls=calls))])


def to_chat(messages: Sequence[BaseMessage]) -> list[Message]:
    """Write a request in the OpenAI Chat Completions format."""
    chat: list[Message] = []
    for message in messages:
        match message:
            case AIMessage():
                calls = [(str(call["id"]), call["name"], call["args"]) for call in message.tool_calls]
                chat.append(assistant_message(message.text, calls))
            case ToolMessage():
                chat.append({"role": "tool", "tool_call_id": message.tool_call_id, "content": message.text})
            case SystemMessage():
                chat.append({"role": "system", "content": message.text})
            case _:
                chat.append({"role": "user", "content": message.text})
    return chat
