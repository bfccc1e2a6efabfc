import pytest

from simlab.check.causes import CAUSES, OTHER_TEXTS
from simlab.check.explain import explain
from simlab.dialects.registry import RULES
from simlab.dialects.rules import fill

TEXTS = [
    (dialect, name.partition(":")[0], rule.error)
    for dialect, rules in RULES.items()
    for name, rule in rules.items()
    if rule.error is not None and name != "open_tail"
]
VALUES = {
    "id": "call_7", "index": 7, "block": ".content[2]", "partner": 6, "kind": "tool", "role": "'user'", "field": "id",
    "length": 51, "item": "fc_1", "type": "input_text", "reasoning": "rs_1", "next": 8, "name": "look",
    "before": "'tool'", "allowed": "'output_text'",
}  # fmt: skip


@pytest.mark.parametrize(("dialect", "rule", "error"), TEXTS, ids=lambda value: str(value)[:40])
def test_a_providers_text_is_traced_back_to_its_rule_and_dialect(dialect: str, rule: str, error: str) -> None:
    found = explain(f"Error code: 400 - {fill(error, VALUES)} (request id 12)")

    meanings = {(one.dialect, name) for one in found for name in (one.rule, *one.also)}
    same_text = {other for other, _, text in TEXTS if text == error}
    assert any(name == rule and other in same_text for other, name in meanings), meanings


@pytest.mark.parametrize(("dialect", "rule", "error"), OTHER_TEXTS)
def test_texts_of_frameworks_and_older_versions_are_known(dialect: str, rule: str, error: str) -> None:
    found = explain(f"raised: {fill(error, VALUES)}")

    assert (dialect, rule) in {(one.dialect, one.rule) for one in found}


CLAUDE_CODE = (
    'API Error: 400 {"type":"error","error":{"type":"invalid_request_error","message":"messages.61: `tool_use` ids '
    "were found without `tool_result` blocks immediately after: toolu_01Gv. Each `tool_use` block must have a "
    'corresponding `tool_result` block in the next message."}}'
)
OPENAI = (
    "openai.BadRequestError: Error code: 400 - {'error': {'message': \"An assistant message with 'tool_calls' must be "
    "followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response "
    "messages: call_9xA\", 'type': 'invalid_request_error', 'param': 'messages.[3].role', 'code': None}}"
)
DASHSCOPE = (
    '<400> InternalError.Algo.InvalidParameter: An assistant message with "tool_calls" must be followed by tool '
    'messages responding to each "tool_call_id". The following tool_call_ids did not have response messages: '
    "message[5].role"
)
CODEX = "No tool call found for function call output with call_id call_Qm2."
REASONING = "Item 'rs_68af' of type 'reasoning' was provided without its required following item."
BEDROCK = "ValidationException: Expected toolResult blocks at messages.4.content for the following Ids: tooluse_Zk"
GEMINI = "400 Bad Request: Please ensure that function response turn comes immediately after a function call turn."
MISTRAL = '{"object":"error","message":"Unexpected role \'user\' after role \'tool\'","code":"3230"}'
PASTED = [
    (CLAUDE_CODE, ("anthropic", "dangling_tool_call", 61, ["toolu_01Gv"])),
    (OPENAI, ("openai_chat", "dangling_tool_call", 3, ["call_9xA"])),
    (DASHSCOPE, ("openai_chat", "dangling_tool_call", 5, [])),
    (CODEX, ("openai_responses", "orphan_tool_result", None, ["call_Qm2"])),
    (REASONING, ("openai_responses", "reasoning_without_item", None, ["rs_68af"])),
    (BEDROCK, ("bedrock", "dangling_tool_call", 4, ["tooluse_Zk"])),
    (GEMINI, ("gemini", "interleaved_message", None, [])),
    (MISTRAL, ("mistral", "unexpected_role_order", None, [])),
]


@pytest.mark.parametrize(("pasted", "meaning"), PASTED, ids=[meaning[0] + "-" + meaning[1] for _, meaning in PASTED])
def test_a_pasted_error_gives_rule_place_and_ids(pasted: str, meaning: tuple[str, str, int | None, list[str]]) -> None:
    dialect, rule, index, ids = meaning
    one = next(one for one in explain(pasted) if one.dialect == dialect)

    assert rule in (one.rule, *one.also)
    assert (one.index, one.ids) == (index, ids)
    assert one.fix


def test_the_usual_causes_are_told() -> None:
    (one,) = explain("`tool_use` ids were found without `tool_result` blocks immediately after: toolu_1.")

    assert any("interrupted" in cause for cause in one.causes)
    assert set(CAUSES) <= {name.partition(":")[0] for rules in RULES.values() for name in rules}


def test_curly_quotes_and_line_breaks_of_chat_windows_are_no_hindrance() -> None:
    found = explain("messages: first message must use\n the \u201cuser\u201d role")

    assert [(one.dialect, one.rule) for one in found] == [("anthropic", "first_message_role")]


@pytest.mark.parametrize("text", ["", "It does not work.", "HTTP 500", "{" * 50_000, "messages." * 10_000])
def test_what_is_no_known_error_has_no_meaning(text: str) -> None:
    assert explain(text) == []
