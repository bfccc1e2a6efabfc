"""The loop that the benchmark scenario describes, written directly in SimPy, without any bookkeeping.

Same draws, made in the same way and under the same names, so that every run must end at the same millisecond.
"""

from collections.abc import Generator
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

ROUNDS = 10
TOOLS_OF_ROUND = (1, 2, 3, 2, 1, 2, 3, 1, 2, 3)
TTFT = Lognormal(median=600.0, sigma=0.5)  # milliseconds
TOKENS = Lognormal(median=200.0, sigma=0.7)
RATE = Lognormal(median=50.0, sigma=0.25)  # tokens per second
TOOL = Lognormal(median=2000.0, sigma=0.9)  # milliseconds
GAP = Exponential(scale=20_000.0)  # milliseconds
LAST_MESSAGE_MS = 60_000


class InterruptThinking:
    """Interrupts the model, waits for tools: the loop of the benchmark."""

    name = "interrupt-thinking"
    traits = Traits(points=FLUSH_POINTS)

    def on_event(self, view: View, _event: Event, _verdict: Verdict) -> Decision:
        return Interrupt() if view.phase is Phase.THINKING else Queue()

    def at_safe_point(self, view: View, _point: SafePoint) -> Take:
        return take_all(view)

    def on_open_calls(self, _view: View, calls: "list[OpenCall]", _moment: Moment) -> dict[str, Closing]:
        return dict(keep_all(calls))


def benchmark_world() -> WorldSpec:
    """Return ten rounds of one to three parallel tools, with light messages every 20 s during the first minute."""
    steps: list[Step] = []
    before: tuple[str, ...] = ()
    for number, count in enumerate(TOOLS_OF_ROUND):
        ids = tuple(f"r{number}t{tool}" for tool in range(count))
        steps += [Step(id=each, tool="tool", needs=before) for each in ids]
        before = ids
    message = EventSpec(id="m", at_ms=0, type=EventType.USER_INPUT, intent=Intent(kind=IntentKind.LIGHT))
    return WorldSpec(
        name="benchmark",
        tools=(ToolModel(spec=ToolSpec(name="tool"), run_ms=TOOL),),
        plans={"plan": Plan(steps=tuple(steps))},
        events=(
            EventSpec(id="U1", at_ms=0, type=EventType.USER_INPUT, intent=Intent(kind=IntentKind.REQUEST, plan="plan")),
        ),
        streams=(StreamSpec(name="messages", gap_ms=GAP, variants=((1.0, message),), until_ms=LAST_MESSAGE_MS),),
        model=ModelSpec(ttft_ms=TTFT, decode_tok_s=RATE, step_tokens=TOKENS, answer_tokens=TOKENS),
    )


class BareLoop:
    """The same loop as processes that interrupt each other."""

    def __init__(self, seed: int, replication: int) -> None:
        self.env = simpy.Environment()
        self.draws = Draws(seed, replication)
        self.waiting: list[str] = []
        self.attempts: dict[tuple[str, ...], int] = {}
        self.thinking = False
        self.agent = self.env.process(self.loop())
        self.env.process(self.user())

    def run(self) -> int:
        self.env.run(until=self.agent)
        return int(self.env.now)

    def user(self) -> Generator[Any, Any, None]:
        at_ms, number = 0.0, 0
        while True:
            at_ms += GAP.quantile(self.draws.uniform("gap", "messages", number))
            number += 1
            if round(at_ms) > LAST_MESSAGE_MS:
                return
            yield self.env.timeout(round(at_ms) - self.env.now)
            self.waiting.append(f"m-{number}")
            if self.thinking:
                self.agent.interrupt()

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
        for number in range(ROUNDS):
            ids = [f"r{number}t{tool}" for tool in range(TOOLS_OF_ROUND[number])]
            yield from self.think([("call", "U1", each, "") for each in ids])
            yield simpy.AllOf(
                self.env,
                [
                    self.env.process(self.tool(round(TOOL.quantile(self.draws.uniform("tool", "U1", each, "")))))
                    for each in ids
                ],
            )
        yield from self.think([("final", "U1", "")])
