import pytest

from simlab.core.errors import SimlabError
from simlab.dialects.registry import DIALECTS, RULES, check
from tests.dialects.planted import NEED_A_BASELINE, PLANTED, Planted


def test_every_rule_of_every_dialect_has_a_planted_breach() -> None:
    written = {(dialect, rule) for dialect, rules in RULES.items() for rule in rules}
    planted = {(one.dialect, one.rule) for one in PLANTED}

    assert written - planted == NEED_A_BASELINE
    assert planted <= written


@pytest.mark.parametrize("planted", PLANTED, ids=lambda one: one.name)
def test_a_planted_breach_is_reported_at_its_place_and_alone(planted: Planted) -> None:
    found = check(planted.dialect, planted.messages, request=planted.request, mode=planted.mode)

    name = planted.rule.partition(":")[0]
    assert planted.at in [one.index for one in found if one.rule == name]
    assert {one.rule for one in found} - planted.also == {name}


@pytest.mark.parametrize("planted", PLANTED, ids=lambda one: one.name)
def test_a_finding_carries_what_people_search_for(planted: Planted) -> None:
    for one in check(planted.dialect, planted.messages, request=planted.request, mode=planted.mode):
        assert one.message
        assert one.repair
        assert one.path is None or one.path.startswith(("messages[", "input[", "contents["))
        assert (one.path is None) == (one.index is None)
        assert one.provider_error is None or "{" not in one.provider_error


@pytest.mark.parametrize("dialect", DIALECTS)
def test_findings_come_in_the_order_of_the_messages(dialect: str) -> None:
    found = check(dialect, [None, {"role": "robot"}, 3, {"role": "user"}, {"parts": 4}])

    assert [one.index for one in found] == sorted(one.index for one in found if one.index is not None)


def test_an_open_tail_is_legal_in_a_recording_and_refused_as_a_request() -> None:
    for planted in (one for one in PLANTED if one.rule == "open_tail"):
        in_request = check(planted.dialect, planted.messages)
        errors = {one.rule for one in in_request if one.severity == "error"}

        assert errors == {"dangling_tool_call"}, planted.dialect
        assert all(one.severity == "info" for one in check(planted.dialect, planted.messages, mode="recording"))


def test_a_request_may_say_that_it_is_a_recording() -> None:
    tail = next(one for one in PLANTED if one.rule == "open_tail")

    found = check(tail.dialect, tail.messages, request={"mode": "recording"})

    assert [one.rule for one in found] == ["open_tail"]


def test_ids_used_again_are_errors_in_strict_mode_only() -> None:
    for planted in (one for one in PLANTED if one.rule == "reused_call_id" and one.dialect != "compatible"):
        assert all(one.severity == "warning" for one in check(planted.dialect, planted.messages))
        strict = check(planted.dialect, planted.messages, mode="strict")
        assert {one.rule for one in strict if one.severity == "error"} == {"reused_call_id"}, planted.dialect


def test_unknown_names_are_the_callers_mistake() -> None:
    with pytest.raises(SimlabError, match="no dialect 'claude'; known: openai_chat"):
        check("claude", [])
    with pytest.raises(SimlabError, match="no mode 'loose'; known: recording, request, strict"):
        check("openai_chat", [], mode="loose")  # type: ignore[arg-type]


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("messages", [None, "text", {"role": "user"}, 7])
def test_a_conversation_that_is_no_array_is_a_finding(dialect: str, messages: object) -> None:
    found = check(dialect, messages)  # type: ignore[arg-type]

    assert [(one.rule, one.severity, one.index) for one in found] == [("malformed_message", "error", None)]
