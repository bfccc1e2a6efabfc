"""What the agent remembers agrees with itself, whatever happens, and with what the trace says."""

from functools import cache
from random import Random
from typing import Any

import pytest

from simlab.core.commands import CallModel, Insert, Replace, Rewind
from simlab.core.decisions import NOTHING, Interrupt, Keep, LatePolicy, LeaveOpen, Moment, Pending, Queue
from simlab.core.messages import (
    AssistantMessage,
    LateResultMessage,
    NoticeMessage,
    PlaceholderMessage,
)
from simlab.core.record import root_id
from simlab.strategies import STRATEGIES
from simlab.strategies.habits import take_all
from simlab.testing.stage import Stage
from simlab.testing.walking import Swarm, walk
from tests.core.scripted import BEGIN, TOOL, URGENT, play, said

CHANGING = (
    "deepagents-interrupt",
    "langgraph-rollback",
    "langgraph-rollback-concat",
    "pipecat-cancel",
    "pipecat-async",
    "rollback-to-conflict",
    "cancel-background",
    "codex-interrupt",
    "routed",
)
BUSY = Swarm(moves=40, arrival_weight=2)


@cache
def walks(name: str) -> list[Stage]:
    return [walk(STRATEGIES.get(name), Random(number), swarm=BUSY if number % 2 else None) for number in range(14)]


@pytest.mark.parametrize("name", CHANGING)
def test_the_trace_tells_the_trajectory_and_how_often_it_was_changed(name: str) -> None:
    for stage in walks(name):
        state = stage.agent.state
        assert stage.trace.trajectory() == state.trajectory
        changes = 0
        for _, item in stage.trace.records:
            changes += isinstance(item, Replace | Insert | Rewind)
            if isinstance(item, CallModel):
                assert item.epoch == changes
        assert state.epoch == changes


@pytest.mark.parametrize("name", CHANGING)
def test_what_is_known_of_a_call_points_to_the_messages_that_are_about_it(name: str) -> None:
    for stage in walks(name):
        state = stage.agent.state
        assert 0 <= state.turn_start_index <= len(state.trajectory)
        for call_id, call in state.calls.items():
            message = state.trajectory[call.message_index]
            assert isinstance(message, AssistantMessage)
            assert call_id in {each.id for each in message.calls}
            if call.placeholder_index is not None:
                closing = state.trajectory[call.placeholder_index]
                assert isinstance(closing, PlaceholderMessage | LateResultMessage | NoticeMessage)
                assert closing.call_id == call_id
        assert state.discarded.isdisjoint(state.calls)
        assert state.open.keys() <= state.calls.keys()


@pytest.mark.parametrize("name", CHANGING)
def test_a_call_in_flight_keeps_the_messages_that_it_was_called_with(name: str) -> None:
    """History is changed in a new list: what the model was given stays as it was."""
    for stage in walks(name):
        for _, item in stage.trace.records:
            if isinstance(item, CallModel):
                assert len(item.messages) >= item.length


def test_a_repetition_is_rooted_in_what_was_said_first() -> None:
    assert [root_id(each) for each in ("U1", "U1~", "U1~~", "a~b~")] == ["U1", "U1", "U1", "a~b"]


REPLACING = BEGIN + "model says look look\ninstant settles\n" + URGENT + "instant settles\n"


def test_two_results_in_their_placeholders_places_count_as_two_changes_of_history() -> None:
    text = "c1 ends\nc2 ends\nlate:c1 is-routed queue\nlate:c2 is-routed queue\nmodel says\ninstant settles"
    stage = play(REPLACING + text, closings=lambda *_: Keep(late=LatePolicy.REPLACE))
    assert said(stage) == "U1 A[c1,c2] L(c1) L(c2) U2 A"
    assert stage.agent.state.epoch == 2


PATCHING = frozenset({Moment.APPEND, Moment.NEXT_CALL})


def test_a_patch_moves_the_placeholder_that_stood_in_its_place() -> None:
    """c1 is left open and patched before the next call; c2 was closed directly behind their message."""

    def closing(call: Any, moment: Moment) -> Any:
        return LeaveOpen(cancel=False) if call.call.id == "c1" and moment is Moment.APPEND else KEPT

    text = REPLACING + "c2 ends\nlate:c2 is-routed queue\nmodel says\ninstant settles"
    stage = play(text, closings=closing, moments=PATCHING)
    assert said(stage) == "U1 A[c1,c2] P(c1 still running) L(c2) U2 A"


KEPT = Keep(late=LatePolicy.REPLACE)


def test_a_patch_moves_the_message_that_stood_in_its_place() -> None:
    """The model speaks again directly behind a call that is left open; its own call is closed behind its message."""
    patches = iter([LeaveOpen(), KEPT, KEPT])

    def closing(call: Any, moment: Moment) -> Any:
        if moment is Moment.APPEND:
            return LeaveOpen(cancel=False, late=LatePolicy.APPEND)
        return next(patches) if call.call.id == "c1" else KEPT

    text = BEGIN + TOOL + URGENT + "instant settles\nmodel says look\ninstant settles\n"
    text += "U3 arrives user.interrupt from user\nU3 is-routed cancel\ninstant settles"
    stage = play(
        text,
        how=Interrupt(queue=True, backlog=Pending.KEEP),
        closings=closing,
        moments=PATCHING,
        takes=lambda view, _point: NOTHING if view.turn else take_all(view),
    )
    assert said(stage) == "U1 A[c1] P(c1 still running) A[c2] P(c2 still running)"


def test_a_call_that_was_cut_away_is_asked_about_no_more() -> None:
    asked: list[list[str]] = []
    cuts = iter([Queue(), Interrupt(), Interrupt(rewind_to=1), Interrupt()])

    def closing(call: Any, _moment: Moment) -> Any:
        asked.append([call.call.id])
        return Keep()

    text = BEGIN + TOOL + URGENT + "instant settles\n"
    for name in ("U3", "U4"):
        text += f"{name} arrives user.interrupt from user\n{name} is-routed cancel\nmodel stops\ninstant settles\n"
    stage = play(text, decide=lambda *_: next(cuts), closings=closing)
    assert said(stage) == "U1 U3 U4"
    assert asked == [["c1"], ["c1"]]  # at the first interrupt, and at the second, before the cut
    assert stage.agent.view.background_calls == ()
