import pytest

from tests.dialects.judged import errors, rules
from tests.dialects.planted import G_SAYS, G_USER, g_call, g_response, turn

DIALECT = "gemini"
SIGNED = {**g_call(), "thoughtSignature": "s1"}


@pytest.mark.parametrize(
    "contents",
    [
        [G_USER, turn("model", g_call(), g_call()), turn("user", g_response(), g_response())],
        [G_USER, turn("model", g_call(id="a"), g_call(id="b")), turn("user", g_response(id="b"), g_response(id="a"))],
        [G_USER, turn("model", g_call(id="a")), turn("user", g_response())],
        [G_USER, turn("model", g_call()), turn("function", g_response()), G_SAYS],
        [G_USER, G_USER, G_SAYS, G_SAYS],
        [{"parts": [{"text": "Go."}]}],
        [G_USER, turn("model", {"function_call": {"name": "f"}}), turn("user", {"function_response": {"name": "f"}})],
        [G_USER, turn("model", {"text": "So."}, g_call()), turn("user", g_response(), {"text": "And?"})],
    ],
)
def test_what_the_provider_takes_raises_nothing(contents: list[object]) -> None:
    assert rules(DIALECT, *contents) == []


def test_responses_in_two_contents_are_one_too_few_and_one_too_many() -> None:
    split = [G_USER, turn("model", g_call(), g_call()), turn("user", g_response()), turn("user", g_response())]

    assert errors(DIALECT, *split) == [("result_count_mismatch", 2), ("orphan_tool_result", 3)]


def test_a_response_with_a_foreign_id_answers_nothing() -> None:
    foreign = [G_USER, turn("model", g_call(id="a")), turn("user", g_response(id="z"))]

    assert errors(DIALECT, *foreign) == [("dangling_tool_call", 1), ("orphan_tool_result", 2)]


def test_a_late_second_response_is_a_duplicate() -> None:
    late = [
        G_USER,
        turn("model", g_call(id="a")),
        turn("user", g_response(id="a")),
        G_SAYS,
        turn("user", g_response(id="a")),
    ]

    assert errors(DIALECT, *late) == [("duplicate_tool_result", 4)]


@pytest.mark.parametrize(
    ("contents", "found"),
    [
        ([G_USER, turn("model", SIGNED, g_call()), turn("user", g_response(), g_response())], []),
        ([G_USER, turn("model", g_call()), turn("user", g_response()), G_SAYS, G_USER], []),
        (
            [
                G_USER,
                turn("model", SIGNED),
                turn("user", g_response()),
                turn("model", g_call()),
                turn("user", g_response()),
            ],
            [("missing_thought_signature", 3)],
        ),
        (
            [G_USER, turn("model", {**g_call(), "thought_signature": "s"}), turn("user", g_response())],
            [],
        ),
    ],
)
def test_each_step_of_the_current_turn_is_signed(contents: list[object], found: list[tuple[str, int]]) -> None:
    assert errors(DIALECT, *contents, model_family="gemini-3") == found
    assert errors(DIALECT, *contents, model_family="gemini-2.5") == []
