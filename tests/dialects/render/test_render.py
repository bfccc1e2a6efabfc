"""Every trajectory can be written in every dialect, and its own rules accept what is written."""

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simlab.core.errors import SimlabError
from simlab.core.events import Event, EventType
from simlab.core.messages import (
    AssistantMessage,
    Call,
    EventMessage,
    LateResultMessage,
    Mark,
    Message,
    NoticeMessage,
    PlaceholderMessage,
    PlaceholderState,
    ResultMessage,
    SideMessage,
    SideOutcome,
    ToolResult,
    Wording,
)
from simlab.dialects.registry import DIALECTS
from simlab.dialects.render import render
from simlab.sim.spec import WorldSpec
from simlab.strategies import LEAVES_CALLS_OPEN, STRATEGIES
from simlab.testing.worlds import random_world, worlds
from tests.dialects.render.prompts import errors, has_open_calls, prompts, run

CLOSES_ALL = sorted(set(STRATEGIES.names()) - LEAVES_CALLS_OPEN)
PAIRING = {"dangling_tool_call", "result_count_mismatch"}

ASK = EventMessage(events=(Event(id="U1", type=EventType.USER_INPUT, source="user", content="Find flights"),))
STOP = EventMessage(events=(Event(id="U2", type=EventType.USER_INTERRUPT, source="user", content="Wait"),))
CALL = AssistantMessage(id="m1", text="On it", calls=(Call(id="c1", tool="search", arguments='{"to": "Oslo"}'),))
LATE = Event(id="late:c1", type=EventType.TOOL_RESULT, source="search", content="3 flights", context="c1")


def closed(state: PlaceholderState, wording: Wording = Wording.EXPLICIT) -> PlaceholderMessage:
    return PlaceholderMessage(call_id="c1", state=state, wording=wording)


def refused(world: WorldSpec, strategy: str, seed: int) -> list[str]:
    """Name every refusal, in any dialect, at any model call of a run."""
    told = []
    thinking = bool(seed % 2)
    for number, messages in enumerate(prompts(run(world, strategy, ("by_type", "oracle")[seed // 2 % 2], seed))):
        for dialect in DIALECTS:
            told += [
                f"{strategy} call {number} {dialect}: {one}" for one in errors(messages, dialect, thinking=thinking)
            ]
    return told


@settings(max_examples=4)
@given(worlds(), st.integers(0, 100))
def test_what_is_written_is_accepted_at_every_model_call_of_every_strategy(world: WorldSpec, seed: int) -> None:
    assert [each for name in CLOSES_ALL for each in refused(world, name, seed)] == []


@pytest.mark.nightly
@pytest.mark.parametrize("block", range(10))
def test_what_is_written_is_accepted_in_two_hundred_worlds(block: int) -> None:
    for seed in range(20 * block, 20 * (block + 1)):
        for name in CLOSES_ALL:
            assert refused(random_world(Random(seed)), name, seed) == []


@pytest.mark.parametrize("strategy", sorted(LEAVES_CALLS_OPEN))
def test_a_call_left_open_on_purpose_is_reported_in_every_dialect(strategy: str) -> None:
    seen = 0
    for seed in range(12):
        for messages in prompts(run(random_world(Random(seed)), strategy, seed=seed)):
            is_open = has_open_calls(messages)
            seen += is_open
            for dialect in DIALECTS:
                found = {one.rule for one in errors(messages, dialect)}
                assert bool(found) is is_open, f"{dialect}: {found}"
                assert found <= PAIRING
    assert seen > 10


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("state", PlaceholderState)
@pytest.mark.parametrize("wording", Wording)
def test_every_placeholder_is_accepted_in_every_wording(
    dialect: str, state: PlaceholderState, wording: Wording
) -> None:
    assert errors([ASK, CALL, closed(state, wording), STOP], dialect) == []


RUNNING = closed(PlaceholderState.STILL_RUNNING)
RESULT = ResultMessage(call_id="c1", result=ToolResult(content="3 flights"))


def written(dialect: str, *messages: Message) -> str:
    return str(render(messages, dialect).messages)


@pytest.mark.parametrize(
    ("dialect", "mark"),
    [
        ("anthropic", "'is_error': True"),
        ("bedrock", "'status': 'error'"),
        ("gemini", "'response': {'error': "),
        ("openai_responses", "'status': 'incomplete'"),
    ],
)
def test_a_placeholder_is_marked_for_machines_where_the_dialect_has_a_mark(dialect: str, mark: str) -> None:
    assert mark in written(dialect, ASK, CALL, RUNNING)
    assert mark not in written(dialect, ASK, CALL, RESULT)


def test_a_placeholder_replaced_in_place_is_the_result_and_a_late_result_an_event_that_names_its_call() -> None:
    late = LateResultMessage(event=LATE, call_id="c1", result=ToolResult(content="3 flights"))
    in_place = render([ASK, CALL, late], "openai_chat").messages
    assert in_place[2] == {"role": "tool", "tool_call_id": "c1", "content": "3 flights"}
    behind = render([ASK, CALL, RUNNING, late], "openai_chat").messages
    assert behind[3] == {"role": "user", "content": "[late result of call c1, tool search] 3 flights"}


def test_a_late_result_names_the_call_by_the_id_that_stands_on_the_wire() -> None:
    late = LateResultMessage(event=LATE, call_id="c1", result=ToolResult(content="3 flights"))
    messages = render([ASK, CALL, RUNNING, late], "mistral").messages
    name = messages[1]["tool_calls"][0]["id"]
    assert len(name) == 9
    assert messages[2]["tool_call_id"] == name
    assert f"late result of call {name}" in messages[-1]["content"]


def test_the_end_of_a_background_tool_is_told_by_a_notice() -> None:
    notice = NoticeMessage(call_id="c1", state=PlaceholderState.CANCELLED_AFTER)
    last = render([ASK, CALL, RUNNING, notice], "anthropic").messages[-1]
    assert last["role"] == "user"
    assert "end of call c1" in last["content"]
    assert "cancelled after it took effect" in last["content"]
    in_place = render([ASK, CALL, notice], "anthropic").messages[-1]
    assert in_place["content"][0]["is_error"] is True


@pytest.mark.parametrize("outcome", SideOutcome)
def test_only_a_marked_exchange_says_that_it_ran_in_parallel(outcome: SideOutcome) -> None:
    answer = AssistantMessage(id="s1", text="Sunny")
    marked = SideMessage(event=STOP.events[0], session_id="side:U2", answer=answer, outcome=outcome)
    bare = SideMessage(event=STOP.events[0], session_id="side:U2", answer=answer, outcome=outcome, marked=False)
    for dialect in DIALECTS:
        assert "ran in parallel with the main task" in written(dialect, ASK, CALL, RESULT, marked)
        plain = written(dialect, ASK, CALL, RESULT, bare)
        assert "parallel" not in plain
        assert "Sunny" in plain
        assert errors([ASK, CALL, RESULT, bare], dialect) == []


def test_the_user_never_follows_a_tool_message_in_mistral() -> None:
    roles = [each["role"] for each in render([ASK, CALL, RUNNING, STOP], "mistral").messages]
    assert roles == ["user", "assistant", "tool", "assistant", "user"]
    elsewhere = [each["role"] for each in render([ASK, CALL, RUNNING, STOP], "openai_chat").messages]
    assert elsewhere == ["user", "assistant", "tool", "user"]


@pytest.mark.parametrize("mark", Mark)
@pytest.mark.parametrize("dialect", DIALECTS)
def test_every_mark_is_written_and_accepted(mark: Mark, dialect: str) -> None:
    both = (STOP.events[0], Event(id="U3", type=EventType.USER_INPUT, source="user", content="Also cars"))
    message = EventMessage(events=both, mark=mark, position=1, batch_size=2, reminds=True)
    text = written(dialect, ASK, CALL, RESULT, message)
    assert "Wait" in text
    assert "Also cars" in text
    assert "go on with it" in text
    assert errors([ASK, CALL, RESULT, message], dialect) == []


def test_marks_differ_on_the_wire() -> None:
    def last(mark: Mark) -> dict[str, object]:
        message = EventMessage(events=STOP.events, mark=mark, position=2, batch_size=3)
        return render([ASK, CALL, RESULT, message], "openai_chat").messages[-1]

    assert last(Mark.PLAIN) == {"role": "user", "content": "[user.interrupt U2 from user] Wait"}
    assert last(Mark.DEVELOPER)["role"] == "developer"
    assert str(last(Mark.REMINDER)["content"]).startswith("<system-reminder>")
    assert str(last(Mark.NUMBERED)["content"]).startswith("[message 2 of 3]")
    assert last(Mark.IN_RESULT)["role"] == "tool"
    assert str(last(Mark.IN_RESULT)["content"]).startswith("3 flights\n")


@pytest.mark.parametrize("dialect", ["anthropic", "gemini", "openai_responses"])
def test_thinking_is_written_only_when_asked_for_and_never_a_thought_that_was_cut_off(dialect: str) -> None:
    thinks = AssistantMessage(id="m1", thinking="Oslo is far", calls=CALL.calls)
    cut = AssistantMessage(id="m0", text="I", thinking="Os", cut=True)
    signed = {"anthropic": "signature", "gemini": "thoughtSignature", "openai_responses": "encrypted_content"}[dialect]
    assert signed in str(render([ASK, thinks, RESULT], dialect, thinking=True).messages)
    assert signed not in written(dialect, ASK, thinks, RESULT)
    assert signed not in str(render([ASK, cut, STOP], dialect, thinking=True).messages)
    assert errors([ASK, cut, STOP, thinks, RESULT], dialect, thinking=True) == []


@pytest.mark.parametrize("dialect", DIALECTS)
def test_what_the_model_was_called_on_twice_begins_alike(dialect: str) -> None:
    short: list[Message] = [ASK, CALL, RUNNING]
    longer = [*short, STOP, CALL, RESULT]
    before = render(short, dialect).messages
    after = render(longer, dialect).messages
    if dialect == "bedrock":  # neighbours of one role are one message there
        assert after[1] == before[1]
        assert after[2]["content"][0] == before[2]["content"][0]
    else:
        assert after[: len(before)] == before


@given(st.text(min_size=1), st.text(min_size=1), st.text(), st.sampled_from(DIALECTS))
def test_ids_names_and_arguments_of_any_form_are_made_acceptable(
    call_id: str, tool: str, arguments: str, dialect: str
) -> None:
    call = AssistantMessage(id="m1", calls=(Call(id=call_id, tool=tool, arguments=arguments),))
    result = ResultMessage(call_id=call_id, result=ToolResult(content=arguments, ok=False))
    assert errors([ASK, call, result], dialect) == []


def test_an_unknown_dialect_is_refused_by_name() -> None:
    with pytest.raises(SimlabError, match="no dialect 'morse'; known: openai_chat"):
        render([ASK], "morse")
