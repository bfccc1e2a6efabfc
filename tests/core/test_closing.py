"""Closing: what stands in the place of a result, in which words, and what is patched later."""

from typing import Any

import pytest

from simlab.core import commands as c
from simlab.core.decisions import (
    Cancel,
    Interrupt,
    Keep,
    LatePolicy,
    LeaveOpen,
    Moment,
    Pending,
    Run,
    Shield,
    Skip,
    Then,
)
from simlab.core.messages import PlaceholderMessage, PlaceholderState, Wording
from simlab.core.state import CallStatus
from simlab.testing.schedule import parse_schedule
from tests.core.scripted import BEGIN, TOOL, URGENT, commands, play, said


@pytest.mark.parametrize(
    ("closing", "told"),
    [
        (Keep(wording=Wording.TERSE), "P(c1 still running)"),
        (Cancel(wording=Wording.TERSE), "P(c1 cancelled after it took effect)"),
        (Shield(), "R(c1)"),
        (Skip(wording=Wording.TERSE), "R(c1)"),
    ],
)
def test_a_running_call_is_closed_as_the_strategy_says(closing: Any, told: str) -> None:
    stage = play(BEGIN + TOOL + URGENT, closings=lambda *_: closing)
    if not isinstance(closing, Keep):
        verb = "acknowledges after" if isinstance(closing, Cancel) else "ends"
        stage.play(parse_schedule(f"c1 {verb}")[0])
    stage.play(parse_schedule("instant settles")[0])
    assert said(stage) == f"U1 A[c1] {told} U2"
    wordings = {message.wording for message in stage.agent.state.trajectory if isinstance(message, PlaceholderMessage)}
    assert wordings <= {Wording.TERSE}


@pytest.mark.parametrize("closing", [Run(), Shield()])
def test_a_call_that_was_not_started_is_skipped_by_whatever_does_not_leave_it_open(closing: Any) -> None:
    text = BEGIN + "model says look\nU2 arrives user.interrupt from user\nU2 is-routed cancel\ninstant settles"
    stage = play(text, closings=lambda *_: closing)
    assert said(stage) == "U1 A[c1] P(c1 not started) U2"
    assert stage.tools == {}


def test_a_call_that_was_not_started_is_skipped_in_the_words_of_its_closing() -> None:
    text = BEGIN + "model says look\nU2 arrives user.interrupt from user\nU2 is-routed cancel\ninstant settles"
    stage = play(text, closings=lambda *_: Keep(wording=Wording.ERROR))
    (placeholder,) = [each for each in stage.agent.state.trajectory if isinstance(each, PlaceholderMessage)]
    assert placeholder == PlaceholderMessage(call_id="c1", state=PlaceholderState.NOT_STARTED, wording=Wording.ERROR)
    assert stage.agent.state.open == {}


@pytest.mark.parametrize(("cancel", "signals"), [(True, 1), (False, 0)])
@pytest.mark.parametrize(("late", "told"), [(LatePolicy.APPEND, " L(c1)"), (LatePolicy.DROP, "")])
def test_a_call_left_open_says_what_becomes_of_its_tool(
    cancel: bool, signals: int, late: LatePolicy, told: str
) -> None:
    text = BEGIN + TOOL + URGENT + "instant settles\nc1 ends\n"
    stage = play(text, closings=lambda *_: LeaveOpen(cancel=cancel, late=late))
    assert len(commands(stage, c.CancelTool)) == signals
    stage._watch = False
    stage.rest()
    assert said(stage).startswith("U1 A[c1] U2 A" + told)
    assert ("L(c1)" in said(stage)) is (late is LatePolicy.APPEND)
    assert stage.agent.state.open == {}


@pytest.mark.parametrize(
    ("edit", "told"),
    [
        (False, "U1 A[c1] P(c1 still running) U2 N(c1 cancelled before it took effect) U3"),
        (True, "U1 A[c1] P(c1 cancelled before it took effect) U2 U3"),
    ],
)
def test_the_end_of_a_background_call_is_told_by_a_notice_or_in_its_placeholder_s_place(edit: bool, told: str) -> None:
    def closing(call: Any, _moment: Moment) -> Any:
        return Cancel(edit=edit, wording=Wording.TERSE) if call.status is CallStatus.BACKGROUND else Keep()

    text = BEGIN + TOOL + URGENT + "instant settles\n+1 U3 arrives user.interrupt from user\nU3 is-routed cancel\n"
    stage = play(text + "model stops\nc1 acknowledges before\ninstant settles", closings=closing)
    assert said(stage) == told
    assert stage.agent.state.open == {}
    words = [each.wording for each in stage.agent.state.trajectory if isinstance(each, PlaceholderMessage)]
    assert words == [Wording.TERSE if edit else Wording.EXPLICIT]


@pytest.mark.parametrize("late", list(LatePolicy))
def test_a_call_kept_at_its_launch_keeps_its_words_and_its_late_policy(late: LatePolicy) -> None:
    stage = play(
        BEGIN + TOOL,
        closings=lambda *_: Keep(wording=Wording.TERSE, late=late),
        moments=frozenset({Moment.LAUNCH}),
    )
    call = stage.agent.state.calls["c1"]
    assert (call.late, call.status, call.closed, call.placeholder_index) == (late, CallStatus.BACKGROUND, True, 2)
    placeholder = stage.agent.state.trajectory[2]
    assert placeholder == PlaceholderMessage(call_id="c1", state=PlaceholderState.STILL_RUNNING, wording=Wording.TERSE)


@pytest.mark.parametrize(
    ("cancel", "more", "state"),
    [
        (True, "", PlaceholderState.CANCELLED_UNKNOWN),
        (False, "", PlaceholderState.STILL_RUNNING),
        (True, "c1 acknowledges after\n", PlaceholderState.CANCELLED_AFTER),
    ],
)
def test_a_patch_says_what_is_known_by_then(cancel: bool, more: str, state: PlaceholderState) -> None:
    def closing(_call: Any, moment: Moment) -> Any:
        return Keep(wording=Wording.MISSING) if moment is Moment.NEXT_CALL else LeaveOpen(cancel=cancel)

    text = BEGIN + TOOL + URGENT + more + "instant settles"
    stage = play(text, closings=closing, moments=frozenset({Moment.APPEND, Moment.NEXT_CALL}))
    assert stage.agent.state.trajectory[2] == PlaceholderMessage(call_id="c1", state=state, wording=Wording.MISSING)
    assert commands(stage, c.Insert) == [c.Insert(index=2, message=stage.agent.state.trajectory[2])]


def test_a_patch_of_a_call_that_was_not_started_says_so() -> None:
    def closing(_call: Any, moment: Moment) -> Any:
        return Keep() if moment is Moment.NEXT_CALL else LeaveOpen(cancel=False)

    text = BEGIN + "model says look\nU2 arrives user.interrupt from user\nU2 is-routed cancel\ninstant settles"
    stage = play(text, closings=closing, moments=frozenset({Moment.APPEND, Moment.NEXT_CALL}))
    assert said(stage) == "U1 A[c1] P(c1 not started) U2"


def test_patches_move_what_stands_behind_them() -> None:
    asked: list[str] = []

    def closing(call: Any, moment: Moment) -> Any:
        if moment is Moment.APPEND:
            return LeaveOpen(cancel=False)
        asked.append(call.call.id)
        return Keep() if "c2" in asked else Cancel(edit=True) if asked.count("c1") > 9 else LeaveOpen()

    text = BEGIN + TOOL + URGENT + "instant settles\nmodel says look\ninstant settles\n"
    text += "+1 U3 arrives user.interrupt from user\nU3 is-routed cancel\ninstant settles\n"
    text += "model says\ninstant settles\nU4 arrives user.input from user\nU4 is-routed queue\ninstant settles"
    stage = play(text, closings=closing, moments=frozenset({Moment.APPEND, Moment.NEXT_CALL}))
    assert said(stage) == "U1 A[c1] P(c1 still running) U2 A[c2] P(c2 still running) U3 A U4"
    calls = stage.agent.state.calls
    assert [(call.message_index, call.placeholder_index) for call in calls.values()] == [(1, 2), (4, 5)]
    assert stage.agent.state.epoch == 2
    assert stage.agent.view.turn_start_index == 8


def test_a_patch_at_the_beginning_of_a_turn_moves_the_beginning() -> None:
    def closing(_call: Any, moment: Moment) -> Any:
        return Keep() if moment is Moment.NEXT_CALL else LeaveOpen(cancel=False)

    text = BEGIN + TOOL + URGENT + "instant settles"
    stage = play(
        text,
        how=Interrupt(then=Then.IDLE, queue=True, backlog=Pending.KEEP),
        closings=closing,
        moments=frozenset({Moment.APPEND, Moment.NEXT_CALL}),
    )
    assert said(stage) == "U1 A[c1] P(c1 still running) U2"
    assert stage.agent.view.turn_start_index == 3
