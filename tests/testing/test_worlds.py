"""The generator of worlds."""

from random import Random

from hypothesis import given, settings

from simlab.core.record import IntentKind
from simlab.sim.spec import Acts, CancelPoints, Plan, WorldSpec
from simlab.testing.worlds import random_world, worlds


def test_equal_generators_give_equal_worlds() -> None:
    assert random_world(Random(5)) == random_world(Random(5))
    assert random_world(Random(5)) != random_world(Random(6))


def test_a_few_hundred_worlds_hold_everything_that_the_world_can_do() -> None:
    made = [random_world(Random(seed)) for seed in range(300)]
    plans = [plan for spec in made for plan in spec.plans.values() if isinstance(plan, Plan)]
    tools = [tool for spec in made for tool in spec.tools]
    assert any(len(plan.steps) > 2 and not any(step.needs for step in plan.steps) for plan in plans)
    assert any(step.guard for plan in plans for step in plan.steps)
    assert {tool.acts for tool in tools} >= {Acts.RUN, Acts.START, Acts.STATUS, Acts.CANCEL}
    assert {tool.cancel_points for tool in tools} == set(CancelPoints)
    assert any(tool.spec.prepares and tool.prepare_ms for tool in tools)
    assert any(tool.signal_ms and tool.ack_ms for tool in tools)
    assert any(tool.timeout_ms for tool in tools)
    assert any(tool.failure for tool in tools)
    assert any(spec.streams and spec.streams[0].burst for spec in made)
    assert any(spec.placed for spec in made)
    assert any(spec.sessions for spec in made)
    assert any(spec.model_concurrency for spec in made)
    assert {event.intent.kind for spec in made for event in spec.events} == set(IntentKind)


def test_many_events_share_a_millisecond() -> None:
    made = [random_world(Random(seed)) for seed in range(100)]
    times = [[event.at_ms for event in spec.events] for spec in made]
    assert sum(len(set(each)) < len(each) for each in times) > 50


@settings(max_examples=30, deadline=None)
@given(worlds())
def test_every_world_begins_with_a_request(spec: WorldSpec) -> None:
    assert (spec.events[0].id, spec.events[0].at_ms, spec.events[0].intent.kind) == ("E1", 0, IntentKind.REQUEST)
