"""Messages that instrumentations wrote as one flat attribute a field, before there was a convention.

``gen_ai.prompt.0.role`` and ``gen_ai.completion.0.content`` of OpenLLMetry (traceloop/openllmetry), and
``llm.input_messages.0.message.role`` of OpenInference (Arize-ai/openinference). Both become messages of the newer
form, ``role`` and ``parts``.
"""

from typing import Any, NamedTuple

from simlab.check.readers.values import text_or_none


class _Prefix(NamedTuple):
    given: str
    said: str
    message: str
    call: str


_OPENLLMETRY = _Prefix("gen_ai.prompt.", "gen_ai.completion.", "", "")
_OPENINFERENCE = _Prefix("llm.input_messages.", "llm.output_messages.", "message.", "tool_call.")


def flat_messages(attributes: dict[str, Any]) -> tuple[list[Any], list[Any]]:
    """The messages that a model call was given, and what it said."""
    for prefix in (_OPENLLMETRY, _OPENINFERENCE):
        given = _messages(attributes, prefix.given, prefix)
        said = _messages(attributes, prefix.said, prefix)
        if given or said:
            return given, said
    return [], []


def _messages(attributes: dict[str, Any], start: str, prefix: _Prefix) -> list[Any]:
    found = _numbered(attributes, start)
    return [_message(_without(fields, prefix.message), prefix) for _, fields in sorted(found.items())]


def _numbered(attributes: dict[str, Any], start: str) -> dict[int, dict[str, Any]]:
    """Group ``<start><number>.<rest>`` by number."""
    found: dict[int, dict[str, Any]] = {}
    for key, value in attributes.items():
        if key.startswith(start):
            number, _, rest = key[len(start) :].partition(".")
            if number.isascii() and number.isdigit() and len(number) < 7:
                found.setdefault(int(number), {})[rest] = value
    return found


def _without(fields: dict[str, Any], prefix: str) -> dict[str, Any]:
    return {key.removeprefix(prefix): value for key, value in fields.items()}


def _message(fields: dict[str, Any], prefix: _Prefix) -> dict[str, Any]:
    role = text_or_none(fields.get("role")) or "assistant"
    content = fields.get("content")
    if role == "tool" or "tool_call_id" in fields:
        part = {"type": "tool_call_response", "id": fields.get("tool_call_id"), "response": content}
        return {"role": "tool", "parts": [part]}
    parts: list[dict[str, Any]] = [] if content in (None, "") else [{"type": "text", "content": content}]
    for _, item in sorted(_numbered(fields, "tool_calls.").items()):
        call = _without(_without(item, prefix.call), "function.")
        parts.append({"type": "tool_call", **{key: call.get(key) for key in ("id", "name", "arguments")}})
    return {"role": role, "parts": parts}
