"""Hypothesis generators: accepted conversations, their mutations, and any JSON at all."""

from collections.abc import Callable
from typing import Any, TypeAlias

from hypothesis import strategies as st

Message: TypeAlias = dict[str, Any]

TEXTS = st.sampled_from(["Go.", "And then?", "Stop that.", "Look at b.txt instead.", "Done."])
KEYS = st.sampled_from(
    [
        "role", "content", "tool_calls", "tool_call_id", "id", "type", "function", "name", "arguments", "parts", "text",
        "functionCall", "functionResponse", "args", "response", "toolUse", "toolResult", "toolUseId", "json", "status",
        "call_id", "output", "input", "tool_use_id", "is_error", "signature", "thinking", "summary", "function_call",
        "prefix", "thoughtSignature", "custom", "refusal",
    ]
)  # fmt: skip
WORDS = st.sampled_from(
    [
        "user", "assistant", "tool", "system", "developer", "function", "model", "message", "function_call",
        "function_call_output", "custom_tool_call", "custom_tool_call_output", "reasoning", "item_reference", "text",
        "tool_use", "tool_result", "server_tool_use", "web_search_tool_result", "thinking", "redacted_thinking",
        "input_text", "output_text", "call_1", "call_2", "Ab1Cd2Ef3", "rs_1", "", " ", "error", "{}", '{"a"',
    ]
)  # fmt: skip
SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    WORDS,
    st.text(st.characters(), max_size=8),
    st.just("\ud800"),
)


def _more(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.one_of(
        st.lists(inner, max_size=4), st.dictionaries(st.one_of(KEYS, st.text(max_size=3)), inner, max_size=6)
    )


ANYTHING = st.recursive(SCALARS, _more, max_leaves=12)
NEARLY_MESSAGES = st.lists(
    st.one_of(
        ANYTHING,
        st.fixed_dictionaries(
            {"role": st.one_of(WORDS, ANYTHING), "content": ANYTHING}, optional={"tool_calls": ANYTHING}
        ),
        st.fixed_dictionaries({"type": WORDS, "call_id": SCALARS}, optional={"output": ANYTHING, "id": SCALARS}),
        st.fixed_dictionaries(
            {"role": WORDS, "parts": st.lists(st.dictionaries(KEYS, ANYTHING, max_size=3), max_size=3)}
        ),
        st.fixed_dictionaries(
            {"role": WORDS, "content": st.lists(st.dictionaries(KEYS, ANYTHING, max_size=4), max_size=3)}
        ),
    ),
    max_size=7,
)
REQUESTS = st.one_of(
    st.just({}),
    st.dictionaries(
        st.sampled_from(
            [
                "thinking", "prefill_supported", "mid_system_supported", "model_family", "previous_response_id", "mode",
                "tokenizer_version", "thinking_conflict", "model", "tools", "modelId", "toolConfig",
            ]
        ),
        st.one_of(SCALARS, st.just({"type": "enabled"}), st.just("gemini-3-pro"), st.just("serving"), st.just("v3")),
        max_size=3,
    ),
)  # fmt: skip


def name_of_call(number: int) -> str:
    """Return an id that every dialect takes."""
    return f"Call{number:05d}"


@st.composite
def chats(draw: st.DrawFn) -> list[Message]:
    """Draw a Chat Completions conversation that every dialect accepts once it is written in its shape."""
    messages: list[Message] = []
    number = 0
    for _ in range(draw(st.integers(1, 4))):
        messages.append({"role": "user", "content": draw(TEXTS)})
        for _ in range(draw(st.integers(0, 2))):
            count = draw(st.integers(1, 3))
            names = [name_of_call(number + place) for place in range(count)]
            number += count
            messages.append(_calls(names, draw(st.sampled_from([None, "Looking."]))))
            messages += [
                {"role": "tool", "tool_call_id": name, "content": draw(TEXTS)} for name in draw(st.permutations(names))
            ]
        messages.append({"role": "assistant", "content": draw(TEXTS)})
    messages.append({"role": "user", "content": draw(TEXTS)})
    return messages


def _calls(names: list[str], content: str | None) -> Message:
    made = [{"id": name, "type": "function", "function": {"name": "look", "arguments": "{}"}} for name in names]
    return {"role": "assistant", "content": content, "tool_calls": made}


def _delete(messages: list[Any], at: int, other: int) -> list[Any]:
    return messages[:at] + messages[at + 1 :]


def _duplicate(messages: list[Any], at: int, other: int) -> list[Any]:
    return [*messages[:other], messages[at], *messages[other:]]


def _swap(messages: list[Any], at: int, other: int) -> list[Any]:
    changed = list(messages)
    changed[at], changed[other] = changed[other], changed[at]
    return changed


def _retype(messages: list[Any], at: int, other: int) -> list[Any]:
    """Give a message the role of another one; what it holds stays."""
    changed = list(messages)
    changed[at] = {**messages[at], "role": messages[other].get("role")}
    return changed


MUTATIONS: list[Callable[[list[Any], int, int], list[Any]]] = [_delete, _duplicate, _swap, _retype]


@st.composite
def mutated(draw: st.DrawFn, base: st.SearchStrategy[list[Any]]) -> list[Any]:
    """Draw one to three mutations of an accepted conversation."""
    messages = draw(base)
    for _ in range(draw(st.integers(1, 3))):
        if not messages:
            break
        places = st.integers(0, len(messages) - 1)
        messages = draw(st.sampled_from(MUTATIONS))(messages, draw(places), draw(places))
    return messages
