"""Repair of anything is accepted, repairing twice changes nothing, and the file's messages are left alone."""

import copy
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simlab.check.convert import convert
from simlab.check.repair import Repair, repair
from simlab.dialects.registry import DIALECTS, check
from tests.check.cases import CASES, Case
from tests.check.made import conversation
from tests.dialects.generators import NEARLY_MESSAGES, REQUESTS, chats, mutated
from tests.dialects.planted import PLANTED, Planted, call, calls, tool, user

ANY_DIALECT = st.sampled_from(DIALECTS)


def errors(dialect: str, messages: list[Any], request: dict[str, Any]) -> list[str]:
    return [one.rule for one in check(dialect, messages, request=request) if one.severity == "error"]


def assert_repaired(dialect: str, messages: list[Any], target: str, request: dict[str, Any] | None = None) -> Repair:
    flags = request or {}
    given_conversation = conversation(dialect, messages, request=flags)
    done = repair(given_conversation, target)
    again = repair(replace(given_conversation, dialect=target, messages=done.messages, request=done.request), target)

    assert errors(target, done.messages, {**done.request, "mode": "serving"}) == []
    assert (again.messages, again.steps) == (done.messages, [])
    return done


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_every_case_is_repaired_for_every_target_without_a_transcript(case: Case) -> None:
    before = copy.deepcopy(case.conversation.messages)
    for target in DIALECTS:
        done = assert_repaired(case.conversation.dialect, case.conversation.messages, target, case.conversation.request)

        assert not any("transcript" in step.what for step in done.steps)
    assert case.conversation.messages == before


@pytest.mark.parametrize("planted", PLANTED, ids=lambda one: one.name)
def test_every_planted_breach_is_repaired(planted: Planted) -> None:
    for target in DIALECTS:
        done = assert_repaired(planted.dialect, planted.messages, target, planted.request)

        assert not any("transcript" in step.what for step in done.steps)


@given(mutated(chats()), ANY_DIALECT, ANY_DIALECT)
def test_a_mutated_conversation_is_repaired_for_any_target(chat: list[Any], dialect: str, target: str) -> None:
    messages = convert(chat, "openai_chat", dialect).messages

    done = assert_repaired(dialect, messages, target)

    assert not any("transcript" in step.what for step in done.steps)


@given(NEARLY_MESSAGES, REQUESTS, ANY_DIALECT, ANY_DIALECT)
def test_anything_is_repaired(messages: list[Any], request: dict[str, Any], dialect: str, target: str) -> None:
    assert_repaired(dialect, messages, target, request)


@given(chats(), ANY_DIALECT)
def test_what_is_well_formed_is_not_touched(chat: list[Any], dialect: str) -> None:
    messages = convert(chat, "openai_chat", dialect).messages
    if errors(dialect, messages, {}):
        return

    done = repair(conversation(dialect, messages))

    assert done.steps == []
    assert done.messages == messages


def test_an_open_call_is_closed_as_unknown_without_a_log() -> None:
    done = repair(conversation("openai_chat", [user(), calls(call()), user("Stop.")]))

    assert done.messages[2] == {
        "role": "tool",
        "tool_call_id": "c1",
        "content": "[no result was recorded; unknown whether the call took effect]",
    }
    assert [(step.action, step.index) for step in done.steps] == [("close", 1)]


@pytest.mark.parametrize(
    ("events", "told"),
    [
        ([{"kind": "exec_end", "call": "c1", "status": "ok", "output": "12 rows"}], "12 rows"),
        ([{"kind": "exec_start", "call": "c1"}, {"kind": "exec_killed", "call": "c1"}], "cancelled while running"),
        ([{"kind": "not_executed", "call": "c1"}], "not executed"),
        ([{"kind": "exec_start", "call": "c1"}], "unknown whether it took effect"),
    ],
)
def test_an_open_call_is_closed_as_the_log_has_it(events: list[Any], told: str) -> None:
    done = repair(conversation("openai_chat", [user(), calls(call()), user("Stop.")], events=events))

    assert told in done.messages[2]["content"]


def test_results_are_moved_in_front_of_what_was_said_meanwhile() -> None:
    done = repair(conversation("openai_chat", [user(), calls(call("a"), call("b")), tool("a"), user("Hm."), tool("b")]))

    assert [one["role"] for one in done.messages] == ["user", "assistant", "tool", "tool", "user"]
    assert [(step.action, step.index) for step in done.steps] == [("move", 4)]


def test_the_real_result_wins_over_the_placeholder() -> None:
    done = repair(
        conversation("openai_chat", [user(), calls(call()), tool(content="aborted"), tool(content="2 found")])
    )

    assert [one["content"] for one in done.messages[2:]] == ["2 found"]


def test_what_an_orphan_result_said_is_kept_as_a_message() -> None:
    done = repair(conversation("openai_chat", [user(), tool("gone", "41 crates")]))

    assert done.messages[1]["role"] == "user"
    assert "41 crates" in done.messages[1]["content"]


def test_mistral_gets_an_assistant_message_between_result_and_user() -> None:
    chat = [user(), calls(call("Ab1Cd2Ef3")), tool("Ab1Cd2Ef3"), user("Only this year.")]

    done = repair(conversation("openai_chat", chat), "mistral")

    assert [one["role"] for one in done.messages] == ["user", "assistant", "tool", "assistant", "user"]
    assert [step.action for step in done.steps] == ["bridge"]


def test_native_fields_survive_a_repair() -> None:
    message = {**calls({**call(), "extra": 1}), "reasoning_content": "Hm.", "name": "bot"}

    done = repair(conversation("openai_chat", [user(), message, user("Stop.")]))

    assert done.messages[1] == message


def test_tools_that_the_history_uses_are_defined_in_a_request_that_has_none() -> None:
    planted = next(one for one in PLANTED if (one.dialect, one.rule) == ("anthropic", "tools_required"))

    done = repair(conversation("anthropic", planted.messages, request=planted.request))

    assert done.messages == planted.messages
    assert [one["name"] for one in done.request["tools"]] == ["look"]


def test_every_step_says_what_the_model_would_believe() -> None:
    for case in CASES:
        for step in repair(case.conversation).steps:
            assert step.what
            assert step.belief
