"""What the agent remembers agrees with itself, whatever happens, and with what the trace says."""

from functools import cache
from random import Random

import pytest

from simlab.core.commands import CallModel, Insert, Replace, Rewind
from simlab.core.messages import (
    AssistantMessage,
    LateResultMessage,
    NoticeMessage,
    PlaceholderMessage,
)
from simlab.core.record import root_id
from simlab.strategies import STRATEGIES
from simlab.testing.stage import Stage
from simlab.testing.walking import Swarm, walk

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
