import pytest

from simlab.dialects.registry import check
from tests.dialects.judged import errors, rules
from tests.dialects.planted import THINKING, by_model, by_user, result, says, text, use, user

DIALECT = "anthropic"
SERVER = {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {}}
SEARCHED = {"type": "web_search_tool_result", "tool_use_id": "s1", "content": []}
SYSTEM = {"role": "system", "content": "Be kind."}


@pytest.mark.parametrize(
    "messages",
    [
        [user(), by_model(use("a"), use("b")), by_user(result("b"), result("a"), text())],
        [user(), by_model(use("a")), by_model(use("b")), by_user(result("a"), result("b"))],
        [user(), user(), says(), says(), user()],
        [user(), says([]), user()],
        [user(), says(""), user()],
        [user(), says("Ends in space "), user()],
        [user(), by_model(SERVER, SEARCHED, text()), user()],
        [user(), by_model(SERVER)],
        [user(), by_model(SERVER, use()), by_user(result()), by_model(SEARCHED, text()), user()],
        [user(), by_model(THINKING, text(), use()), by_user(result(content=None))],
        [user(), by_model({"type": "redacted_thinking", "data": "x"}, text()), user()],
        [by_user({"type": "image", "source": {}}, text())],
        [by_user({**text(), "cache_control": {"type": "ephemeral"}})],
    ],
)
def test_what_the_provider_takes_raises_nothing(messages: list[object]) -> None:
    assert rules(DIALECT, *messages) == []


def test_a_run_of_results_may_cross_messages_in_any_order() -> None:
    crossed = [user(), by_model(use("a"), use("b")), by_user(result("b")), by_user(result("a"), text())]

    assert rules(DIALECT, *crossed) == [("split_results", 3)]


def test_any_other_block_ends_the_run_of_results() -> None:
    ended = [user(), by_model(use("a"), use("b")), by_user(result("a"), text()), by_user(result("b"))]

    assert errors(DIALECT, *ended) == [("dangling_tool_call", 1), ("orphan_tool_result", 3)]


def test_ids_are_unique_over_the_whole_request() -> None:
    again = [user(), by_model(use()), by_user(result()), by_model(use()), by_user(result())]
    found = check(DIALECT, again)

    assert [(one.rule, one.index, one.partner) for one in found] == [("duplicate_call_id", 3, 1)]
    assert found[0].provider_error == "messages.3.content[0]: `tool_use` ids must be unique"


def test_a_tool_search_of_the_server_must_be_answered_in_its_own_message() -> None:
    assert errors(DIALECT, user(), by_model(SERVER), user()) == [("dangling_tool_call", 1)]
    assert errors(DIALECT, user(), by_model(SERVER), by_user(SEARCHED)) == [("orphan_server_tool_result", 2)]


@pytest.mark.parametrize(
    ("messages", "found"),
    [
        ([user(), SYSTEM, says(), user()], []),
        ([user(), says(), user(), SYSTEM], []),
        ([user(), SYSTEM, user()], [("system_placement", 1)]),
        ([SYSTEM, user()], [("system_placement", 0)]),
    ],
)
def test_newer_models_take_system_messages_in_some_places(messages: list[object], found: list[tuple[str, int]]) -> None:
    assert errors(DIALECT, *messages, mid_system_supported=True) == found


def test_other_models_take_no_system_message() -> None:
    assert errors(DIALECT, user(), SYSTEM, says()) == [("system_placement", 1)]


def test_thinking_is_needed_in_the_running_tool_loop_only() -> None:
    old = [user(), by_model(use("a")), by_user(result("a")), says(), user()]
    running = [*old, by_model(use("b")), by_user(result("b"))]

    assert rules(DIALECT, *old, thinking={"type": "enabled"}) == []
    assert rules(DIALECT, *running, thinking={"type": "enabled"}) == [("missing_thinking", 5)]
    assert rules(DIALECT, *running, thinking={"type": "disabled"}) == []
    assert errors(DIALECT, *running, thinking={"type": "enabled"}, thinking_conflict="error") == [
        ("missing_thinking", 5)
    ]


def test_the_end_of_a_recording_is_not_judged_as_a_request() -> None:
    for last in (says("Let me "), by_model(THINKING)):
        assert errors(DIALECT, user(), last, mode="recording", prefill_supported=False) == []
        assert len(errors(DIALECT, user(), last)) == 1


def test_the_order_of_blocks_in_a_recording_is_a_warning_unless_the_turn_lacks_a_result() -> None:
    late = [user(), by_model(use()), by_user(text(), result())]
    lacking = [user(), by_model(use(), use("t2")), by_user(text(), result())]

    assert rules(DIALECT, *late, mode="recording") == [("content_before_result", 2)]
    assert errors(DIALECT, *late, mode="recording") == []
    assert rules(DIALECT, *lacking, mode="recording") == [("dangling_tool_call", 1)]


def test_tools_are_only_missed_in_a_whole_body() -> None:
    messages = [user(), by_model(use()), by_user(result())]

    assert errors(DIALECT, *messages, thinking={"type": "disabled"}) == []
    assert errors(DIALECT, *messages, model="m", max_tokens=9, tools=[{"name": "look"}]) == []
    assert errors(DIALECT, *messages, model="m", max_tokens=9) == [("tools_required", None)]
