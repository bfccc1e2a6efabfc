"""The loop that the benchmark scenario describes, written directly in SimPy and on a heap, without any bookkeeping.

Same draws, made in the same way and under the same names, so that every run must end at the same millisecond.
"""

from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from typing import Any

import simpy

from simlab.core.decisions import Closing, Decision, Interrupt, Moment, Queue, SafePoint, Take
from simlab.core.events import Event, EventType, Verdict
from simlab.core.messages import ToolSpec
from simlab.core.phases import Phase
from simlab.core.plugins import Traits
from simlab.core.record import IntentKind
from simlab.core.state import OpenCall
from simlab.core.view import View
from simlab.sim.laws import Exponential, Lognormal
from simlab.sim.spec import EventSpec, Intent, ModelSpec, Plan, Step, StreamSpec, ToolModel, WorldSpec
from simlab.sim.streams import Draws
from simlab.strategies.habits import FLUSH_POINTS, keep_all, take_all

TTFT = Lognormal(median=600.0, sigma=0.5)  # milliseconds
TOKENS = Lognormal(median=200.0, sigma=0.7)
RATE = Lognormal(median=50.0, sigma=0.25)  # tokens per second
TOOL = Lognormal(median=2000.0, sigma=0.9)  # milliseconds


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """Rounds of so many parallel tools each, and light messages with this mean gap until a last moment."""

    name: str
    tools_of_round: tuple[int, ...] = (1, 2, 3, 2, 1, 2, 3, 1, 2, 3)
    gap_ms: float = 20_000.0
    last_message_ms: int = 60_000

    @property
    def gap(self) -> Exponential:
        return Exponential(scale=self.gap_ms)


USUAL = Shape(name="usual")
CALM = Shape(name="calm", gap_ms=60_000.0)
STORMY = Shape(name="stormy", gap_ms=6_000.0)
SHAPES = (USUAL, CALM, STORMY)


class InterruptThinking:
    """Interrupts the model, waits for tools: the loop of the benchmark."""

    name = "interrupt-thinking"
    traits = Traits(points=FLUSH_POINTS)

    def on_event(self, view: View, _event: Event, _verdict: Verdict) -> Decision:
        return Interrupt() if view.phase is Phase.THINKING else Queue()

    def at_safe_point(self, view: View, _point: SafePoint) -> Take:
        return take_all(view)

    def on_open_calls(self, _view: View, calls: Sequence[OpenCall], _moment: Moment) -> Mapping[str, Closing]:
        return keep_all(calls)


def benchmark_world(shape: Shape = USUAL) -> WorldSpec:
    """Return the loop as a world: by default ten rounds, with a message every 20 s during the first minute."""
    steps: list[Step] = []
    before: tuple[str, ...] = ()
    for number, count in enumerate(shape.tools_of_round):
        ids = tuple(f"r{number}t{tool}" for tool in range(count))
        steps += [Step(id=each, tool="tool", needs=before) for each in ids]
        before = ids
    message = EventSpec(id="m", at_ms=0, type=EventType.USER_INPUT, intent=Intent(kind=IntentKind.LIGHT))
    stream = StreamSpec(name="messages", gap_ms=shape.gap, variants=((1.0, message),), until_ms=shape.last_message_ms)
    return WorldSpec(
        name="benchmark",
        tools=(ToolModel(spec=ToolSpec(name="tool"), run_ms=TOOL),),
        plans={"plan": Plan(steps=tuple(steps))},
        events=(
            EventSpec(id="U1", at_ms=0, type=EventType.USER_INPUT, intent=Intent(kind=IntentKind.REQUEST, plan="plan")),
        ),
        streams=(stream,),
        model=ModelSpec(ttft_ms=TTFT, decode_tok_s=RATE, step_tokens=TOKENS, answer_tokens=TOKENS),
    )


class _Luck:
    """What both bare loops draw, under the names that simlab gives."""

    def __init__(self, seed: int, replication: int, shape: Shape) -> None:
        self.draws = Draws(seed, replication)
        self.shape = shape
        self.gap = shape.gap
        self.attempts: dict[tuple[str, ...], int] = {}

    def gap_ms(self, number: int) -> float:
        return self.gap.quantile(self.draws.uniform("gap", "messages", number))

    def tool_ms(self, tool: str) -> int:
        return round(TOOL.quantile(self.draws.uniform("tool", "U1", tool, "")))

    def tokens(self, *name: str) -> int:
        return max(1, round(TOKENS.quantile(self.draws.uniform("tokens", *name))))

    def call_ms(self, work: list[tuple[str, ...]]) -> int:
        lead = work[0]
        attempt = self.attempts.get(lead, 0)
        self.attempts[lead] = attempt + 1
        tokens = sum(self.tokens(*each) for each in work)
        silent = TTFT.quantile(self.draws.uniform("ttft_ms", *lead, attempt))
        rate = RATE.quantile(self.draws.uniform("decode_tok_s", *lead, attempt))
        return round(silent + 1000 * tokens / rate)


class BareLoop(_Luck):
    """The loop as SimPy processes that interrupt each other."""

    def __init__(self, seed: int, replication: int, shape: Shape = USUAL) -> None:
        self.env = simpy.Environment()
        super().__init__(seed, replication, shape)
        self.waiting: list[str] = []
        self.thinking = False
        self.agent = self.env.process(self.loop())
        self.env.process(self.user())

    def run(self) -> int:
        self.env.run(until=self.agent)
        return int(self.env.now)

    def user(self) -> Generator[Any, Any, None]:
        at_ms, number = 0.0, 0
        while True:
            at_ms += self.gap_ms(number)
            number += 1
            if round(at_ms) > self.shape.last_message_ms:
                return
            yield self.env.timeout(round(at_ms) - self.env.now)
            self.waiting.append(f"m-{number}")
            if self.thinking:
                self.agent.interrupt()

    def think(self, own: list[tuple[str, ...]]) -> Generator[Any, Any, None]:
        asked = 0
        while True:
            asked = len(self.waiting)
            work = [("answer", each) for each in self.waiting] + own
            try:
                self.thinking = True
                yield self.env.timeout(self.call_ms(work))
            except simpy.Interrupt:
                continue
            finally:
                self.thinking = False
            break
        del self.waiting[:asked]

    def tool(self, run_ms: int) -> Generator[Any, Any, None]:
        yield self.env.timeout(run_ms)

    def loop(self) -> Generator[Any, Any, None]:
        for number, count in enumerate(self.shape.tools_of_round):
            ids = [f"r{number}t{tool}" for tool in range(count)]
            yield from self.think([("call", "U1", each, "") for each in ids])
            yield simpy.AllOf(self.env, [self.env.process(self.tool(self.tool_ms(each))) for each in ids])
        yield from self.think([("final", "U1", "")])


class HeapLoop(_Luck):
    """The loop as functions on a heap: about the least that Python can do. A stopped call stays and is passed over."""

    def __init__(self, seed: int, replication: int, shape: Shape = USUAL) -> None:
        super().__init__(seed, replication, shape)
        self.now_ms = 0
        self.queue: list[tuple[int, int, Callable[[int], None], int]] = []
        self.count = 0
        self.waiting: list[str] = []
        self.round = 0
        self.call = 0
        self.asked = 0
        self.thinking = False
        self.running = 0
        self.message_ms = 0.0
        self.messages = 0

    def run(self) -> int:
        self.think()
        self.next_message()
        while self.round <= len(self.shape.tools_of_round):
            self.now_ms, _, action, item = heappop(self.queue)
            action(item)
        return self.now_ms

    def after(self, delay_ms: int, action: Callable[[int], None], item: int) -> None:
        self.count += 1
        heappush(self.queue, (self.now_ms + delay_ms, self.count, action, item))

    def next_message(self) -> None:
        self.message_ms += self.gap_ms(self.messages)
        self.messages += 1
        if round(self.message_ms) <= self.shape.last_message_ms:
            self.after(round(self.message_ms) - self.now_ms, self.message, self.messages)

    def message(self, number: int) -> None:
        self.waiting.append(f"m-{number}")
        if self.thinking:
            self.think()
        self.next_message()

    def ids(self) -> list[str]:
        return [f"r{self.round}t{tool}" for tool in range(self.shape.tools_of_round[self.round])]

    def think(self) -> None:
        last = self.round == len(self.shape.tools_of_round)
        own = [("final", "U1", "")] if last else [("call", "U1", each, "") for each in self.ids()]
        work: list[tuple[str, ...]] = [("answer", each) for each in self.waiting]
        self.call += 1
        self.asked = len(self.waiting)
        self.thinking = True
        self.after(self.call_ms([*work, *own]), self.said, self.call)

    def said(self, call: int) -> None:
        if call != self.call:
            return
        self.thinking = False
        del self.waiting[: self.asked]
        if self.round == len(self.shape.tools_of_round):
            self.round += 1
            return
        ids = self.ids()
        self.running = len(ids)
        for each in ids:
            self.after(self.tool_ms(each), self.done, 0)

    def done(self, _item: int) -> None:
        self.running -= 1
        if self.running == 0:
            self.round += 1
            self.think()
