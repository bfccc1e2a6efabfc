"""What a runtime under test supplies, what it gets, and the five ways in which a product may use it.

A runtime is *your agent loop*: it takes user turns on one conversation and may take events in the middle of a turn. It
supplies neither the record of what the model was sent nor the record of what the tools did: both sit behind
:class:`Env`, so that a loop cannot misreport itself.
"""

import asyncio
import json
from collections import deque
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol, TypeAlias

from simlab.testing.errors import StormError

Message: TypeAlias = dict[str, Any]
"""One message of the OpenAI Chat Completions format, plain JSON data."""

EventKind: TypeAlias = Literal["stop", "stop_after_step", "message"]
Policy: TypeAlias = Literal["interrupt", "stop-after-step", "steer", "queue", "parallel"]
POLICIES: tuple[Policy, ...] = ("interrupt", "stop-after-step", "steer", "queue", "parallel")

TASK = "[task] Do all the work."
EXTRA = "[extra] What has been done?"
ASIDE = "[aside"
"""How a message starts that the fake model answers in words alone: a question on the side."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Call:
    """One tool call of the fake model. The only tool is ``work(label, duration_ms)``."""

    id: str
    label: str
    duration_ms: int

    @property
    def arguments(self) -> dict[str, Any]:
        """The keyword arguments of the tool."""
        return {"label": self.label, "duration_ms": self.duration_ms}


@dataclass(frozen=True, kw_only=True, slots=True)
class Plan:
    """What the fake model says to one request. ``number`` counts the requests from 0."""

    number: int
    text: str
    calls: tuple[Call, ...]

    @property
    def message(self) -> Message:
        """The assistant message, in the OpenAI Chat Completions format."""
        return assistant_message(self.text, [(call.id, "work", call.arguments) for call in self.calls])


@dataclass(frozen=True, slots=True)
class Ev:
    """An event handed to a runtime in the middle of a turn; ``text`` belongs to a message."""

    kind: EventKind
    text: str | None = None


class Refused(Exception):  # noqa: N818 - an answer, not an error
    """Raised by ``Runtime.turn`` when the runtime declines a turn (say, because one is running). Not a fault."""


class Env(Protocol):
    """What a runtime under test gets: a fake model and one tool."""

    def plan(self, request: Sequence[Message]) -> Plan:
        """Record a request exactly as the provider would get it, and say what the model will answer."""

    async def think(self, plan: Plan) -> None:
        """Take the time of the model call."""

    def stream(self, plan: Plan) -> AsyncIterator[str]:
        """Take the same time, and yield the text piece by piece."""

    async def model(self, request: Sequence[Message]) -> Message:
        """Plan, think, and return the assistant message."""

    async def tool(self, label: str, duration_ms: int) -> str:
        """Run the tool: its effect commits in the middle of its time. Returns a result that cannot be guessed."""

    def think_sync(self, plan: Plan) -> None:
        """Take the time of the model call in a worker thread."""

    def tool_sync(self, label: str, duration_ms: int) -> str:
        """Run the same tool in a worker thread."""


class Runtime(Protocol):
    """One conversation of an agent loop. May have ``async def close()`` as well."""

    async def turn(self, text: str) -> None:
        """Take one user turn; return, or raise CancelledError, once the runtime is idle."""

    def deliver(self, event: Ev) -> bool:
        """Take an event in the middle of a turn, without waiting. False says that it was not accepted."""


MakeRuntime: TypeAlias = Callable[[Env], Runtime]


def assistant_message(text: str | None, calls: Sequence[tuple[str, str, Mapping[str, Any] | str]]) -> Message:
    """Make an assistant message of the OpenAI Chat Completions format; calls are (id, name, arguments)."""
    message: Message = {"role": "assistant", "content": text}
    if calls:
        message["tool_calls"] = [
            {
                "id": call_id,
                "type": "function",
                "function": {"name": name, "arguments": args if isinstance(args, str) else json.dumps(dict(args))},
            }
            for call_id, name, args in calls
        ]
    return message


@dataclass(eq=False, kw_only=True, slots=True)
class Turn:
    """One user turn as the product saw it. Times are ticks of the record, which order what happened."""

    text: str
    began: int | None = None
    ended: int | None = None
    stopped: int | None = None
    refused: bool = False
    error: str | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Delivery:
    """One event handed over in the middle of a turn, and whether the runtime accepted it."""

    tick: int
    event: Ev
    accepted: bool
    error: str | None = None


@dataclass(eq=False, slots=True)
class Desk:
    """The product above the runtime: it keeps what waits for the next turn, and applies one policy to each arrival."""

    runtime: Runtime
    policy: Policy
    tick: Callable[[], int]
    turns: list[Turn] = field(default_factory=list)
    deliveries: list[Delivery] = field(default_factory=list)
    waiting: deque[str] = field(default_factory=deque)
    running: dict["asyncio.Task[None]", Turn] = field(default_factory=dict)
    on_idle: Callable[[], None] = lambda: None
    over: bool = False  # the run was given up: what its tasks do when they are torn down is not their doing

    @property
    def busy(self) -> bool:
        """Say whether a turn is running."""
        return any(not task.done() for task in self.running)

    def start(self, text: str) -> None:
        """Start a turn now."""
        turn = Turn(text=text)
        self.turns.append(turn)
        task = asyncio.get_running_loop().create_task(self._take(turn), name=f"turn {text.split(']', maxsplit=1)[0]}]")
        self.running[task] = turn
        task.add_done_callback(self._ended)

    def arrive(self, kind: Literal["stop", "message"], text: str) -> None:
        """Handle an arrival under the policy. Idle, a message is simply a turn and a stop is nothing."""
        if kind == "stop":
            if self.busy:
                self._stop()
        elif (not self.busy and not self.waiting) or self.policy == "parallel":
            self.start(text)
        else:
            self._hand_over(text)

    def _hand_over(self, text: str) -> None:
        match self.policy:
            case "interrupt":
                self._stop()
                self.waiting.append(text)
            case "stop-after-step":
                if self._deliver(Ev("stop_after_step")):
                    self._mark_stopped()
                self.waiting.append(text)
            case "steer":
                if not self._deliver(Ev("message", text)):
                    self.waiting.append(text)
            case "queue":
                self.waiting.append(text)
            case _:
                raise StormError(f"policy: no policy {self.policy!r}; known: {', '.join(POLICIES)}")

    def _deliver(self, event: Ev) -> bool:
        tick = self.tick()
        try:
            accepted, raised = self.runtime.deliver(event), None
        except Exception as error:
            accepted, raised = False, f"{type(error).__name__}: {error}"
        self.deliveries.append(Delivery(tick=tick, event=event, accepted=accepted, error=raised))
        return accepted

    def _stop(self) -> None:
        """Stop natively; where the runtime declines, cancel the tasks of its turns, as asyncio programs do."""
        self._mark_stopped()
        if not self._deliver(Ev("stop")):
            for task, turn in self.running.items():
                if turn.began is not None:  # a task that has not started would lose its message
                    task.cancel()

    def _mark_stopped(self) -> None:
        for task, turn in self.running.items():
            if turn.began is not None and not task.done() and turn.stopped is None:
                turn.stopped = self.tick()

    async def _take(self, turn: Turn) -> None:
        turn.began = self.tick()
        try:
            await self.runtime.turn(turn.text)
        except Refused:
            turn.refused = True
            self.waiting.append(turn.text)
        except asyncio.CancelledError:
            if turn.stopped is None:
                raise
        except Exception as error:
            turn.error = f"{type(error).__name__}: {error}"
        finally:
            turn.ended = self.tick()

    def _ended(self, task: "asyncio.Task[None]") -> None:
        del self.running[task]
        if self.running or self.over:
            return
        if self.waiting:
            self.start(self.waiting.popleft())
        else:
            self.on_idle()
