"""Two drivers, one agent: SimPy and asyncio under virtual time give the same trajectories to the millisecond."""

import asyncio
import random
import re
from collections.abc import Sequence

import pytest

from simlab.core.commands import CallModel, Settle
from simlab.core.decisions import SafePoint, Take
from simlab.core.events import Event, EventType
from simlab.core.inputs import ModelFinished, ModelStopped, Settled, SideEnded
from simlab.core.messages import AssistantMessage, Call, Message, ResultMessage, ToolKind, ToolResult, ToolSpec
from simlab.core.plugins import StrategyError
from simlab.core.trace import Trace
from simlab.core.view import View
from simlab.experiment.scenario import load_scenario, shipped_scenarios
from simlab.routers import ROUTERS
from simlab.runtime import AgentRuntime, Parts, Stream, Tool, ToolHandle
from simlab.sim.driver import simulate
from simlab.sim.spec import WorldSpec
from simlab.strategies import STRATEGIES
from simlab.strategies.queue import QueueAll
from simlab.testing.loop import run as run_virtually
from simlab.testing.worlds import random_world
from tests.runtime.simulated_parts import SimulatedParts

SOURCE = (
    "queue",
    "queue-first-return",
    "queue-turn",
    "cancel",
    "cancel-background",
    "parallel",
    "routed",
    "hard-cancel",
)

ALL = list(STRATEGIES)


def told(trace: Trace) -> list[tuple[int, str]]:
    """Return what happened, without what only one driver can know (tokens of a stopped call) or needs (settling)."""
    lines: list[tuple[int, str]] = []
    for at_ms, record in trace.records:
        match record:
            case Settle() | Settled():
                continue
            case CallModel(generation=generation, length=length, turn=turn):
                lines.append((at_ms, f"CallModel {generation} {length} {turn}"))
            case ModelStopped(generation=generation, partial=partial):
                lines.append((at_ms, f"ModelStopped {generation} {_nameless(partial)}"))
            case ModelFinished(generation=generation, message=message):
                lines.append((at_ms, f"ModelFinished {generation} {_nameless(message)}"))
            case _:
                lines.append((at_ms, _nameless(record)))
    return lines


def _nameless(record: object) -> str:
    """Write a record without the numbers of messages: at one instant the drivers may count them in another order."""
    return re.sub(r"id='(m\d+|ack:[^']*:answer)'", "id='m'", repr(record))


def both(spec: WorldSpec, strategy: str, router: str, replication: int) -> tuple[Trace, Trace]:
    simulated = simulate(spec, STRATEGIES.get(strategy), ROUTERS.get(router), seed=7, replication=replication)

    async def main() -> Trace:
        parts = SimulatedParts(spec, STRATEGIES.get(strategy), ROUTERS.get(router), seed=7, replication=replication)
        return await parts.run()

    return simulated.trace, run_virtually(main())


def assert_same_story(spec: WorldSpec, strategy: str, router: str, replication: int) -> None:
    """At the horizon itself the drivers may stop at different moments of the last instant."""
    simulated, lived = (
        [line for line in told(trace) if spec.horizon_ms is None or line[0] < spec.horizon_ms]
        for trace in both(spec, strategy, router, replication)
    )
    assert lived == simulated, (strategy, router, replication)


@pytest.mark.parametrize("scenario", shipped_scenarios())
@pytest.mark.parametrize("strategy", SOURCE)
def test_both_drivers_tell_the_same_story_of_every_scenario(scenario: str, strategy: str) -> None:
    assert_same_story(load_scenario(scenario).world, strategy, "by_type", 0)


@pytest.mark.nightly
@pytest.mark.parametrize("scenario", shipped_scenarios())
def test_both_drivers_tell_the_same_story_of_every_scenario_under_every_strategy(scenario: str) -> None:
    spec = load_scenario(scenario).world
    for strategy in ALL:
        for replication in range(3):
            assert_same_story(spec, strategy, "oracle", replication)


class Broken(QueueAll):
    """Raises when it is asked what to consume."""

    def at_safe_point(self, _view: View, _point: SafePoint) -> Take:
        raise KeyError("lost")


def test_a_runtime_hands_a_strategys_error_to_whoever_waits() -> None:
    async def main() -> None:
        async def model(messages: Sequence[Message], stream: Stream) -> AssistantMessage:
            raise AssertionError(f"never called: {messages}, {stream}")

        runtime = AgentRuntime(Broken(), Parts(model=model))
        runtime.deliver(Event(id="U1", type=EventType.USER_INPUT, source="user", content="hi"))
        await runtime.quiet()

    with pytest.raises(StrategyError, match="strategy 'queue': at_safe_point: raised KeyError"):
        run_virtually(main())


def said(number: int, text: str) -> Event:
    return Event(id=f"U{number}", type=EventType.USER_INPUT, source="user", content=text)


@pytest.mark.parametrize(("takes_s", "told_at_ms", "sent"), [(0.4, 400, ["held"]), (60.0, 1200, ["stock"])])
def test_a_holding_reply_has_the_time_that_its_strategy_gives_it(
    takes_s: float, told_at_ms: int, sent: list[str]
) -> None:
    found: list[str] = []

    async def model(messages: Sequence[Message], stream: Stream) -> AssistantMessage:
        await asyncio.sleep(5)
        return AssistantMessage(id=f"m{len(messages)}")

    async def hold(_event: Event) -> None:
        await asyncio.sleep(takes_s)
        found.append("held")

    async def main() -> list[int]:
        parts = Parts(model=model, holding_reply=hold, stock_reply=lambda _event: found.append("stock"))
        runtime = AgentRuntime(STRATEGIES.get("gemini-hint"), parts)
        runtime.deliver(said(1, "Go."))
        await asyncio.sleep(1)
        runtime.deliver(said(2, "And?"))
        await runtime.quiet()
        return [at_ms for at_ms, record in runtime.trace.records if isinstance(record, SideEnded)]

    assert run_virtually(main()) == [1000 + told_at_ms]
    assert found == sent


def test_a_holding_reply_that_runs_into_a_time_limit_of_its_own_is_an_error() -> None:
    async def model(messages: Sequence[Message], stream: Stream) -> AssistantMessage:
        await asyncio.sleep(5)
        return AssistantMessage(id=f"m{len(messages)}")

    async def hold(_event: Event) -> None:
        raise TimeoutError("the small model does not answer")

    async def main() -> None:
        runtime = AgentRuntime(STRATEGIES.get("gemini-hint"), Parts(model=model, holding_reply=hold))
        runtime.deliver(said(1, "Go."))
        await asyncio.sleep(1)
        runtime.deliver(said(2, "And?"))
        await runtime.quiet()

    with pytest.raises(TimeoutError, match="the small model does not answer"):
        run_virtually(main())


@pytest.mark.parametrize("returns_s", [0.0, 0.5, 30.0])
def test_what_a_stopped_model_still_says_is_not_heard(returns_s: float) -> None:
    """It swallows its cancellation, ends a stream item, and returns: at once, in the next call, or after all."""

    async def model(messages: Sequence[Message], stream: Stream) -> AssistantMessage:
        try:
            await asyncio.sleep(5)
        except asyncio.CancelledError:
            stream.item_done()
            await asyncio.sleep(returns_s)
            stream.item_done()
        return AssistantMessage(id=f"m{len(messages)}", text=f"to {len(messages)}")

    async def main() -> list[str]:
        runtime = AgentRuntime(STRATEGIES.get("cancel"), Parts(model=model))
        runtime.deliver(said(1, "Go."))
        await asyncio.sleep(1)
        runtime.deliver(said(2, "No."))
        await runtime.quiet()
        await asyncio.sleep(60)
        await runtime.quiet()
        return [message.text for message in runtime.trajectory if isinstance(message, AssistantMessage)]

    assert run_virtually(main()) == ["to 2"]


def test_a_stop_at_a_stream_item_wins_over_the_answer_of_the_same_instant() -> None:
    async def model(messages: Sequence[Message], stream: Stream) -> AssistantMessage:
        await asyncio.sleep(1)
        stream.item_done()
        return AssistantMessage(id=f"m{len(messages)}", text=f"to {len(messages)}")

    async def main() -> tuple[list[str], str]:
        runtime = AgentRuntime(STRATEGIES.get("codex-mailbox"), Parts(model=model))
        runtime.deliver(said(1, "Go."))
        await asyncio.sleep(0.5)
        runtime.deliver(Event(id="A1", type=EventType.AGENT_INTERRUPT, source="peer", content="And this."))
        await runtime.quiet()
        return [type(record).__name__ for _at_ms, record in runtime.trace.records], str(runtime)

    names, story = run_virtually(main())
    assert names.count("ModelStopped") == names.count("ModelFinished") == 1
    assert story == "U1 A1 A"


def test_a_tool_that_gives_itself_up_has_an_error_result() -> None:
    def call(number: int) -> tuple[Call, ...]:
        return (Call(id="c1", tool="look", arguments="{}"),) if number == 0 else ()

    async def model(messages: Sequence[Message], stream: Stream) -> AssistantMessage:
        number = sum(isinstance(message, AssistantMessage) for message in messages)
        return AssistantMessage(id=f"m{number}", calls=call(number))

    async def look(_call: Call, _handle: ToolHandle) -> ToolResult:
        raise asyncio.CancelledError("the connection was closed")

    async def main() -> str:
        tools = [Tool(spec=ToolSpec(name="look", kind=ToolKind.READ), body=look)]
        runtime = AgentRuntime(QueueAll(), Parts(model=model, tools=tools))
        runtime.deliver(said(1, "Go."))
        await runtime.quiet()
        (result,) = [message.result for message in runtime.trajectory if isinstance(message, ResultMessage)]
        assert not result.ok
        return result.content

    assert "the connection was closed" in run_virtually(main())


def test_a_closed_runtime_does_nothing_more_and_nobody_waits_for_it() -> None:
    calls: list[int] = []

    async def model(messages: Sequence[Message], stream: Stream) -> AssistantMessage:
        calls.append(len(messages))
        return AssistantMessage(id="m1", calls=(Call(id="c1", tool="look", arguments="{}"),))

    async def look(_call: Call, _handle: ToolHandle) -> ToolResult:
        await asyncio.sleep(5)
        return ToolResult(content="seen")

    async def main() -> None:
        tools = [Tool(spec=ToolSpec(name="look", kind=ToolKind.READ), body=look)]
        runtime = AgentRuntime(QueueAll(), Parts(model=model, tools=tools))
        runtime.deliver(said(1, "Go."))
        waiting = asyncio.ensure_future(runtime.quiet())
        await asyncio.sleep(1)
        told_before = len(runtime.trace.records)
        await runtime.close()
        await waiting
        await asyncio.sleep(60)
        assert len(runtime.trace.records) == told_before
        with pytest.raises(RuntimeError, match="event 'U2': the runtime is closed"):
            runtime.deliver(said(2, "Are you there?"))

    run_virtually(main())
    assert calls == [1]


def test_several_tasks_may_wait_for_rest_and_one_of_them_may_give_up() -> None:
    async def model(messages: Sequence[Message], stream: Stream) -> AssistantMessage:
        await asyncio.sleep(1)
        stream.output_tokens = len(messages)
        return AssistantMessage(id="m1")

    async def main() -> list[bool]:
        runtime = AgentRuntime(QueueAll(), Parts(model=model))
        runtime.deliver(Event(id="U1", type=EventType.USER_INPUT, source="user", content="hi"))
        waiting = [asyncio.ensure_future(runtime.quiet()) for _ in range(3)]
        await asyncio.sleep(0.5)
        waiting[2].cancel()
        await asyncio.wait(waiting)
        assert str(runtime) == "U1 A"
        return [each.cancelled() for each in waiting]

    assert run_virtually(main()) == [False, False, True]


@pytest.mark.parametrize("number", range(2 * len(ALL)))
def test_both_drivers_tell_the_same_story_of_random_worlds(number: int) -> None:
    assert_same_story(random_world(random.Random(number)), ALL[number % len(ALL)], "oracle", number)


def test_ten_runs_are_the_same() -> None:
    world = load_scenario("worked/08-nested-preemption").world
    stories = {repr(told(both(world, "cancel", "by_type", 0)[1])) for _ in range(10)}
    assert len(stories) == 1
