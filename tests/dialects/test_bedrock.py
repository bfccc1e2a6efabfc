import pytest

from simlab.dialects.registry import check
from tests.dialects.judged import errors, rules
from tests.dialects.planted import B_SAYS, B_USER, bedrock_result, bedrock_use, by_model, by_user

DIALECT = "bedrock"


@pytest.mark.parametrize(
    "messages",
    [
        [B_USER, by_model(bedrock_use("a"), bedrock_use("b")), by_user(bedrock_result("b"), bedrock_result("a"))],
        [B_USER, by_model({"text": "So."}, bedrock_use()), by_user(bedrock_result(status="success"))],
        [B_USER, by_model({"reasoningContent": {}}, {"text": "So."}), B_USER],
        [B_USER, by_model(bedrock_use()), by_user({"toolResult": {"toolUseId": "t1", "content": []}})],
        [B_USER, by_model(bedrock_use()), by_user(bedrock_result(content=[{"json": {"a": 1}}]))],
        [B_USER, B_SAYS],
    ],
)
def test_what_the_provider_takes_raises_nothing(messages: list[object]) -> None:
    assert rules(DIALECT, *messages) == []


@pytest.mark.parametrize(("family", "refused"), [("llama3", True), ("mistral-large", True), ("claude-sonnet-4", False)])
def test_some_models_refuse_text_beside_results(family: str, refused: bool) -> None:
    mixed = [B_USER, by_model(bedrock_use()), by_user(bedrock_result(), {"text": "And?"})]

    assert (errors(DIALECT, *mixed, model_family=family) == [("mixed_content", 2)]) is refused
    assert rules(DIALECT, *mixed, model_family=family) == [("mixed_content", 2)]


def test_the_next_message_is_named_where_results_are_missing() -> None:
    found = check(DIALECT, [B_USER, by_model(bedrock_use("a")), B_USER])

    assert found[0].provider_error == "Expected toolResult blocks at messages.2.content for the following Ids: a"


def test_results_behind_a_users_message_are_told_once() -> None:
    late = [B_USER, by_model(bedrock_use()), B_USER, by_user(bedrock_result())]

    assert errors(DIALECT, *late) == [("interleaved_message", 2)]


def test_results_behind_the_models_next_turn_are_orphans() -> None:
    late = [B_USER, by_model(bedrock_use()), B_USER, B_SAYS, by_user(bedrock_result())]

    assert errors(DIALECT, *late) == [("dangling_tool_call", 1), ("orphan_tool_result", 4)]


def test_tool_config_is_only_missed_in_a_whole_body() -> None:
    messages = [B_USER, by_model(bedrock_use()), by_user(bedrock_result())]

    assert errors(DIALECT, *messages, modelId="m", toolConfig={"tools": [1]}) == []
    assert errors(DIALECT, *messages, modelId="m") == [("tools_required", None)]
