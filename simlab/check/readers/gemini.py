"""Gemini: generateContent bodies, bare contents, and the checkpoints of the command line client."""

from collections.abc import Iterator
from typing import Any

from simlab.check.readers.openai import unwrapped
from simlab.check.readers.saved import NotThisFormatError, SavedConversation
from simlab.check.readers.values import object_of, objects_of

FORMAT = "gemini_contents"

_ROLES = ("user", "model", "function", None)
_CAMEL = {
    "function_call": "functionCall",
    "function_response": "functionResponse",
    "thought_signature": "thoughtSignature",
    "inline_data": "inlineData",
    "file_data": "fileData",
    "executable_code": "executableCode",
    "code_execution_result": "codeExecutionResult",
}


def is_content(value: Any) -> bool:
    """Whether a value is one content: parts without a ``type``."""
    if not isinstance(value, dict) or value.get("role") not in _ROLES or not isinstance(value.get("parts"), list):
        return False
    return not any("type" in part or "part_kind" in part for part in objects_of(value["parts"]))


def looks_like(value: Any) -> bool:
    """Whether a value is a body with contents, or a list of them."""
    contents = _contents(unwrapped(value, ("contents", "history")))
    return isinstance(contents, list) and bool(contents) and all(is_content(item) for item in contents[:8])


def _contents(body: Any) -> Any:
    if not isinstance(body, dict):
        return body
    contents = body.get("contents", body.get("history"))
    if isinstance(contents, str):
        return [{"role": "user", "parts": [{"text": contents}]}]
    return [contents] if isinstance(contents, dict) else contents


def read(value: Any, at: str | None) -> Iterator[SavedConversation]:
    """Read one body or array; snake_case keys of Python dumps become the wire's camelCase."""
    body = unwrapped(value, ("contents", "history"))
    contents = _contents(body)
    if not isinstance(contents, list):
        raise NotThisFormatError("no list 'contents' as a Gemini body has it")
    messages = [_camel_content(item) for item in contents]
    yield SavedConversation(
        format=FORMAT,
        dialect="gemini",
        messages=messages,
        request={key: item for key, item in object_of(body).items() if key not in {"contents", "history"}},
        events=[],
        baseline=None,
        notes=[],
        id=at,
        units=len(messages),
        places=[],
    )


def _camel_content(content: Any) -> Any:
    if not isinstance(content, dict) or not isinstance(content.get("parts"), list):
        return content
    return {**content, "parts": [_camel_part(part) for part in content["parts"]]}


def _camel_part(part: Any) -> Any:
    if not isinstance(part, dict) or not part.keys() & _CAMEL.keys():
        return part
    return {_CAMEL.get(key, key): item for key, item in part.items()}
