from typing import Any

from simlab.dialects.anthropic_baseline import check
from tests.dialects.planted import THINKING, by_model, says, text, user

BEFORE: list[Any] = [user("Plan it."), by_model(THINKING, text())]


def rules(messages: list[Any], **request: Any) -> list[tuple[str, int | None]]:
    return [(one.rule, one.index) for one in check(messages, BEFORE, request, "request")]


def test_thinking_sent_back_byte_for_byte_is_accepted() -> None:
    assert rules([*BEFORE, user("Go on.")]) == []


def test_changed_thinking_of_the_latest_assistant_message_is_refused() -> None:
    changed = [BEFORE[0], by_model({**THINKING, "thinking": "Hm!"}, text()), user("Go on.")]

    assert rules(changed) == [("thinking_modified", 1)]


def test_thinking_left_out_is_not_modified() -> None:
    assert rules([BEFORE[0], by_model(text()), user("Go on.")]) == []


def test_thinking_of_an_older_message_may_change() -> None:
    older = [BEFORE[0], by_model({**THINKING, "thinking": "Hm!"}, text()), user("Go on."), says()]

    assert rules(older) == []


def test_preserved_thinking_is_bound_to_what_stood_before_it() -> None:
    edited = [user("Plan something else."), BEFORE[1], user("Go on.")]

    assert rules(edited) == []
    assert rules(edited, preserved_thinking=True) == [("thinking_prefix_changed", 1)]
