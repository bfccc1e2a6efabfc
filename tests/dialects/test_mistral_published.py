"""Judge mutated conversations beside the published validator itself, where mistral-common (1.8) is installed.

The recorded run is results/dialects/mistral_common.md. Message 0 is left out of the comparison: the published counter
skips it.
"""

from importlib import import_module
from importlib.util import find_spec
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from simlab.dialects.registry import check
from tests.dialects.generators import chats, mutated

pytestmark = [
    pytest.mark.nightly,
    pytest.mark.skipif(find_spec("mistral_common") is None, reason="mistral-common is not installed"),
]


def published_error(messages: list[Any]) -> str | None:
    """Return what the published validator says in serving mode, newest rules."""
    rules = import_module("mistral_common.protocol.instruct.validator")
    try:
        rules.MistralRequestValidatorV13(mode=rules.ValidationMode.serving).validate_messages(
            [published(message) for message in messages], False
        )
    except (ValueError, import_module("mistral_common.exceptions").MistralCommonException) as error:
        return str(error)
    return None


def published(message: dict[str, Any]) -> Any:
    """Build the library's own message."""
    made = import_module("mistral_common.protocol.instruct.messages")
    if message["role"] == "user":
        return made.UserMessage(content=message["content"])
    if message["role"] == "tool":
        return made.ToolMessage(content=message["content"], tool_call_id=message.get("tool_call_id"))
    calls = import_module("mistral_common.protocol.instruct.tool_calls")
    held = [
        calls.ToolCall(id=call["id"], function=calls.FunctionCall(**call["function"]))
        for call in message.get("tool_calls", [])
    ]
    return made.AssistantMessage(content=message["content"], tool_calls=held or None)


@settings(max_examples=5000, deadline=None, suppress_health_check=list(HealthCheck))
@given(mutated(chats()))
def test_mutated_chats_are_judged_as_by_the_published_validator(messages: list[Any]) -> None:
    if messages and (messages[0]["role"] == "tool" or messages[0].get("tool_calls")):
        return
    ours = [(one.rule, one.index) for one in check("mistral", messages) if one.severity == "error"]

    theirs = published_error(messages)

    assert (ours == []) == (theirs is None), (ours, theirs)
