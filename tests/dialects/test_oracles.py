"""A random mutation of an accepted conversation is either still valid by a second reading, or reported."""

import itertools
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from simlab.check.convert import convert
from simlab.dialects.registry import check
from tests.dialects.generators import Message, chats, mutated
from tests.dialects.oracles import anthropic_accepts, chat_accepts, mistral_accepts


def errors(dialect: str, messages: list[Any]) -> list[tuple[str, int | None]]:
    return [(one.rule, one.index) for one in check(dialect, messages) if one.severity == "error"]


@st.composite
def anthropic_turns(draw: st.DrawFn) -> list[Message]:
    """Draw accepted Anthropic messages, some with results split over messages and text behind the results."""
    messages = convert(draw(chats()), "openai_chat", "anthropic").messages
    split: list[Message] = []
    for message in messages:
        content = message["content"]
        if isinstance(content, list) and len(content) > 1 and draw(st.booleans()):
            cut = draw(st.integers(1, len(content) - 1))
            split += [{**message, "content": content[:cut]}, {**message, "content": content[cut:]}]
        else:
            split.append(message)
    return split


@st.composite
def shaken_blocks(draw: st.DrawFn) -> list[Message]:
    """Draw Anthropic messages with mutated messages, and with blocks moved, doubled or dropped inside and between."""
    messages = draw(mutated(anthropic_turns()))
    for _ in range(draw(st.integers(0, 2))):
        held = [place for place, one in enumerate(messages) if isinstance(one["content"], list) and one["content"]]
        if not held:
            break
        source, target = draw(st.sampled_from(held)), draw(st.sampled_from(held))
        block = draw(st.sampled_from(messages[source]["content"]))
        kept = [one for one in messages[source]["content"] if one is not block or draw(st.booleans())]
        messages = [*messages[:source], {**messages[source], "content": kept}, *messages[source + 1 :]]
        into = list(messages[target]["content"])
        into.insert(draw(st.integers(0, len(into))), block)
        messages = [*messages[:target], {**messages[target], "content": into}, *messages[target + 1 :]]
    return messages


@given(chats())
def test_made_conversations_are_accepted(messages: list[Message]) -> None:
    assert chat_accepts(messages)
    assert mistral_accepts(messages) or any(
        one["role"] == "tool" and two["role"] == "user" for one, two in itertools.pairwise(messages)
    )
    assert errors("openai_chat", messages) == []
    assert errors("compatible", messages) == []


@given(anthropic_turns())
def test_made_anthropic_conversations_are_accepted(messages: list[Message]) -> None:
    assert anthropic_accepts(messages)
    assert errors("anthropic", messages) == []


@given(mutated(chats()))
def test_a_mutated_chat_is_judged_as_by_the_second_reading(messages: list[Message]) -> None:
    assert (errors("openai_chat", messages) == []) == chat_accepts(messages), errors("openai_chat", messages)


@given(mutated(chats()))
def test_a_mutated_mistral_chat_is_judged_as_by_the_published_validator(messages: list[Message]) -> None:
    assert (errors("mistral", messages) == []) == mistral_accepts(messages), errors("mistral", messages)


@given(shaken_blocks())
def test_shaken_anthropic_messages_are_judged_as_by_the_second_reading(messages: list[Message]) -> None:
    assert (errors("anthropic", messages) == []) == anthropic_accepts(messages), errors("anthropic", messages)


@given(mutated(chats()))
def test_every_incomplete_call_of_a_chat_is_named(messages: list[Message]) -> None:
    found = check("openai_chat", messages)
    named = {one.index for one in found} | {one.partner for one in found}

    for place, message in enumerate(messages):
        called = [call["id"] for call in message.get("tool_calls", [])] if message["role"] == "assistant" else []
        behind = []
        for other in messages[place + 1 :]:
            if other["role"] != "tool":
                break
            behind.append(other.get("tool_call_id"))
        if sorted(called) != sorted(map(str, behind)) and called:
            assert place in named or any(index in named for index in range(place, place + len(behind) + 1))
