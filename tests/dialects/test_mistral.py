import pytest

from simlab.dialects.registry import check
from tests.dialects.judged import errors, rules
from tests.dialects.planted import ID, OTHER, call, calls, says, tool, user

DIALECT = "mistral"
SYSTEM = {"role": "system", "content": "Be kind."}


@pytest.mark.parametrize(
    "messages",
    [
        [SYSTEM, SYSTEM, user(), user(), says(), says(), user()],
        [user(), calls(call(ID), call(OTHER)), tool(OTHER), tool(ID)],
        [user(), calls(call(ID), content="Looking."), tool(ID), says(), user()],
        [user(), {**says("Let me"), "prefix": True}],
        [SYSTEM],
        [user(), SYSTEM],
    ],
)
def test_what_the_published_validator_takes_raises_nothing(messages: list[object]) -> None:
    assert rules(DIALECT, *messages) == []


@pytest.mark.parametrize(
    ("before", "after"),
    [("tool", "user"), ("tool", "system"), ("assistant", "system"), ("user", "tool"), ("system", "tool")],
)
def test_some_roles_may_not_follow_each_other(before: str, after: str) -> None:
    made = {
        "user": user(),
        "assistant": says(),
        "system": SYSTEM,
        "tool": tool(ID),
    }
    opening = [user(), calls(call(ID))] if before == "tool" else [user()] if before == "assistant" else []
    found = errors(DIALECT, *opening, made[before], made[after])

    assert ("unexpected_role_order", len(opening) + 1) in found


def test_the_usual_repair_of_other_dialects_is_refused() -> None:
    closed = [user(), calls(call(ID)), tool(ID, "[cancelled]"), user("Only this year.")]

    assert errors(DIALECT, *closed) == [("unexpected_role_order", 3)]


@pytest.mark.parametrize("kind", ["test", "finetuning"])
def test_the_last_message_is_free_outside_serving(kind: str) -> None:
    found = check(DIALECT, [user(), says()], request={"mode": kind})

    assert found == []


def test_old_tokenizer_versions_look_at_less_ids_and_more_content() -> None:
    odd = [user(), calls(call("call_1"), content="Looking."), tool("call_1")]

    assert errors(DIALECT, *odd, tokenizer_version="v2") == [("content_and_calls", 1)]
    assert errors(DIALECT, *odd, tokenizer_version="v3") == [
        ("bad_id_format", 1),
        ("content_and_calls", 1),
        ("bad_id_format", 2),
    ]
