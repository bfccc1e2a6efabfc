"""Side sessions: what they see, what comes back from them, and when the main task reads it."""

import pytest

from simlab.core import commands as c
from simlab.core.decisions import (
    Acknowledge,
    DropReason,
    Interrupt,
    Queue,
    Side,
    Then,
)
from simlab.core.messages import (
    SideMessage,
    SideOutcome,
    notation,
)
from simlab.core.phases import Phase
from simlab.testing.schedule import parse_schedule
from simlab.testing.stage import Stage
from tests.core.scripted import BEGIN, TOOL, URGENT, commands, go_on, play, said


def test_an_answer_given_aside_is_appended_with_its_words_at_the_next_safe_point() -> None:
    stage = play(BEGIN + URGENT + "side:U2 is-answered answered", how=Side())
    (item,) = stage.agent.view.backlog
    assert (item.arrived_ms, item.is_report) == (1, True)
    go_on(stage, "model says\ninstant settles")
    message = stage.agent.state.trajectory[-1]
    assert isinstance(message, SideMessage)
    assert (message.session_id, message.outcome, message.marked) == ("side:U2", SideOutcome.ANSWERED, True)
    assert message.answer.id == "m1"
    assert stage.agent.state.phase is Phase.IDLE  # it wakes nobody
    assert (stage.agent.view.turn, stage.agent.view.turn_start_index) == (1, 3)


def test_an_answer_given_aside_when_the_turn_is_over_stands_before_the_next_turn() -> None:
    stage = play(BEGIN + URGENT + "model says\ninstant settles\nside:U2 is-answered answered", how=Side())
    go_on(stage, "instant settles")
    assert said(stage) == "U1 A S(U2)"
    assert (stage.agent.state.phase, stage.agent.view.turn, stage.agent.view.turn_start_index) == (Phase.IDLE, 1, 3)


def test_an_answer_given_aside_can_go_without_a_mark() -> None:
    stage = play(BEGIN + URGENT + "side:U2 is-answered answered\nmodel says\ninstant settles", how=Side(marked=False))
    message = stage.agent.state.trajectory[-1]
    assert isinstance(message, SideMessage)
    assert not message.marked


def test_what_the_main_task_must_act_on_keeps_the_turn_open() -> None:
    stage = play(BEGIN + URGENT + "side:U2 is-answered for_main\nmodel says\ninstant settles", how=Side())
    assert said(stage) == "U1 A S(U2)"
    assert stage.agent.state.phase is Phase.THINKING


def test_an_answer_that_stays_aside_is_accounted_for() -> None:
    stage = play(BEGIN + URGENT + "side:U2 is-answered answered", how=Side(append=False))
    assert commands(stage, c.Drop) == [c.Drop(event_ids=("U2",), reason=DropReason.ANSWERED_ASIDE)]
    assert stage.agent.view.backlog == ()


def test_a_question_that_could_not_be_answered_aside_is_read_by_the_main_model() -> None:
    text = BEGIN + URGENT + "side:U2 is-answered for_main\nmodel says\ninstant settles"
    stage = play(text, how=Side(append=False))
    assert commands(stage, c.Drop) == []
    assert said(stage) == "U1 A U2"


def test_a_holding_reply_has_a_limit_and_changes_nothing_else() -> None:
    text = BEGIN + URGENT
    stage = play(text, how=(Queue(), Acknowledge(limit_ms=900)))
    (side,) = commands(stage, c.StartSide)
    assert (side.session_id, side.kind, side.limit_ms) == ("ack:U2", c.SideKind.ACKNOWLEDGE, 900)
    go_on(stage, "ack:U2 is-answered answered\nmodel says\ninstant settles")
    assert said(stage) == "U1 A U2"


def test_an_answer_aside_is_started_as_one() -> None:
    (side,) = commands(play(BEGIN + URGENT, how=Side()), c.StartSide)
    assert (side.session_id, side.kind, side.limit_ms, side.event.id) == ("side:U2", c.SideKind.ANSWER, None, "U2")


def test_an_answer_given_aside_keeps_the_verdict_on_its_question() -> None:
    stage = play(BEGIN + URGENT + "side:U2 is-answered for_main", how=Side(append=False))
    (item,) = stage.agent.view.backlog
    assert item.verdict is not None
    assert item.verdict.handling == "cancel"


def test_an_answer_to_a_person_ends_the_wait_for_a_person() -> None:
    decisions = iter([Queue(), Side(), Interrupt(then=Then.WAIT_USER)])
    stage = play(BEGIN + URGENT, decide=lambda *_: next(decisions))
    go_on(stage, "U3 arrives user.interrupt from user\nU3 is-routed cancel\nmodel stops\ninstant settles")
    assert stage.agent.state.phase is Phase.WAITING_USER
    go_on(stage, "side:U2 is-answered for_main\ninstant settles")
    assert said(stage) == "U1 U3 S(U2)"


@pytest.mark.parametrize(
    ("state", "moves"),
    [
        ("not started", "model says look\n"),
        ("not started", "model says pack\ninstant settles\n"),
        ("still running", TOOL),
    ],
)
def test_a_side_session_sees_open_calls_closed_truthfully_in_its_copy(state: str, moves: str) -> None:
    from simlab.strategies.parallel import Parallel

    stage = Stage(Parallel())
    for move in parse_schedule(BEGIN + moves + "U2 arrives user.input from user\nU2 is-routed parallel"):
        stage.play(move)
    assert notation(stage.sides["side:U2"].messages) == f"U1 A[c1] P(c1 {state})"
    assert said(stage) == "U1 A[c1]"
