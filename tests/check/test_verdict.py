from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simlab.check.verdict import judge
from simlab.core.errors import SimlabError
from simlab.dialects.findings import Mode
from simlab.dialects.registry import DIALECTS, MODES
from tests.check.cases import CASES, Case, differences
from tests.check.made import conversation
from tests.dialects.generators import NEARLY_MESSAGES, REQUESTS

NAMES = [case.name for case in CASES]


def test_there_are_cases_of_every_dialect_that_providers_have() -> None:
    assert {case.conversation.dialect for case in CASES} == set(DIALECTS) - {"compatible"}
    assert len(CASES) >= 84


@pytest.mark.parametrize("case", CASES, ids=NAMES)
def test_a_case_gets_the_providers_verdict(case: Case) -> None:
    found = judge(case.conversation, mode="request").findings

    assert differences(found, case.expect, case.accepted) == []


@pytest.mark.parametrize("case", CASES, ids=NAMES)
def test_a_case_gets_our_verdict_in_strict_mode(case: Case) -> None:
    found = judge(case.conversation, mode="strict").findings

    assert differences(found, case.strict, case.accepted) == []


@pytest.mark.parametrize("case", [case for case in CASES if case.kind == "near_miss"], ids=lambda case: case.name)
def test_a_near_miss_raises_no_error_in_any_mode(case: Case) -> None:
    for mode in ("recording", "request", "strict"):
        assert judge(case.conversation, mode=mode).valid


@pytest.mark.parametrize("case", CASES, ids=NAMES)
def test_a_case_can_be_judged_for_every_other_target(case: Case) -> None:
    for target in DIALECTS:
        for found in judge(case.conversation, target=target, mode="strict").findings:
            assert found.index is None or 0 <= found.index < len(case.conversation.messages)


@pytest.mark.parametrize("target", ["openai_chat", "anthropic", "gemini", "bedrock", "mistral", "openai_responses"])
def test_a_call_left_behind_is_found_for_every_target(target: str) -> None:
    interrupted = conversation(
        "openai_chat",
        [
            {"role": "user", "content": "Sort it."},
            {"role": "assistant", "content": None, "tool_calls": [call("Ab1Cd2Ef3")]},
            {"role": "user", "content": "Stop."},
        ],
    )

    found = judge(interrupted, target=target).findings

    assert [(one.rule, one.index) for one in found] == [("dangling_tool_call", 1)]


@pytest.mark.parametrize(
    ("target", "rule", "index"),
    [
        ("mistral", "unexpected_role_order", 3),
        ("bedrock", "role_alternation", 3),
        ("anthropic", None, None),
        ("openai_responses", None, None),
        ("gemini", None, None),
    ],
)
def test_a_rule_that_only_concerns_the_targets_shape_is_found(target: str, rule: str | None, index: int | None) -> None:
    redirected = conversation(
        "openai_chat",
        [
            {"role": "user", "content": "Search."},
            {"role": "assistant", "content": None, "tool_calls": [call("Ab1Cd2Ef3")]},
            {"role": "tool", "tool_call_id": "Ab1Cd2Ef3", "content": "12"},
            {"role": "user", "content": "Only this year."},
        ],
    )

    errors = [one for one in judge(redirected, target=target).findings if one.severity == "error"]

    assert [(one.rule, one.index) for one in errors] == ([] if rule is None else [(rule, index)])


def test_findings_for_another_target_point_at_the_messages_of_the_file() -> None:
    split = conversation(
        "anthropic",
        [
            {"role": "user", "content": "Both."},
            {"role": "assistant", "content": [tool_use("t1"), tool_use("t2")]},
            {"role": "user", "content": [tool_result("t1"), tool_result("t2")]},
            {"role": "user", "content": [tool_result("gone")]},
        ],
    )

    found = judge(split, target="openai_chat").findings

    assert [(one.rule, one.index, one.path) for one in found] == [("orphan_tool_result", 3, "messages[3]")]


def test_what_cannot_be_read_in_the_source_is_not_hidden_by_another_target() -> None:
    broken = conversation("openai_chat", [{"role": "user", "content": "Hi."}, 7])

    assert [one.rule for one in judge(broken, target="anthropic").findings] == ["malformed_message"]


def test_an_unknown_dialect_in_a_file_is_the_callers_mistake() -> None:
    with pytest.raises(SimlabError, match="no dialect 'klingon'"):
        judge(conversation("klingon", []))


def test_thinking_that_differs_from_an_earlier_snapshot_is_found() -> None:
    thought = {"type": "thinking", "thinking": "Hm.", "signature": "sig"}
    before = [{"role": "user", "content": "Plan it."}, {"role": "assistant", "content": [thought]}]
    after = [before[0], {"role": "assistant", "content": [{**thought, "thinking": "Hm!"}]}, before[0]]

    for baseline in (before, [{"messages": before}]):
        found = judge(conversation("anthropic", after, baseline=baseline)).findings

        assert [(one.rule, one.index) for one in found] == [("thinking_modified", 1)]


def test_fields_of_a_body_do_not_count_for_another_target() -> None:
    body = {"model": "gpt", "max_tokens": 9}
    chat = [
        {"role": "user", "content": "Sort it."},
        {"role": "assistant", "content": None, "tool_calls": [call("c1")]},
        {"role": "tool", "tool_call_id": "c1", "content": "sorted"},
    ]

    assert judge(conversation("openai_chat", chat, request=body), target="anthropic").findings == []


@given(NEARLY_MESSAGES, REQUESTS, st.sampled_from(DIALECTS), st.sampled_from(DIALECTS), st.sampled_from(MODES))
def test_anything_gets_a_verdict_for_any_target(
    messages: list[Any], request: dict[str, Any], dialect: str, target: str, mode: Mode
) -> None:
    verdict = judge(conversation(dialect, messages, request=request, baseline=messages), target=target, mode=mode)

    assert verdict.valid == all(one.severity != "error" for one in verdict.findings)


def test_notes_of_the_reader_are_part_of_the_verdict() -> None:
    noted = conversation("openai_chat", [{"role": "user", "content": "Hi."}], notes=["truncated_tail"])

    verdict = judge(noted)

    assert verdict.valid
    assert [one.rule for one in verdict.findings] == ["truncated_tail"]


def call(name: str) -> dict[str, object]:
    return {"id": name, "type": "function", "function": {"name": "search", "arguments": "{}"}}


def tool_use(name: str) -> dict[str, object]:
    return {"type": "tool_use", "id": name, "name": "look", "input": {}}


def tool_result(name: str) -> dict[str, object]:
    return {"type": "tool_result", "tool_use_id": name, "content": "seen"}
