"""simlab's own runtime: ``AgentRuntime`` with a strategy of the catalogue, in the storm like any other.

A turn is an event for the agent and ends when the agent has come to rest; so is a message in the middle of it. A stop
is the interrupt of a user, which a strategy that interrupts obeys; one that only queues declines it, and then a turn
that is cancelled ends at the next rest, for nothing in the agent is cut off behind its back.
"""

import asyncio
import json
from collections.abc import Sequence
from typing import ClassVar

from simlab.core.events import Event, EventType
from simlab.core.messages import (
    AssistantMessage,
    Call,
    EventMessage,
    LateResultMessage,
    NoticeMessage,
    PlaceholderMessage,
    ResultMessage,
    SideMessage,
    ToolKind,
    ToolResult,
    ToolSpec,
)
from simlab.core.messages import Message as Written
from simlab.runtime import AgentRuntime, Parts, Stream, Tool, ToolHandle
from simlab.strategies import STRATEGIES
from simlab.testing.contract import Env, Ev, Message, assistant_message


class SimlabRuntime:
    """One conversation of simlab's agent, with a strategy by name."""

    strategy: ClassVar[str]
    interrupts: ClassVar[bool]

    def __init__(self, env: Env) -> None:
        self.env = env
        self.events = self.turns = 0
        work = Tool(spec=ToolSpec(name="work", kind=ToolKind.EFFECT), body=self._work)
        self.runtime = AgentRuntime(STRATEGIES.get(self.strategy), Parts(model=self._answer, tools=[work]))

    async def turn(self, text: str) -> None:
        """Hand over the text, and wait for rest."""
        self._tell(EventType.USER_INPUT, text)
        self.turns += 1
        cancelled = None
        try:
            while True:
                try:
                    await self.runtime.quiet()
                    break
                except asyncio.CancelledError as error:
                    cancelled = error
        finally:
            self.turns -= 1
        if cancelled is not None:
            raise cancelled

    def deliver(self, event: Ev) -> bool:
        """Take a message always, a stop if the strategy interrupts, and no stop after a step."""
        if not self.turns or event.kind == "stop_after_step" or (event.kind == "stop" and not self.interrupts):
            return False
        if event.kind == "stop":
            self._tell(EventType.USER_INTERRUPT, "[stop]")
        else:
            self._tell(EventType.USER_INPUT, str(event.text))
        return True

    async def close(self) -> None:
        """Cancel whatever still runs."""
        await self.runtime.close()

    def _tell(self, kind: EventType, text: str) -> None:
        self.events += 1
        self.runtime.deliver(Event(id=f"U{self.events}", type=kind, source="user", content=text))

    async def _answer(self, messages: Sequence[Written], stream: Stream) -> AssistantMessage:
        plan = self.env.plan([to_chat(message) for message in messages])
        async for _piece in self.env.stream(plan):
            stream.output_tokens += 1
        calls = tuple(Call(id=call.id, tool="work", arguments=json.dumps(call.arguments)) for call in plan.calls)
        return AssistantMessage(id=f"m{plan.number}", text=plan.text, calls=calls)

    async def _work(self, call: Call, _handle: ToolHandle) -> ToolResult:
        return ToolResult(content=await self.env.tool(**json.loads(call.arguments)))


class Queueing(SimlabRuntime):
    """What comes in waits for the next safe point."""

    strategy = "queue"
    interrupts = False


class Cancelling(SimlabRuntime):
    """What comes in stops the model and the tools."""

    strategy = "cancel"
    interrupts = True


class CancellingBackground(SimlabRuntime):
    """What comes in stops the model; the tools go on, and their results come late."""

    strategy = "cancel-background"
    interrupts = True


def to_chat(message: Written) -> Message:
    """Write a message of a trajectory in the OpenAI Chat Completions format."""
    match message:
        case EventMessage(events=events):
            return {"role": "user", "content": "\n".join(event.content for event in events)}
        case AssistantMessage(text=text, calls=calls):
            return assistant_message(text, [(call.id, call.tool, call.arguments) for call in calls])
        case ResultMessage(call_id=call_id, result=result):
            return {"role": "tool", "tool_call_id": call_id, "content": result.content}
        case PlaceholderMessage(call_id=call_id, state=state):
            return {"role": "tool", "tool_call_id": call_id, "content": str(state)}
        case LateResultMessage(call_id=call_id, result=result):
            return {"role": "user", "content": f"[late result of {call_id}] {result.content}"}
        case SideMessage(event=event, answer=answer):
            return {"role": "user", "content": f"[on the side] {event.content}\n{answer.text}"}
        case NoticeMessage(call_id=call_id, state=state):
            return {"role": "user", "content": f"[notice of {call_id}] {state}"}
