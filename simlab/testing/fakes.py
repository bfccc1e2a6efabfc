"""The world of one run: a fake model with a recorder, and a tool with a ledger.

The fake model is a function of the request alone: it calls what the workload still lacks in that transcript, and never
calls twice what the transcript shows. So a call that appears twice was lost from the transcript or run twice by the
runtime. Each execution of the tool returns a receipt that exists nowhere else, so a result can be neither guessed nor
mixed up with another.
"""

import asyncio
import json
import time
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from itertools import pairwise

from simlab.testing.contract import ASIDE, Call, Message, Plan
from simlab.testing.errors import StormError
from simlab.testing.threads import thread_sleep


@dataclass(frozen=True, kw_only=True, slots=True)
class Workload:
    """Rounds of parallel tool calls, as durations; a model call takes ``think_ms``, streamed in ``chunks`` pieces."""

    rounds_ms: tuple[tuple[int, ...], ...] = ((2000, 3000), (1500,))
    think_ms: int = 1000
    chunks: int = 2

    def __post_init__(self) -> None:
        numbers = [self.think_ms, self.chunks, *(ms for calls in self.rounds_ms for ms in calls)]
        if min(numbers) < 1:
            raise StormError(f"workload {self.text}: every duration and the number of chunks must be at least 1")

    @property
    def text(self) -> str:
        """The workload in one word, as in a replay token: ``1000x2-2000.3000-1500``."""
        return "-".join([f"{self.think_ms}x{self.chunks}", *(".".join(map(str, calls)) for calls in self.rounds_ms)])

    @classmethod
    def parse(cls, text: str) -> "Workload":
        """Read what ``text`` wrote."""
        head, *rounds = text.split("-")
        try:
            think, chunks = head.split("x")
            rounds_ms = tuple(tuple(int(ms) for ms in calls.split(".")) for calls in rounds)
            return cls(rounds_ms=rounds_ms, think_ms=int(think), chunks=int(chunks))
        except ValueError:
            raise StormError(
                f"workload {text!r}: expected THINKxCHUNKS-MS.MS-MS, such as 1000x2-2000.3000-1500"
            ) from None

    @property
    def labels(self) -> list[list[tuple[str, int]]]:
        """Name each call: a1, a2 for the first round, b1 for the second; with its duration in milliseconds."""
        return [
            [(f"{chr(97 + row)}{column + 1}", ms) for column, ms in enumerate(calls)]
            for row, calls in enumerate(self.rounds_ms)
        ]


@dataclass(frozen=True, kw_only=True, slots=True)
class Request:
    """One request at the provider boundary. ``at_s`` is for people, ``tick`` orders everything in a run."""

    tick: int
    at_s: float
    messages: list[Message]
    plan: Plan


@dataclass(eq=False, kw_only=True, slots=True)
class Execution:
    """One run of the tool. Each field but the first three is the tick at which it happened, or None."""

    label: str
    receipt: str
    began: int
    effect: int | None = None
    finished: int | None = None
    cancelled: int | None = None


@dataclass(eq=False, slots=True)
class World:
    """Implements ``Env``. ``scale`` is real seconds per virtual second on a real clock, and 1 on a virtual one."""

    workload: Workload
    now_s: Callable[[], float] = lambda: 0.0
    scale: float = 1.0
    on_wake: Callable[[int], None] | None = None
    requests: list[Request] = field(default_factory=list)
    finished_plans: set[int] = field(default_factory=set)
    ledger: list[Execution] = field(default_factory=list)
    wakes_s: list[float] = field(default_factory=list)
    times_s: list[float] = field(default_factory=list)  # tick -> when

    def tick(self) -> int:
        """Number the next thing that happens, and note when."""
        self.times_s.append(self.now_s())
        return len(self.times_s) - 1

    def plan(self, request: Sequence[Message]) -> Plan:
        """See ``Env.plan``. The request is copied, so that a loop which edits its messages later cannot edit this."""
        messages: list[Message] = json.loads(json.dumps(list(request)))
        plan = decide(self.workload, messages, len(self.requests))
        self.requests.append(Request(tick=self.tick(), at_s=self.now_s(), messages=messages, plan=plan))
        return plan

    async def think(self, plan: Plan) -> None:
        """See ``Env.think``."""
        async for _piece in self.stream(plan):
            pass

    async def stream(self, plan: Plan) -> AsyncIterator[str]:
        """See ``Env.stream``."""
        chunks = self.workload.chunks
        for piece in pieces_of(plan.text, chunks):
            await self._sleep(self.workload.think_ms / chunks / 1000)
            yield piece
        self.finished_plans.add(plan.number)

    async def model(self, request: Sequence[Message]) -> Message:
        """See ``Env.model``."""
        plan = self.plan(request)
        await self.think(plan)
        return plan.message

    async def tool(self, label: str, duration_ms: int) -> str:
        """See ``Env.tool``."""
        run = self._begin(label)
        try:
            await self._sleep(duration_ms / 2000)
            run.effect = self.tick()
            await self._sleep(duration_ms / 2000)
        except asyncio.CancelledError:
            run.cancelled = self.tick()
            raise
        return self._finish(run)

    def think_sync(self, plan: Plan) -> None:
        """See ``Env.think_sync``."""
        self._nap(self.workload.think_ms / 1000)
        self.finished_plans.add(plan.number)

    def tool_sync(self, label: str, duration_ms: int) -> str:
        """See ``Env.tool_sync``."""
        run = self._begin(label)
        self._nap(duration_ms / 2000)
        run.effect = self.tick()
        self._nap(duration_ms / 2000)
        return self._finish(run)

    def _begin(self, label: str) -> Execution:
        earlier = sum(run.label == label for run in self.ledger)
        receipt = blake2b(f"{label}:{earlier}".encode(), digest_size=6).hexdigest()
        run = Execution(label=label, receipt=receipt, began=self.tick())
        self.ledger.append(run)
        return run

    def _finish(self, run: Execution) -> str:
        run.finished = self.tick()
        return f"{run.label} is done, receipt {run.receipt}"

    def _nap(self, seconds: float) -> None:
        if self.scale == 1:
            thread_sleep(seconds)
        else:
            time.sleep(seconds * self.scale)

    async def _sleep(self, seconds: float) -> None:
        """Sleep as ``asyncio.sleep`` does, hop for hop, and number the wake-up."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[None] = loop.create_future()
        timer = loop.call_later(seconds * self.scale, self._wake, future)
        try:
            await future
        finally:
            timer.cancel()

    def _wake(self, future: "asyncio.Future[None]") -> None:
        self.wakes_s.append(asyncio.get_running_loop().time())
        if self.on_wake is not None:
            self.on_wake(len(self.wakes_s) - 1)
        if not future.done():
            future.set_result(None)


def pieces_of(text: str, chunks: int) -> list[str]:
    """Cut a text into so many pieces of nearly equal length."""
    cuts = [len(text) * index // chunks for index in range(chunks + 1)]
    return [text[start:end] for start, end in pairwise(cuts)]


def decide(workload: Workload, messages: Sequence[Message], number: int) -> Plan:
    """Say what the fake model answers: the first round that the transcript lacks, or words when nothing is lacking.

    A question on the side (the last message starts with ``[aside``) is answered in words alone.
    """
    known = set(called_labels(messages))
    last = messages[-1] if messages else {}
    aside = last.get("role") == "user" and text_of(last).startswith(ASIDE)
    for calls in [] if aside else workload.labels:
        lacking = [(label, ms) for label, ms in calls if label not in known]
        if lacking:
            names = " and ".join(label for label, _ in lacking)
            return Plan(
                number=number,
                text=f"Answer {number}: now I start {names}, as the task asks.",
                calls=tuple(Call(id=f"call_{number}_{label}", label=label, duration_ms=ms) for label, ms in lacking),
            )
    return Plan(number=number, text=f"Answer {number}: there is nothing left to start; all is told.", calls=())


def calls_in(message: Message) -> list[tuple[str, str]]:
    """List the calls of an assistant message as (id, label)."""
    found = []
    for call in message.get("tool_calls") or []:
        try:
            arguments = json.loads(call["function"]["arguments"])
        except (ValueError, KeyError, TypeError):
            arguments = {}
        label = arguments.get("label") if isinstance(arguments, dict) else None
        found.append((str(call.get("id")), str(label)))
    return found


def called_labels(messages: Sequence[Message]) -> list[str]:
    """List the labels of all calls that a transcript shows, in order."""
    return [label for message in messages for _, label in calls_in(message)]


def text_of(message: Message) -> str:
    """Return the text of a message, of parts joined by line ends."""
    content = message.get("content")
    if isinstance(content, list):
        return "\n".join(str(part.get("text", "")) for part in content if isinstance(part, dict))
    return "" if content is None else str(content)
