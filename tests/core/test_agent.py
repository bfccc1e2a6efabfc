"""The agent as a whole: what is illegal raises and changes nothing; decisions that no shipped strategy makes."""

from collections.abc import Sequence
from copy import deepcopy
from typing import Any

import pytest

from simlab.core import commands as c
from simlab.core import inputs as i
from simlab.core.agent import Agent
from simlab.core.decisions import (
    NOTHING,
    Cancel,
    Decision,
    Departure,
    Interrupt,
    Keep,
    LeaveOpen,
    Moment,
    Queue,
    Run,
    SafePoint,
    Skip,
    Take,
    Then,
)
from simlab.core.events import Event, EventType, Handling, Verdict
from simlab.core.messages import (
    AssistantMessage,
    Call,
    PlaceholderState,
    SideOutcome,
    ToolResult,
    ToolSpec,
    notation,
)
from simlab.core.phases import Phase
from simlab.core.plugins import ProtocolError, Traits
from simlab.core.view import View
from simlab.strategies.cancel import Cancel as CancelAll
from simlab.strategies.cancel import CancelBackground
from simlab.strategies.habits import FLUSH_POINTS, take_all
from simlab.strategies.parallel import Parallel
from simlab.strategies.products.langgraph_rollback import LanggraphRollback
from simlab.strategies.queue import QueueAll
from simlab.testing.schedule import parse_schedule
from simlab.testing.stage import TOOLS, Stage
from simlab.testing.walking import perform

U1 = Event(id="U1", type=EventType.USER_INPUT, source="user", content="")
QUEUED = Verdict(handling=Handling.QUEUE)
DONE = ToolResult(content="done")
ANSWER = AssistantMessage(id="a1")


def stage(text: str, strategy: Any = None) -> Stage:
    """Play a schedule with a strategy, and stop there."""
    made = Stage(strategy or QueueAll())
    for move in parse_schedule(text):
        assert made.play(move), f"illegal: {move}"
    assert made.found == []
    return made


def phase_of(made: Stage) -> Phase:
    return made.agent.state.phase


def said(made: Stage) -> str:
    return notation(made.agent.state.trajectory)


BEGIN = "U1 arrives user.input from user\nU1 is-routed queue\ninstant settles\n"
URGENT = "+1 U2 arrives user.interrupt from user\nU2 is-routed cancel\n"

ILLEGAL: dict[str, tuple[str, i.Input, str]] = {
    "a model that was not called ends": ("", i.ModelFinished(generation=0, message=ANSWER), "illegal while idle"),
    "an event arrives twice": ("U1 arrives user.input from user", i.EventArrived(event=U1), "event 'U1' arrived twice"),
    "a verdict that nobody awaits": (
        "",
        i.Routed(event_id="U9", verdict=QUEUED),
        "no verdict is awaited for event 'U9'",
    ),
    "a side session that nobody began": (
        BEGIN,
        i.SideEnded(session_id="side:U9", answer=ANSWER, outcome=SideOutcome.ANSWERED),
        "no side session 'side:U9' is under way",
    ),
    "an old model call ends": (BEGIN, i.ModelFinished(generation=0, message=ANSWER), "model call 0 is not the current"),
    "an old model call streams": (
        BEGIN,
        i.StreamItem(generation=0, index=0),
        "model call 0 is not the current one (1)",
    ),
    "a call of a tool that is not declared": (
        BEGIN,
        i.ModelFinished(generation=1, message=AssistantMessage(id="a", calls=(Call(id="c1", tool="saw"),))),
        "message 'a': no tool 'saw' is declared",
    ),
    "a call id twice in one message": (
        BEGIN,
        i.ModelFinished(
            generation=1,
            message=AssistantMessage(id="a", calls=(Call(id="c", tool="look"), Call(id="c", tool="look"))),
        ),
        "message 'a': call id 'c' was used before",
    ),
    "a call id used before": (
        BEGIN + "model says look\ninstant settles\nc1 ends\ninstant settles",
        i.ModelFinished(generation=2, message=AssistantMessage(id="a", calls=(Call(id="c1", tool="look"),))),
        "message 'a': call id 'c1' was used before",
    ),
    "a call that is not known ends": (BEGIN, i.ToolEnded(call_id="c9", result=DONE), "no call 'c9' is known"),
    "a tool ends that was not started": (
        BEGIN + "model says look",
        i.ToolEnded(call_id="c1", result=DONE),
        "call 'c1' does not run",
    ),
    "a tool is prepared that needs none": (
        BEGIN + "model says look\ninstant settles",
        i.ToolPrepared(call_id="c1"),
        "call 'c1' is not being prepared",
    ),
    "a tool acknowledges that was not signalled": (
        BEGIN + "model says look\ninstant settles",
        i.ToolCancelled(call_id="c1", state=PlaceholderState.CANCELLED_BEFORE),
        "call 'c1' was not signalled, or does not run",
    ),
}


def memory(agent: Agent) -> dict[str, Any]:
    state = agent.state
    return {name: deepcopy(getattr(state, name)) for name in state.__slots__ if name not in ("out", "tools")}


@pytest.mark.parametrize("case", ILLEGAL, ids=lambda each: each.replace(" ", "_"))
def test_an_illegal_input_raises_and_changes_nothing(case: str) -> None:
    schedule, item, message = ILLEGAL[case]
    agent = stage(schedule).agent
    before = memory(agent)
    with pytest.raises(ProtocolError) as raised:
        agent.receive(item, agent.state.now_ms + 5)
    assert message in str(raised.value)
    assert memory(agent) == before


def test_a_model_that_was_not_asked_to_stop_cannot_have_stopped() -> None:
    agent = stage(BEGIN + "U2 arrives user.interrupt from user\nU2 is-routed cancel", CancelAll()).agent
    before = memory(agent)
    with pytest.raises(ProtocolError, match="model call 7 was not asked to stop"):
        agent.receive(i.ModelStopped(generation=7), agent.state.now_ms)
    assert memory(agent) == before


def test_a_model_that_is_not_called_cannot_have_stopped_while_tools_are_being_stopped() -> None:
    agent = stage(BEGIN + "model says look\ninstant settles\n" + URGENT, CancelAll()).agent
    before = memory(agent)
    with pytest.raises(ProtocolError, match="model call 1 was not asked to stop"):
        agent.receive(i.ModelStopped(generation=1), agent.state.now_ms)
    assert memory(agent) == before


def test_time_does_not_run_backwards() -> None:
    agent = Agent(QueueAll(), TOOLS)
    agent.receive(i.EventArrived(event=U1), 10)
    with pytest.raises(ProtocolError, match="time runs backwards: 9 ms after 10 ms"):
        agent.receive(i.Routed(event_id="U1", verdict=QUEUED), 9)
    assert agent.receive(i.Routed(event_id="U1", verdict=QUEUED), 10) == [c.Settle()]


def test_a_phase_that_the_table_forbids_is_the_core_s_own_fault() -> None:
    class Jumps(Agent):
        __slots__ = ()

        def _announce(self, event: Event) -> None:
            self.state.phase = Phase.ACTING

    agent = Jumps(QueueAll(), TOOLS)
    with pytest.raises(AssertionError, match="EventArrived led to acting, which the table of phases forbids"):
        agent.receive(i.EventArrived(event=U1), 0)


class Closes(CancelAll):
    """Closes every call in one way; asked at one moment only."""

    name = "closes"

    def __init__(
        self,
        closing: Any,
        moment: Moment = Moment.APPEND,
        *,
        then: Then = Then.CALL,
        departures: frozenset[Departure] = frozenset(),
    ) -> None:
        self.closing = closing
        self.then = then
        self.traits = Traits(points=FLUSH_POINTS, moments=frozenset({moment}), departures=departures)

    def on_event(self, view: View, event: Event, _verdict: Verdict) -> Decision:
        return Interrupt(then=self.then) if event.urgent and not view.is_idle else Queue()

    def on_open_calls(self, _view: View, calls: Sequence[Any], _moment: Moment) -> dict[str, Any]:
        return {call.call.id: self.closing for call in calls}


def test_a_call_can_be_skipped_when_its_message_is_recorded() -> None:
    made = stage(BEGIN + "model says look pack\ninstant settles", Closes(Skip(), Moment.OPENED))
    assert made.tools == {}
    assert said(made) == "U1 A[c1,c2] P(c1 not started) P(c2 not started)"
    assert made.agent.state.phase is Phase.THINKING


def test_a_call_can_be_sent_to_the_background_when_it_is_launched() -> None:
    made = stage(BEGIN + "model says look pack\ninstant settles\nc2 is-prepared", Closes(Keep(), Moment.LAUNCH))
    assert said(made) == "U1 A[c1,c2] P(c1 still running) P(c2 still running)"
    assert made.rest() == []
    assert said(made).count("L(") == 2


def test_a_call_can_be_skipped_when_it_is_launched() -> None:
    made = stage(BEGIN + "model says look pack\ninstant settles\nc2 is-prepared", Closes(Skip(), Moment.LAUNCH))
    assert said(made) == "U1 A[c1,c2] P(c1 not started) P(c2 not started)"


def test_a_grace_that_runs_out_says_that_nobody_knows_and_the_end_is_told_by_a_notice() -> None:
    made = stage(
        BEGIN + "model says look\ninstant settles\n" + URGENT + "+50 grace:c1 fires\ninstant settles",
        Closes(Cancel(grace_ms=50)),
    )
    assert said(made) == "U1 A[c1] P(c1 cancelled, effect unknown) U2"
    assert made.play(parse_schedule("c1 acknowledges after")[0])
    assert made.rest() == []
    assert said(made) == "U1 A[c1] P(c1 cancelled, effect unknown) U2 A N(c1 cancelled after it took effect) A"


def test_a_grace_is_over_for_a_tool_that_has_acknowledged() -> None:
    made = stage(
        BEGIN + "model says look\ninstant settles\n" + URGENT + "c1 acknowledges before\n+50 grace:c1 fires",
        Closes(Cancel(grace_ms=50)),
    )
    assert made.rest() == []
    assert said(made) == "U1 A[c1] P(c1 cancelled before it took effect) U2 A"


def test_an_interrupt_can_wait_for_a_person_and_only_a_person_ends_that() -> None:
    made = stage(BEGIN + URGENT + "model stops\ninstant settles\n", Closes(Cancel(), then=Then.WAIT_USER))
    assert phase_of(made) is Phase.WAITING_USER
    for move in parse_schedule("U3 arrives timer.trigger from clock\nU3 is-routed queue"):
        made.play(move)
    assert not made.unsettled
    for move in parse_schedule("U4 arrives user.input from user\nU4 is-routed queue\ninstant settles"):
        made.play(move)
    assert phase_of(made) is Phase.THINKING
    assert said(made) == "U1 U2 U3 U4"


def test_an_interrupt_can_end_the_turn() -> None:
    made = stage(BEGIN + URGENT + "model stops\ninstant settles\n", Closes(Cancel(), then=Then.IDLE))
    assert made.agent.state.phase is Phase.IDLE
    assert said(made) == "U1 U2"


@pytest.mark.parametrize(
    ("closing", "patched"),
    [(Keep(), "P(c1 still running) "), (Run(), "")],
    ids=["keep", "run"],
)
def test_a_call_left_open_can_be_patched_before_the_next_call(closing: Any, patched: str) -> None:
    class Patches(CancelAll):
        name = "patches"
        traits = Traits(
            points=FLUSH_POINTS,
            moments=frozenset({Moment.APPEND, Moment.NEXT_CALL}),
            departures=frozenset({Departure.EDITS, Departure.DROPS_LATE}),
        )

        def on_open_calls(self, _view: View, calls: Sequence[Any], moment: Moment) -> dict[str, Any]:
            chosen = closing if moment is Moment.NEXT_CALL else LeaveOpen(cancel=False)
            return {call.call.id: chosen for call in calls}

    made = Stage(Patches(), watch=False)
    for move in parse_schedule(BEGIN + "model says look\ninstant settles\n" + URGENT + "instant settles"):
        made.play(move)
    assert said(made) == f"U1 A[c1] {patched}U2"


def test_what_a_stream_item_takes_stops_the_model() -> None:
    class TakesAtItems(QueueAll):
        name = "takes-at-items"
        traits = Traits(points=frozenset({SafePoint.STREAM_ITEM, SafePoint.IDLE}))

    text = BEGIN + "U2 arrives user.input from user\nU2 is-routed queue\nmodel streams\nmodel stops\ninstant settles"
    made = stage(text, TakesAtItems())
    assert said(made) == "U1 U2"
    assert made.agent.state.generation == 2


def test_a_late_call_of_a_rewound_message_is_nobody_s() -> None:
    text = BEGIN + "model says look pack\ninstant settles\nU2 arrives user.input from user\nU2 is-routed cancel\n"
    made = stage(text + "instant settles\nc1 ends\nc2 is-prepared", LanggraphRollback())
    assert said(made) == "U2"
    acknowledged = stage(text + "instant settles\nc1 acknowledges before", LanggraphRollback())
    assert acknowledged.rest() == []


def test_a_verdict_that_comes_while_the_model_is_called_waits_for_it() -> None:
    made = stage(BEGIN + "U2 arrives user.input from user\nU2 is-routed parallel", Parallel())
    assert list(made.sides) == ["side:U2"]
    assert made.rest() == []
    assert said(made) == "U1 A S(U2)"


def test_what_is_in_the_background_is_asked_about_when_something_is_appended() -> None:
    text = BEGIN + "model says look\ninstant settles\n" + URGENT + "instant settles"
    made = stage(text, CancelBackground())
    assert [call.call.id for call in made.agent.view.background_calls] == ["c1"]
    assert made.agent.view.open_calls == ()


def test_a_turn_that_a_strategy_refuses_to_go_on_with_is_begun_again_in_the_open() -> None:
    class Wavers(QueueAll):
        name = "wavers"

        def at_safe_point(self, view: View, point: SafePoint) -> Take:
            if point is SafePoint.BEFORE_CALL:
                return Take(call=False)
            return Take(call=True) if point is SafePoint.IDLE and view.turn < 3 else NOTHING

    made = Stage(Wavers())
    for move in parse_schedule("U1 arrives user.input from user\nU1 is-routed queue"):
        made.play(move)
    made.settle()
    assert made.agent.state.turn == 3
    assert sum(isinstance(item, c.Sleep) for _, item in made.trace.records) == 3


def test_equal_schedules_give_equal_traces() -> None:
    schedule = parse_schedule(BEGIN + "model says look look\n" + URGENT)
    first, second = (perform(schedule, CancelAll()) for _ in range(2))
    assert [str(each) for each in first.trace.records] == [str(each) for each in second.trace.records]


def test_a_strategy_sees_what_is_declared_of_a_tool_and_what_happens_now() -> None:
    seen: list[tuple[object, ...]] = []

    class Looks(QueueAll):
        name = "looks"

        def at_safe_point(self, view: View, point: SafePoint) -> Take:
            tool: ToolSpec = view.tool("look")
            seen.append((view.now_ms, view.phase, view.turn_start_ms, view.side_sessions, tool.light))
            return take_all(view)

    stage("+7 U1 arrives user.input from user\nU1 is-routed queue\ninstant settles", Looks())
    assert seen == [(7, Phase.IDLE, 0, 0, True), (7, Phase.IDLE, 7, 0, True)]
