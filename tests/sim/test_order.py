"""Order and truth where several things come at once."""

from collections.abc import Mapping, Sequence

import pytest

from simlab.core.decisions import Cancel, Closing, Keep, Moment
from simlab.core.events import EventType
from simlab.core.messages import notation
from simlab.core.record import IntentKind
from simlab.core.state import OpenCall
from simlab.core.view import View
from simlab.sim.spec import ModelSpec, Step
from simlab.strategies.routed import Routed
from tests.validation.building import constant, event, request, run, tool, world

MODEL = ModelSpec(call_ms=constant(2_000))


def test_a_side_question_that_wakes_an_idle_agent_keeps_its_place_before_what_came_after_it() -> None:
    light, amend = event("L", 5_000, IntentKind.LIGHT), event("U2", 5_000, IntentKind.AMEND, task="U1")
    record = run(world(events=(request(), light, amend), model=MODEL), "routed", router="oracle")
    assert notation(record.trace.trajectory()) == "U1 A L U2 A"


class KeepThenCancel(Routed):
    """Keeps tools running at the first interrupt and cancels them at the next."""

    name = "keep-then-cancel"

    def on_open_calls(self, _view: View, calls: Sequence[OpenCall], _moment: Moment) -> Mapping[str, Closing]:
        return {each.call.id: Cancel() if each.closed else Keep() for each in calls}


def test_a_side_question_that_wakes_an_idle_agent_cancels_no_background_tool() -> None:
    question = event("L", 6_000, IntentKind.LIGHT)
    urgent = event("E2", 3_000, IntentKind.REQUEST, type_=EventType.USER_INTERRUPT)
    spec = world(
        tools=(tool("t", 9_000),), steps=(Step(id="a", tool="t"),), events=(request(), urgent, question), model=MODEL
    )
    record = run(spec, KeepThenCancel(), router="oracle")
    assert notation(record.trace.trajectory()) == "U1 A[c1] P(c1 still running) E2 A L A L(c1) A"


@pytest.mark.parametrize("strategy", ["queue", "cancel", "parallel", "queue-turn"])
def test_a_correction_that_is_read_before_its_request_voids_it_all_the_same(strategy: str) -> None:
    """Timers come first in an instant: here one brings the correction of a request of the same millisecond."""
    events = (
        request(),
        event("T", 0, IntentKind.CORRECT, type_=EventType.TIMER_TRIGGER, task="U1"),
    )
    spec = world(tools=(tool("t", 9_000),), steps=(Step(id="a", tool="t"),), events=events, model=MODEL)
    record = run(spec, strategy)
    assert record.tool_runs == []
    assert record.tasks["U1"].voided_ms == 0
    assert record.tasks["U1"].finished_ms is None
