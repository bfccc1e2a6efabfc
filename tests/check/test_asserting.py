import pytest

from simlab.check.asserting import assert_well_formed
from simlab.core.errors import SimlabError
from tests.dialects.planted import call, calls, says, tool, user

INTERRUPTED = [user(), calls(call("Ab1Cd2Ef3")), user("Stop.")]
REDIRECTED = [user(), calls(call("Ab1Cd2Ef3")), tool("Ab1Cd2Ef3"), user("Only this year.")]


def test_a_well_formed_conversation_passes() -> None:
    assert_well_formed(REDIRECTED)
    assert_well_formed(REDIRECTED[:2], mode="recording")


def test_the_failure_text_is_the_report() -> None:
    with pytest.raises(AssertionError) as failure:
        assert_well_formed(INTERRUPTED, target="openai_chat")

    assert "1 error for openai_chat (request, 3 messages)" in str(failure.value)
    assert "dangling_tool_call at messages[1].tool_calls[0]" in str(failure.value)


def test_each_target_that_refuses_is_told() -> None:
    with pytest.raises(AssertionError, match="1 error for mistral") as failure:
        assert_well_formed(REDIRECTED, target=["openai_chat", "mistral"])

    assert "openai_chat" not in str(failure.value)


def test_flags_of_the_request_count() -> None:
    with pytest.raises(AssertionError, match="prefill_unsupported"):
        assert_well_formed([user(), says()], target="anthropic", request={"prefill_supported": False})


def test_an_unknown_target_is_the_callers_mistake() -> None:
    with pytest.raises(SimlabError, match="no dialect 'gpt'"):
        assert_well_formed([], target="gpt")
