"""OpenAI: Chat Completions arrays, bodies, responses and fine-tuning lines; Responses bodies and items."""

from collections.abc import Iterator
from typing import Any

from simlab.check.readers.saved import NotThisFormatError, SavedConversation
from simlab.check.readers.values import object_of, objects_of, text_or_none, word

CHAT = "openai_chat"
RESPONSES = "openai_responses"

ROLES = {"system", "developer", "user", "assistant", "tool", "function"}
_ENVELOPES = ("body", "request", "response", "input")
LOCAL_ITEMS = {
    "function_call",
    "custom_tool_call",
    "local_shell_call",
    "shell_call",
    "apply_patch_call",
    "computer_call",
}
ITEM_TYPES = (
    LOCAL_ITEMS | {f"{kind}_output" for kind in LOCAL_ITEMS} | {"reasoning", "tool_search_call", "tool_search_output"}
)
_UNCOUNTED = {
    "reasoning",
    "compaction",
    "item_reference",
    "web_search_call",
    "file_search_call",
    "code_interpreter_call",
    "image_generation_call",
    "mcp_call",
    "mcp_list_tools",
    "mcp_approval_request",
    "mcp_approval_response",
}


def unwrapped(value: Any, keys: tuple[str, ...]) -> Any:
    """The body inside the envelopes that batch files and proxies put around it."""
    for _ in range(3):
        if not isinstance(value, dict) or any(key in value for key in keys):
            return value
        value = next((value[key] for key in _ENVELOPES if isinstance(value.get(key), dict)), value)
    return value


def is_chat_message(value: Any) -> bool:
    """Whether a value is one message of a Chat Completions conversation."""
    return isinstance(value, dict) and word(value, "role") in ROLES and ("content" in value or "tool_calls" in value)


def looks_like_chat(value: Any) -> bool:
    """Whether a value is a body, a response or an array of Chat Completions messages."""
    if isinstance(value, list):
        return any(is_chat_message(item) for item in value[:8])
    body = object_of(unwrapped(value, ("messages", "choices")))
    if objects_of(body.get("choices")):
        return "message" in objects_of(body["choices"])[0]
    messages = body.get("messages")
    return isinstance(messages, list) and (not messages or any(is_chat_message(item) for item in messages[:8]))


def read_chat(value: Any, at: str | None) -> Iterator[SavedConversation]:
    """Read one body, response or array."""
    messages, request = _chat_parts(unwrapped(value, ("messages", "choices")))
    yield SavedConversation(
        format=CHAT,
        dialect="openai_chat",
        messages=messages,
        request=request,
        events=[],
        baseline=None,
        notes=[],
        id=at or text_or_none(request.get("id")),
        units=len(messages),
        places=[],
    )


def _chat_parts(body: Any) -> tuple[list[Any], dict[str, Any]]:
    if isinstance(body, list):
        return body, {}
    body = object_of(body)
    if isinstance(body.get("messages"), list):
        return body["messages"], {key: item for key, item in body.items() if key != "messages"}
    choices = [choice["message"] for choice in objects_of(body.get("choices")) if "message" in choice]
    if choices:
        return choices[:1], {key: item for key, item in body.items() if key != "choices"}
    raise NotThisFormatError("no list 'messages' as a Chat Completions body has it")


def is_item(value: Any) -> bool:
    """Whether a value is an item that only the Responses API knows."""
    return isinstance(value, dict) and word(value, "type") in ITEM_TYPES


def looks_like_responses(value: Any) -> bool:
    """Whether a value is a Responses body, a response, or an array of items."""
    if isinstance(value, list):
        return any(is_item(item) or _is_typed_message(item) for item in value[:64])
    body = object_of(unwrapped(value, ("input", "output", "messages")))
    if isinstance(body.get("output"), list):
        return body.get("object") == "response" or any(
            is_item(item) or _is_typed_message(item) for item in body["output"]
        )
    given = body.get("input")
    if not given or isinstance(given, str):
        return "model" in body and isinstance(given, str | list)
    return isinstance(given, list) and any(_is_input(item) for item in given[:8])


def _is_input(value: Any) -> bool:
    return is_item(value) or (isinstance(value, dict) and "role" in value)


def _is_typed_message(value: Any) -> bool:
    return isinstance(value, dict) and value.get("type") == "message" and "role" in value


def read_responses(value: Any, at: str | None) -> Iterator[SavedConversation]:
    """Read one body, response object or array of items."""
    items, request = _responses_parts(unwrapped(value, ("input", "output")))
    yield saved_items(RESPONSES, items, request, at or text_or_none(request.get("id")))


def saved_items(fmt: str, items: list[Any], request: dict[str, Any], name: str | None) -> SavedConversation:
    """Make a conversation of Responses items."""
    return SavedConversation(
        format=fmt,
        dialect="openai_responses",
        messages=items,
        request=request,
        events=[],
        baseline=None,
        notes=[],
        id=name,
        units=sum(counts_as_unit(item) for item in items),
        places=[],
    )


def counts_as_unit(item: Any) -> bool:
    """Whether an item is counted: not reasoning, not a hosted tool's own record."""
    return word(object_of(item), "type") not in _UNCOUNTED


def _responses_parts(body: Any) -> tuple[list[Any], dict[str, Any]]:
    if isinstance(body, list):
        return body, {}
    body = object_of(body)
    given = body.get("input")
    if isinstance(given, str):
        given = [{"role": "user", "content": given}]
    output = body.get("output")
    if not isinstance(given, list) and not isinstance(output, list):
        raise NotThisFormatError("no list 'input' or 'output' as a Responses body has it")
    items = (given if isinstance(given, list) else []) + (output if isinstance(output, list) else [])
    return items, {key: item for key, item in body.items() if key not in {"input", "output"}}
