"""Rewriting keeps what was said, called and answered, defects included, and invents none."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simlab.check.convert import convert
from simlab.check.shapes import read
from simlab.dialects.registry import DIALECTS, check
from tests.dialects.generators import NEARLY_MESSAGES, chats, mutated
from tests.dialects.planted import by_user, call, calls, result, says, text, tool, user

ANY = st.sampled_from(DIALECTS)
SHAPE_ONLY = {
    "role_alternation", "unexpected_role_order", "last_message_role", "first_message_role", "call_turn_position",
    "first_call_uncounted",
}  # fmt: skip
"""Rules about the order of roles, which other formats do not have."""


def facts(dialect: str, messages: list[Any]) -> list[tuple[str, str, str]]:
    kinds = ("user", "assistant", "call", "result")
    entries = [entry for entry in read(dialect, messages) if entry.kind in kinds and (entry.text or entry.key)]
    return [(entry.kind, entry.key, entry.text) for entry in entries]


@given(chats(), ANY, ANY)
def test_nothing_is_lost_or_invented(chat: list[Any], first: str, second: str) -> None:
    once = convert(chat, "openai_chat", first).messages
    twice = convert(once, first, second).messages

    assert facts(first, once) == facts("openai_chat", chat)
    assert facts(second, twice) == facts("openai_chat", chat)


@given(chats(), ANY)
def test_a_well_formed_conversation_breaks_no_rule_of_pairing_elsewhere(chat: list[Any], target: str) -> None:
    messages = convert(chat, "openai_chat", target).messages

    assert {one.rule for one in check(target, messages) if one.severity == "error"} <= SHAPE_ONLY


@given(mutated(chats()), st.sampled_from(["anthropic", "bedrock", "gemini", "openai_responses"]))
def test_calls_and_results_without_their_half_are_found_in_every_format(chat: list[Any], target: str) -> None:
    lonely = {"dangling_tool_call", "orphan_tool_result"}
    ids = [one["id"] for message in chat for one in message.get("tool_calls") or []]
    answers = [message["tool_call_id"] for message in chat if message["role"] == "tool" and "tool_call_id" in message]
    unanswered = set(ids) - set(answers)
    if not unanswered or not any(message["role"] == "assistant" for message in chat):
        return
    readable = {entry.key for entry in read("openai_chat", chat) if entry.kind == "call"}
    if not unanswered <= readable:
        return

    found = {one.rule for one in check(target, convert(chat, "openai_chat", target).messages)}

    assert found & (lonely | {"result_count_mismatch"})


@given(NEARLY_MESSAGES, ANY, ANY)
def test_anything_can_be_rewritten(messages: list[Any], source: str, target: str) -> None:
    written = convert(messages, source, target)

    assert len(written.messages) == len(written.origins)
    assert all(-1 <= origin < len(messages) for origin in written.origins)


@pytest.mark.parametrize("target", ["anthropic", "bedrock", "gemini"])
def test_leading_system_text_has_a_place_of_its_own(target: str) -> None:
    chat = [{"role": "system", "content": "Be kind."}, {"role": "developer", "content": "Be brief."}, user(), says()]

    written = convert(chat, "openai_chat", target)

    assert written.origins == [2, 3]


def test_parallel_results_share_the_message_that_other_formats_want() -> None:
    chat = [user(), calls(call("a"), call("b")), tool("b"), tool("a"), user("More.")]

    written = convert(chat, "openai_chat", "bedrock")

    assert [len(message["content"]) for message in written.messages] == [1, 2, 2, 1]
    assert written.origins == [0, 1, 2, 4]


def test_text_behind_results_becomes_a_message_of_its_own() -> None:
    written = convert([user(), by_user(result("a"), text("More."))], "anthropic", "openai_chat")

    assert [message["role"] for message in written.messages] == ["user", "tool", "user"]
    assert written.origins == [0, 1, 1]


def test_formats_of_one_shape_are_passed_through() -> None:
    chat = [user(), {"role": "assistant", "content": "So.", "reasoning_content": "Hm."}]

    assert convert(chat, "openai_chat", "mistral").messages == chat
