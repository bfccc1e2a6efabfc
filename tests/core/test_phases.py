"""The table of phases says what can happen, and no more: every cell of it is reached, and nothing beside it."""

from collections.abc import Callable
from random import Random
from typing import Any, ClassVar

import pytest

from simlab.core import commands as c
from simlab.core import inputs as i
from simlab.core.agent import Agent
from simlab.core.decisions import (
    NOTHING,
    Cancel,
    Decision,
    Discard,
    DropReason,
    Interrupt,
    Keep,
    Moment,
    Queue,
    SafePoint,
    Take,
    Then,
)
from simlab.core.events import Event, EventType
from simlab.core.phases import TRANSITIONS, Phase
from simlab.core.plugins import ProtocolError
from simlab.core.state import CallStatus
from simlab.core.view import View
from simlab.strategies.habits import FLUSH_POINTS
from simlab.testing.chaos import Chaos
from simlab.testing.schedule import parse_schedule
from simlab.testing.stage import Stage
from simlab.testing.walking import Swarm, walk
from tests.core.scripted import BEGIN, TOOL, URGENT, Scripted, play

Step = tuple[Phase, type[i.Input], Phase]
ALLOWED: set[Step] = {
    (phase, kind, led_to) for phase, row in TRANSITIONS.items() for kind, targets in row.items() for led_to in targets
}


class Watched(Agent):
    """Notes from which phase to which an input leads."""

    __slots__ = ()
    steps: ClassVar[set[Step]] = set()

    def receive(self, item: i.Input, at_ms: int) -> list[c.Command]:
        phase = self.state.phase
        out = super().receive(item, at_ms)
        self.steps.add((phase, type(item), self.state.phase))
        return out


def watched(text: str, **given: Any) -> set[Step]:
    """Play a schedule; return the steps that it takes."""
    stage = Stage(Scripted(**given), make_agent=Watched, watch=False)
    Watched.steps = set()
    for move in parse_schedule(text):
        assert stage.play(move), f"illegal: {move}"
    return Watched.steps


def each(**decisions: Decision) -> Callable[[View, Event], Decision]:
    """Decide for every event by its id."""
    return lambda _view, event: decisions[event.id]


U3 = "U3 arrives timer.trigger from clock\nU3 is-routed queue\n"
FIRES = "+10 interrupt:U3 fires"


def kept_then_given_up(call: Any, _moment: Moment) -> Any:
    return Cancel(grace_ms=5) if call.status is CallStatus.BACKGROUND else Keep()


GIVEN_UP = (
    BEGIN + TOOL + URGENT + "instant settles\n"
    "U3 arrives user.interrupt from user\nU3 is-routed cancel\nmodel stops\n+5 grace:c1 fires\ninstant settles\n"
)
"""c1 was sent to the background and signalled there; its grace is over, its acknowledgement is still to come."""

SKIPPED = BEGIN + "model says pack\ninstant settles\n" + URGENT + "instant settles\n"
"""c1 was skipped while it was being prepared; that it is ready is still to come."""

BEHIND = BEGIN + TOOL + URGENT + "instant settles\nU3 arrives user.input from user\nU3 is-routed queue\n"
"""c1 was sent to the background; U3 waits while the model is called."""

ONE_OF_TWO = (
    BEGIN + "model says look burn\ninstant settles\n"
    "U2 arrives user.input from user\nU2 is-routed queue\nc1 ends\ninstant settles"
)
"""One of two tools has ended, and U2 waits."""


def ends_the_turn(view: View) -> Take:
    return Take(append=view.backlog_ids, call=None if view.is_idle else False)


def withdraws_at_once(view: View, event: Event) -> Any:
    if event.id == "U4":
        return (Queue(), Discard(event_ids=("U3",), reason=DropReason.WITHDRAWN))
    return Interrupt(then=Then.WAIT_USER) if event.id == "U2" else Queue()


INTERRUPTS: dict[str, Any] = {"decide": each(U1=Queue(), U3=Interrupt(after_ms=10))}
KEEPS: dict[str, Any] = {"closings": kept_then_given_up}
IDLES: dict[str, Any] = {**INTERRUPTS, "takes": lambda *_: NOTHING}
WAITS: dict[str, Any] = {"decide": each(U1=Queue(), U2=Interrupt(then=Then.WAIT_USER), U3=Interrupt(after_ms=10))}
KEEPS_AND_WAITS: dict[str, Any] = {
    **KEEPS,
    "decide": each(U1=Queue(), U2=Interrupt(), U3=Interrupt(then=Then.WAIT_USER)),
}
HOLDS: dict[str, Any] = {"how": Queue(hold_ms=9)}
BETWEEN: dict[str, Any] = {"points": FLUSH_POINTS | {SafePoint.TOOL_CLOSED}}
JOINS: dict[str, Any] = {**KEEPS, "points": FLUSH_POINTS | {SafePoint.MESSAGE_CLOSED}}

RARE: list[tuple[Step, str, dict[str, Any]]] = [
    ((Phase.IDLE, i.TimerFired, Phase.STOPPING), U3 + "instant settles\n" + FIRES, IDLES),
    (
        (Phase.WAITING_USER, i.TimerFired, Phase.STOPPING),
        BEGIN + URGENT + "model stops\ninstant settles\n" + U3 + FIRES,
        WAITS,
    ),
    ((Phase.READY, i.TimerFired, Phase.STOPPING), BEGIN + U3 + "+10 model says look\ninterrupt:U3 fires", INTERRUPTS),
    ((Phase.THINKING, i.TimerFired, Phase.STOPPING), BEGIN + U3 + FIRES, INTERRUPTS),
    ((Phase.ACTING, i.TimerFired, Phase.STOPPING), BEGIN + TOOL + U3 + FIRES, INTERRUPTS),
    ((Phase.READY, i.Settled, Phase.STOPPING), BEHIND + "model says look\ninstant settles", JOINS),
    ((Phase.READY, i.ToolCancelled, Phase.READY), GIVEN_UP + "model says look\nc1 acknowledges after", KEEPS),
    (
        (Phase.ACTING, i.ToolCancelled, Phase.ACTING),
        GIVEN_UP + "model says look\ninstant settles\nc1 acknowledges after",
        KEEPS,
    ),
    (
        (Phase.IDLE, i.ToolCancelled, Phase.IDLE),
        GIVEN_UP + "model says\ninstant settles\nc1 acknowledges after",
        KEEPS,
    ),
    ((Phase.WAITING_USER, i.ToolCancelled, Phase.WAITING_USER), GIVEN_UP + "c1 acknowledges after", KEEPS_AND_WAITS),
    ((Phase.READY, i.ToolPrepared, Phase.READY), SKIPPED + "model says look\nc1 is-prepared", KEEPS),
    ((Phase.READY, i.ToolEnded, Phase.READY), BEHIND + "model says look\nc1 ends", KEEPS),
    (
        (Phase.READY, i.TimerFired, Phase.READY),
        BEGIN + URGENT + "+9 model says\nhold:U2 fires",
        HOLDS,
    ),
    ((Phase.ACTING, i.Settled, Phase.THINKING), ONE_OF_TWO, {**BETWEEN, "closings": lambda *_: Keep()}),
    ((Phase.ACTING, i.Settled, Phase.STOPPING), ONE_OF_TWO, {**BETWEEN, "closings": lambda *_: Cancel()}),
    (
        (Phase.ACTING, i.Settled, Phase.IDLE),
        ONE_OF_TWO,
        {**BETWEEN, "closings": lambda *_: Keep(), "takes": lambda view, _point: ends_the_turn(view)},
    ),
    (
        (Phase.WAITING_USER, i.Settled, Phase.WAITING_USER),
        BEGIN + URGENT + "model stops\ninstant settles\n"
        "U3 arrives user.input from user\nU3 is-routed queue\n"
        "U4 arrives timer.trigger from clock\nU4 is-routed queue\ninstant settles",
        {"decide": withdraws_at_once},
    ),
]
"""Steps that a random walk seldom takes."""


@pytest.mark.parametrize(("step", "text", "given"), RARE)
def test_a_rare_step_is_taken(step: Step, text: str, given: dict[str, Any]) -> None:
    assert step in watched(text, **given)


def test_nothing_is_allowed_that_cannot_happen() -> None:
    reached = {step for step, _, _ in RARE}
    Watched.steps = set()
    for seed in range(400):
        walk(Chaos(seed), Random(seed), make_agent=Watched, swarm=Swarm(moves=60) if seed % 2 else None)
    assert ALLOWED - Watched.steps - reached == set()


def test_an_instant_that_nobody_asked_about_cannot_settle_while_the_model_is_called() -> None:
    agent = play(BEGIN).agent
    with pytest.raises(ProtocolError, match="Settled is illegal while thinking"):
        agent.receive(i.Settled(), agent.state.now_ms)
    event = Event(id="U2", type=EventType.USER_INPUT, source="user", content="")
    assert agent.receive(i.EventArrived(event=event), agent.state.now_ms) == [c.Route(event)]
