"""Two drivers, one agent: SimPy and asyncio under virtual time give the same trajectories to the millisecond."""

import asyncio
import random
import re
from collections.abc import Sequence
from dataclasses import replace

import pytest

from simlab.core.commands import CallModel, Settle
from simlab.core.decisions import Departure, SafePoint, Take
from simlab.core.events import Event, EventType
from simlab.core.inputs import ModelFinished, ModelStopped, Settled
from simlab.core.messages import AssistantMessage, Message
from simlab.core.plugins import StrategyError
from simlab.core.trace import Trace
from simlab.core.view import View
from simlab.experiment.scenario import load_scenario, shipped_scenarios
from simlab.routers import ROUTERS
from simlab.runtime import AgentRuntime, Parts, Stream
from simlab.sim.driver import simulate
from simlab.sim.spec import Variants, WorldSpec
from simlab.strategies import STRATEGIES
from simlab.strategies.queue import QueueAll
from simlab.testing.loop import run as run_virtually
from simlab.testing.worlds import random_world
from tests.runtime.simulated_parts import SimulatedParts

WORKED = [name for name in shipped_scenarios() if name.startswith("worked/")]
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


def told(trace: Trace) -> list[tuple[int, str]]:
    """Return what happened, without what only one driver can know (tokens of a stopped call) or needs (settling)."""
    lines: list[tuple[int, str]] = []
    for at_ms, record in trace.records:
        match record:
            case Settle() | Settled():
                continue
            case CallModel(generation=generation, length=length, turn=turn):
                lines.append((at_ms, f"CallModel {generation} {length} {turn}"))
            case ModelStopped(generation=generation):
                lines.append((at_ms, f"ModelStopped {generation}"))
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


@pytest.mark.parametrize("scenario", WORKED)
@pytest.mark.parametrize("strategy", SOURCE)
def test_both_drivers_tell_the_same_story_of_every_worked_case(scenario: str, strategy: str) -> None:
    simulated, lived = both(load_scenario(scenario).world, strategy, "by_type", 0)
    assert told(lived) == told(simulated)


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


def _patient(spec: WorldSpec) -> WorldSpec:
    """Return the world without what only the simulator has: impatient people, and a limit to the model's calls."""
    events = tuple(replace(each, patience_ms=None, retry_ms=None) for each in spec.events)
    streams = tuple(replace(each, variants=_calm(each.variants)) for each in spec.streams)
    sessions = tuple(replace(each, variants=_calm(each.variants)) for each in spec.sessions)
    placed = tuple(replace(each, variants=_calm(each.variants)) for each in spec.placed)
    return replace(
        spec, events=events, streams=streams, sessions=sessions, placed=placed, model_concurrency=None, hazards=None
    )


def _calm(variants: Variants) -> Variants:
    return tuple((weight, replace(each, patience_ms=None, retry_ms=None)) for weight, each in variants)


WHOLE = [name for name in STRATEGIES if Departure.KEEPS_PARTIAL not in STRATEGIES.get(name).traits.departures]
"""Every shipped strategy but those that keep partial messages: how much is out by then is a matter of the stream."""


@pytest.mark.parametrize("number", range(2 * len(WHOLE)))
def test_both_drivers_tell_the_same_story_of_random_worlds(number: int) -> None:
    spec = _patient(random_world(random.Random(number)))
    strategy = WHOLE[number % len(WHOLE)]
    simulated, lived = both(spec, strategy, "oracle", number)
    ended_ms = spec.horizon_ms
    expected = [line for line in told(simulated) if ended_ms is None or line[0] < ended_ms]
    found = [line for line in told(lived) if ended_ms is None or line[0] < ended_ms]
    assert found[: len(expected)] == expected


def test_ten_runs_are_the_same() -> None:
    world = load_scenario("worked/08-nested-preemption").world
    stories = {repr(told(both(world, "cancel", "by_type", 0)[1])) for _ in range(10)}
    assert len(stories) == 1
