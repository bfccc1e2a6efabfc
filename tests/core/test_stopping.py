"""Stopping: what is dropped, what is closed and how, what is told of the background, and what waits."""

from typing import Any

import pytest

from simlab.core import commands as c
from simlab.core.decisions import (
    NOTHING,
    Cancel,
    DropReason,
    Interrupt,
    Keep,
    LeaveOpen,
    Moment,
    Pending,
    Queue,
    SafePoint,
    Shield,
    Skip,
    Take,
)
from simlab.core.phases import Phase
from simlab.core.state import CallStatus
from simlab.core.view import View
from simlab.strategies.habits import take_all
from simlab.testing.schedule import parse_schedule
from tests.core.scripted import BEGIN, TOOL, URGENT, commands, play, said


def newest(view: View, point: SafePoint) -> Take:
    if point is not SafePoint.STREAM_ITEM:
        return take_all(view) if point is SafePoint.IDLE and not view.turn else NOTHING
    ids = view.backlog_ids
    return Take(append=ids[-1:], drop=ids[:1], reason=DropReason.FILTERED, call=False, partial=c.Partial.KEEP)


def test_what_a_stream_item_takes_and_drops_is_named_and_may_end_the_turn() -> None:
    waiting = "".join(f"U{n} arrives user.input from user\nU{n} is-routed queue\n" for n in (2, 3, 4))
    points = frozenset({SafePoint.STREAM_ITEM, SafePoint.IDLE})
    stage = play(BEGIN + waiting + "model streams\n", takes=newest, points=points)
    assert commands(stage, c.Drop) == [c.Drop(event_ids=("U2",), reason=DropReason.FILTERED)]
    assert commands(stage, c.CancelModel) == [c.CancelModel(generation=1, partial=c.Partial.KEEP)]
    assert stage.agent.view.backlog_ids == ("U3",)
    assert stage.agent.view.is_stopping
    for move in parse_schedule("model stops\ninstant settles"):
        stage.play(move)
    assert said(stage) == "U1 A U4"  # the partial message that is kept, then what was taken
    assert stage.agent.state.phase is Phase.IDLE
    assert stage.agent.state.generation == 1


@pytest.mark.parametrize(
    ("pending", "told", "dropped"),
    [
        (Pending.FLUSH, "U1 U2 U3", []),
        (Pending.KEEP, "U1 U3", []),
        (Pending.CLEAR, "U1 U3", [c.Drop(event_ids=("U2",), reason=DropReason.CLEARED)]),
        (Pending.NEWEST, "U1 U3", [c.Drop(event_ids=("U2",), reason=DropReason.SUPERSEDED)]),
    ],
)
def test_an_interrupt_says_what_becomes_of_the_backlog(pending: Pending, told: str, dropped: list[c.Drop]) -> None:
    text = BEGIN + "U2 arrives user.input from user\nU2 is-routed queue\nU3 arrives user.interrupt from user\n"
    stage = play(
        text + "U3 is-routed cancel\nmodel stops\ninstant settles",
        how=Interrupt(backlog=pending),
        takes=lambda view, point: take_all(view) if point is SafePoint.IDLE else NOTHING,
    )
    assert said(stage) == told
    assert commands(stage, c.Drop) == dropped
    assert stage.agent.view.backlog_ids == (("U2",) if pending is Pending.KEEP else ())


def test_the_newest_of_several_interrupts_supersedes_the_others() -> None:
    text = BEGIN + URGENT + "U3 arrives user.interrupt from user\nU3 is-routed cancel\nmodel stops\ninstant settles"
    stage = play(text, how=Interrupt(backlog=Pending.NEWEST))
    assert said(stage) == "U1 U3"
    assert commands(stage, c.Drop) == [c.Drop(event_ids=("U2",), reason=DropReason.SUPERSEDED)]


def test_an_interrupt_that_waits_does_nothing_if_the_event_was_consumed_in_time() -> None:
    stage = play(
        BEGIN + URGENT + "+10 model says\ninstant settles\n+500 interrupt:U2 fires", how=Interrupt(after_ms=500)
    )
    assert said(stage) == "U1 A U2"
    assert commands(stage, c.CancelModel) == []


def test_an_interrupt_that_waits_a_millisecond_waits() -> None:
    stage = play(BEGIN + URGENT, how=Interrupt(after_ms=1))
    assert commands(stage, c.CancelModel) == []
    assert stage.agent.view.backlog_ids == ("U2",)


def test_an_interrupt_that_waits_interrupts_when_its_time_has_come() -> None:
    text = BEGIN + URGENT + "U3 arrives user.input from user\nU3 is-routed queue\n+500 interrupt:U2 fires\n"
    stage = play(text + "model stops\ninstant settles", how=Interrupt(after_ms=500))
    assert commands(stage, c.SetTimer) == [c.SetTimer(timer_id="interrupt:U2", delay_ms=500)]
    assert len(commands(stage, c.CancelModel)) == 1
    assert sorted(said(stage).split()) == ["U1", "U2", "U3"]
    assert stage.now_ms == 501


def test_an_event_that_expires_is_given_back_and_only_that_one() -> None:
    text = BEGIN + URGENT + "U3 arrives user.input from user\nU3 is-routed queue\n+300 expire:U2 fires"
    stage = play(text, how=Queue(expires_ms=300))
    assert commands(stage, c.Refuse) == [c.Refuse(event_id="U2", reason="not in time")]
    assert stage.agent.view.backlog_ids == ("U3",)


def test_an_event_that_was_read_does_not_expire() -> None:
    stage = play(BEGIN + URGENT + "model says\ninstant settles\n+300 expire:U2 fires", how=Queue(expires_ms=300))
    assert commands(stage, c.Refuse) == []


def test_what_is_put_in_front_is_read_first() -> None:
    text = BEGIN + "U2 arrives user.input from user\nU2 is-routed queue\nU3 arrives user.interrupt from user\n"
    stage = play(text + "U3 is-routed queue\nmodel says\ninstant settles", how=Queue(front=True))
    assert said(stage) == "U1 A U3 U2"


def test_an_event_can_wait_behind_the_stop_that_it_causes() -> None:
    text = BEGIN + URGENT + "model stops\ninstant settles"
    how = Interrupt(queue=True, hold_ms=40, backlog=Pending.KEEP)
    stage = play(text, how=how, takes=lambda view, point: NOTHING if view.turn else take_all(view))
    assert stage.agent.view.held == stage.agent.view.backlog_ids == ("U2",)
    assert commands(stage, c.SetTimer) == [c.SetTimer(timer_id="hold:U2", delay_ms=40)]
    assert said(stage) == "U1"


@pytest.mark.parametrize("closing", [Shield(), Skip()])
def test_a_tool_that_may_finish_is_waited_for(closing: Any) -> None:
    stage = play(BEGIN + TOOL + URGENT + "instant settles", closings=lambda *_: closing)
    assert said(stage) == "U1 A[c1]"
    for move in parse_schedule("+50 c1 ends\ninstant settles"):
        stage.play(move)
    assert said(stage) == "U1 A[c1] R(c1) U2"
    assert commands(stage, c.CancelTool) == []


def test_a_background_call_that_does_not_answer_in_its_grace_is_told_as_unknown_and_stays_in_reach() -> None:
    def closing(call: Any, _moment: Moment) -> Any:
        return Cancel(grace_ms=20) if call.status is CallStatus.BACKGROUND else Keep()

    text = BEGIN + TOOL + URGENT + "instant settles\n+1 U3 arrives user.interrupt from user\nU3 is-routed cancel\n"
    stage = play(text + "model stops\n+20 grace:c1 fires\ninstant settles", closings=closing)
    assert said(stage) == "U1 A[c1] P(c1 still running) U2 N(c1 cancelled, effect unknown) U3"
    assert list(stage.agent.state.open) == ["c1"]
    assert commands(stage, c.SetTimer) == [c.SetTimer(timer_id="grace:c1", delay_ms=20)]


def test_effects_are_undone_in_the_order_in_which_they_are_named() -> None:
    stage = play(BEGIN + URGENT + "model stops\ninstant settles", how=Interrupt(undo=("c7", "c3")))
    assert [each.call_id for each in commands(stage, c.UndoTool)] == ["c7", "c3"]


@pytest.mark.parametrize("lengths", [(1, 3), (3, 1)])
def test_of_several_rewinds_the_earliest_counts(lengths: tuple[int, int]) -> None:
    cuts = iter([Queue(), *(Interrupt(rewind_to=length) for length in lengths)])
    text = BEGIN + TOOL + "c1 ends\ninstant settles\n" + URGENT
    text += "U3 arrives user.interrupt from user\nU3 is-routed cancel\nmodel stops\ninstant settles"
    stage = play(text, decide=lambda *_: next(cuts))
    assert commands(stage, c.Rewind) == [c.Rewind(length=1)]
    assert said(stage) == "U1 U2 U3"


def test_a_second_interrupt_asks_no_more_about_what_is_signalled_or_left_open() -> None:
    asked: list[str] = []

    def closing(call: Any, _moment: Moment) -> Any:
        asked.append(call.call.id)
        return {"c1": Cancel(), "c2": LeaveOpen(cancel=False), "c3": Shield()}[call.call.id]

    text = BEGIN + "model says look look look\ninstant settles\n" + URGENT
    stage = play(text + "U3 arrives user.interrupt from user\nU3 is-routed cancel", closings=closing)
    assert asked == ["c1", "c2", "c3", "c3"]
    assert [each.call_id for each in commands(stage, c.CancelTool)] == ["c1"]


def test_a_rewind_cuts_at_the_length_that_it_names() -> None:
    text = BEGIN + "model says look\ninstant settles\nc1 ends\ninstant settles\n" + URGENT
    stage = play(text + "model stops\ninstant settles", how=Interrupt(rewind_to=2))
    assert said(stage) == "U1 A[c1] U2"
    assert commands(stage, c.Rewind) == [c.Rewind(length=2)]
