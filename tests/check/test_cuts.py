"""A cut is legal exactly where the kept part is accepted on its own."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simlab.check.convert import convert
from simlab.check.cuts import cuts
from simlab.dialects.registry import DIALECTS, check
from tests.dialects.generators import ANYTHING, chats
from tests.dialects.planted import (
    THINKING,
    by_model,
    by_user,
    call,
    calls,
    function_call,
    item,
    output,
    result,
    says,
    tool,
    use,
    user,
)


def accepted(dialect: str, messages: list[Any]) -> bool:
    return not any(one.severity == "error" for one in check(dialect, messages))


@given(chats(), st.sampled_from(DIALECTS))
def test_what_is_kept_behind_a_legal_cut_is_accepted(chat: list[Any], dialect: str) -> None:
    messages = convert(chat, "openai_chat", dialect).messages
    if not accepted(dialect, messages):
        return

    for index in cuts(messages, dialect):
        assert accepted(dialect, messages[index:]), index


@given(chats(), st.sampled_from(["openai_chat", "openai_responses", "compatible"]))
def test_every_other_cut_is_refused(chat: list[Any], dialect: str) -> None:
    messages = convert(chat, "openai_chat", dialect).messages
    legal = cuts(messages, dialect)

    for index in range(1, len(messages)):
        assert accepted(dialect, messages[index:]) == (index in legal), index


@pytest.mark.parametrize(
    ("dialect", "messages", "legal"),
    [
        ("openai_chat", [user(), calls(call()), tool(), says(), user()], [1, 3, 4]),
        ("openai_chat", [user(), calls(call("x")), tool("x"), calls(call("x")), tool("x"), user()], [1, 3, 5]),
        ("openai_chat", [user(), calls(call()), user()], [1, 2]),
        ("openai_responses", [item(), {"type": "reasoning", "id": "rs_1"}, function_call(id="fc_1"), output()], [1]),
        ("openai_responses", [item(), function_call(), item(), output(), item()], [1, 4]),
        ("anthropic", [user(), by_model(THINKING, use()), by_user(result()), says(), user(), says()], [4]),
        ("mistral", [user(), calls(call()), tool(), says(), user()], [3, 4]),
    ],
)
def test_cuts_of_small_conversations(dialect: str, messages: list[Any], legal: list[int]) -> None:
    assert cuts(messages, dialect) == legal


@given(st.lists(ANYTHING, max_size=6), st.sampled_from(DIALECTS))
def test_anything_has_a_list_of_cuts(messages: list[Any], dialect: str) -> None:
    assert all(0 < index < len(messages) for index in cuts(messages, dialect))
