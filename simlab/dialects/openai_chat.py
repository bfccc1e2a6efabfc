"""OpenAI Chat Completions: each call is answered by the ``tool`` messages directly behind it, in any order.

Sources: the provider's API reference, and the exact error texts of public reports. The walk is one pass with one
handler a role; what is rare lives in methods of its own, because a check should cost less than reading the JSON.
"""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from simlab.dialects import texts
from simlab.dialects.findings import Finding, Mode
from simlab.dialects.pairing import Key, Pairs
from simlab.dialects.rules import Report, Rule, kind_of, plain, show

_LONGEST_ID = 40
_DANGLING = (
    "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. "
    "The following tool_call_ids did not have response messages: {id}"
)

RULES: Final[Mapping[str, Rule]] = {
    "dangling_tool_call": Rule(error=_DANGLING, repair=texts.CLOSE),
    "open_tail": Rule(error=_DANGLING, repair=texts.WAIT, severity="info"),
    "interleaved_message": Rule(error=_DANGLING, repair=texts.MOVE_BEHIND),
    "orphan_tool_result": Rule(
        error="Invalid parameter: messages with role 'tool' must be a response to a preceeding message with "
        "'tool_calls'.",
        repair=texts.DROP_ORPHAN,
    ),
    "orphan_tool_result:other_id": Rule(
        error="Invalid parameter: 'tool_call_id' of '{id}' not found in 'tool_calls' of previous message.",
        repair=texts.DROP_ORPHAN,
    ),
    "duplicate_tool_result": Rule(
        error="Invalid parameter: Duplicate value for 'tool_call_id' of '{id}', in messages[{partner}] and "
        "messages[{index}].",
        repair=texts.ONE_RESULT,
    ),
    "duplicate_call_id": Rule(
        error="Duplicate value for 'tool_call_id' of {id} in message[{index}]", repair=texts.OWN_IDS
    ),
    "reused_call_id": Rule(error=None, repair=texts.OWN_IDS, severity="warning"),
    "missing_call_id": Rule(
        error="Missing required parameter: 'messages[{index}]{block}.{field}'.", repair=texts.OWN_IDS
    ),
    "bad_id_format": Rule(
        error="Invalid 'messages[{index}]{block}.{field}': string too long. Expected a string with maximum length 40, "
        "but got a string with length {length} instead.",
        repair="Shorten the id to 40 characters, in the call and in its result.",
    ),
    "null_content": Rule(
        error="Invalid value for 'content': expected a string, got null.",
        repair="Drop the message that says nothing, or store its text; null is right only beside tool_calls.",
    ),
    "empty_messages": Rule(error="[] is too short - 'messages'", repair="Send at least one message."),
    "empty_tool_calls": Rule(
        error="Invalid 'messages[{index}].tool_calls': empty array. Expected an array with minimum length 1, but got "
        "an empty array instead.",
        repair="Leave the key out when there are no calls.",
        severity="warning",
    ),
    "arguments_not_text": Rule(
        error="Invalid type for 'messages[{index}]{block}.function.arguments': expected a string, but got {kind} "
        "instead.",
        repair="Write the arguments as JSON text.",
        severity="warning",
    ),
    "unknown_role": Rule(
        error="Invalid value: {role}. Supported values are: 'system', 'assistant', 'user', 'function', 'tool', and "
        "'developer'.",
        repair="Use one of the roles of this dialect.",
    ),
    "malformed_message": Rule(error="Invalid type for 'messages[{index}]{block}'.", repair=texts.OBJECT),
    "result_as_user_text": Rule(
        error=None,
        repair="Send it as a 'tool' message with the id of its call.",
        severity="info",
    ),
    "partial_arguments": Rule(error=None, repair=texts.WHOLE_ARGUMENTS),
}

_RESULT_TEXT = re.compile(r"\s*\W?(tool|function|command)[\s_-]*(call)?\s*(output|result|response|returned)\b", re.I)
_FUNCTION = "function"


def check(
    messages: Sequence[Any],
    request: Mapping[str, Any],
    mode: Mode,
    rules: Mapping[str, Rule] = RULES,
) -> list[Finding]:
    """Check a ``messages`` array; ``rules`` lets compatible endpoints speak with their own texts and severities."""
    report = Report(rules, mode)
    _Walk(report, messages).run(messages)
    return report.sorted()


class _Walk:
    """One pass over the messages; ``talked`` is true while somebody waits for the model's reply."""

    __slots__ = ("messages", "pairs", "report", "strict", "talked")

    def __init__(self, report: Report, messages: Sequence[Any]) -> None:
        self.report = report
        self.messages = messages
        self.pairs = Pairs(report, ".tool_calls[{}]")
        self.strict = report.mode == "strict"
        self.talked = False

    def run(self, messages: Sequence[Any]) -> None:
        handlers: dict[str, Callable[[int, dict[str, Any]], None]] = {
            "user": self.say,
            "assistant": self.assistant,
            "tool": self.tool,
            "system": self.say,
            "developer": self.say,
            "function": self.function,
        }
        for index, message in enumerate(messages):
            if isinstance(message, dict):
                role = message.get("role")
                handler = handlers.get(role) if role.__class__ is str else None
                if handler is not None:
                    handler(index, message)
                else:
                    self.unknown(index, role)
            else:
                text = f"is {kind_of(message)}, not an object"
                self.report.add("malformed_message", index, text)
        self.finish(messages)

    def say(self, index: int, message: dict[str, Any]) -> None:
        if message.get("content").__class__ is not str:
            self.content(index, message)
        if self.pairs.waiting:
            self.pairs.leave(index)
        self.talked = True

    def assistant(self, index: int, message: dict[str, Any]) -> None:
        if self.pairs.waiting:
            self.pairs.leave(index)
        if self.talked:
            self.pairs.replies += 1
            self.talked = False
        calls = message.get("tool_calls")
        if calls:
            self.calls(index, message, calls)
        elif message.get("content").__class__ is not str or calls is not None or "function_call" in message:
            self.bare(index, message, calls)

    def calls(self, index: int, message: dict[str, Any], calls: Any) -> None:
        if calls.__class__ is not list:
            self.report.add("malformed_message", index, f"tool_calls is {kind_of(calls)}", block=".tool_calls")
            return
        pairs = self.pairs
        seen, waiting = pairs.seen, pairs.waiting
        for position, call in enumerate(calls):
            key = call.get("id") if call.__class__ is dict else None
            if key.__class__ is str and key and key not in seen and len(key) <= _LONGEST_ID:
                seen[key] = index
                waiting[key] = [(index, position)]
            else:
                self.odd_call(index, position, call)
            self.payload(index, position, call)
        content = message.get("content")
        if content is not None and content.__class__ is not str:
            self.content(index, message)

    def odd_call(self, index: int, position: int, call: Any) -> None:
        """Judge a call whose id is missing, too long or known already, and let it wait all the same."""
        block = f".tool_calls[{position}]"
        if not isinstance(call, dict):
            self.report.add("malformed_message", index, f"call is {kind_of(call)}, not an object", block=block)
            return
        key = call.get("id")
        if not isinstance(key, str) or not key:
            text = f"call without an id (id is {show(key)})"
            self.report.add("missing_call_id", index, text, block=block, values={"field": "id"})
            key = ""
        else:
            self.odd_id(key, index, block)
        self.pairs.call(key, index, position)

    def odd_id(self, key: str, index: int, block: str) -> None:
        values = {"id": plain(key), "field": "id", "length": len(key)}
        if len(key) > _LONGEST_ID:
            self.report.add("bad_id_format", index, f"id of {len(key)} characters", block=block, values=values)
        earlier = self.pairs.seen.get(key)
        if earlier == index:
            text = f"id {show(key)} stands twice in one message"
            self.report.add("duplicate_call_id", index, text, block=block, partner=earlier, values=values)
        elif earlier is not None:
            text = f"id {show(key)} was used by a call of message {earlier} already"
            self.report.add("reused_call_id", index, text, block=block, partner=earlier, values=values)

    def payload(self, index: int, position: int, call: Any) -> None:
        """Judge what a call carries beside its id."""
        if call.__class__ is not dict:
            return
        function = call.get("function")
        if function.__class__ is dict:
            arguments = function.get("arguments")
            if arguments.__class__ is not str or self.strict:
                self.arguments(index, f".tool_calls[{position}]", arguments)
        elif call.get("custom").__class__ is not dict:
            text = "call names neither a function nor a custom tool"
            self.report.add("malformed_message", index, text, block=f".tool_calls[{position}]")

    def arguments(self, index: int, block: str, arguments: Any) -> None:
        if not isinstance(arguments, str):
            text = f"arguments are {kind_of(arguments)}, not JSON text"
            self.report.add("arguments_not_text", index, text, block=block, values={"kind": kind_of(arguments)})
        if self.strict and not parses_to_object(arguments):
            text = "arguments are no JSON object: the stream was probably cut"
            self.report.add("partial_arguments", index, text, block=block)

    def bare(self, index: int, message: dict[str, Any], calls: Any) -> None:
        """Judge an assistant message without calls that is not simply text."""
        if calls is not None:
            if calls.__class__ is list:
                self.report.add("empty_tool_calls", index, "tool_calls is an empty array")
            else:
                self.report.add("malformed_message", index, f"tool_calls is {kind_of(calls)}", block=".tool_calls")
        function = message.get("function_call")
        if function is not None:
            self.legacy_call(index, function)
        elif message.get("content").__class__ is not str and not (message.get("refusal") or message.get("audio")):
            self.content(index, message)

    def legacy_call(self, index: int, function: Any) -> None:
        name = function.get("name") if isinstance(function, dict) else None
        if not isinstance(name, str):
            self.report.add("malformed_message", index, "function_call names no function", block=".function_call")
            return
        self.pairs.call((_FUNCTION, name), index, 0)
        if self.strict:
            self.arguments(index, ".function_call", function.get("arguments"))

    def function(self, index: int, message: dict[str, Any]) -> None:
        name = message.get("name")
        key = (_FUNCTION, name if isinstance(name, str) else "")
        if not self.pairs.answer(key, index):
            self.stray(key, index)
        self.pairs.answers.pop(key, None)

    def tool(self, index: int, message: dict[str, Any]) -> None:
        key = message.get("tool_call_id")
        pairs = self.pairs
        if key.__class__ is str and key and len(key) <= _LONGEST_ID:
            places = pairs.waiting.get(key)
            if places is not None and len(places) == 1:
                del pairs.waiting[key]
                pairs.answers[key] = index
            elif not pairs.answer(key, index):
                self.stray(key, index)
        else:
            self.odd_result(index, key)
        if message.get("content").__class__ is not str:
            self.content(index, message)

    def odd_result(self, index: int, key: Any) -> None:
        if not isinstance(key, str) or not key:
            text = f"result without the id of its call (tool_call_id is {show(key)})"
            self.report.add("missing_call_id", index, text, values={"field": "tool_call_id"})
            self.pairs.answer_unnamed(index)
            return
        values = {"field": "tool_call_id", "length": len(key)}
        self.report.add("bad_id_format", index, f"id of {len(key)} characters", values=values)
        if not self.pairs.answer(key, index):
            self.stray(key, index)

    def stray(self, key: Key, index: int) -> None:
        behind = self.messages[index - 1] if index else None
        follows_calls = isinstance(behind, dict) and (behind.get("role") == "tool" or bool(behind.get("tool_calls")))
        self.pairs.stray(key, index, "", "other_id" if follows_calls else "")

    def content(self, index: int, message: dict[str, Any]) -> None:
        """Judge content that is not a string."""
        content = message.get("content")
        if content is None:
            self.report.add("null_content", index, "content is null")
        elif not isinstance(content, list):
            self.report.add("malformed_message", index, f"content is {kind_of(content)}", block=".content")
        else:
            for position, part in enumerate(content):
                if not isinstance(part, dict):
                    block = f".content[{position}]"
                    self.report.add("malformed_message", index, f"part is {kind_of(part)}", block=block)

    def unknown(self, index: int, role: Any) -> None:
        self.report.add("unknown_role", index, f"role is {show(role)}", values={"role": show(role)})
        if self.pairs.waiting:
            self.pairs.leave(index)

    def finish(self, messages: Sequence[Any]) -> None:
        if not messages:
            self.report.add("empty_messages", None, "there is no message")
        left = self.pairs.finish(messages, lambda message: not _is_result(message))
        for at, index in {call.left_at: call.index for call in left}.items():
            said = messages[at]
            if said.get("role") == "user" and _looks_like_result(said.get("content")):
                text = f"looks like the result of a call in message {index}, given as user text"
                self.report.add("result_as_user_text", at, text, partner=index)


def parses_to_object(arguments: Any) -> bool:
    """Tell whether call arguments, as text or as a value, are an object."""
    if not isinstance(arguments, str):
        return isinstance(arguments, dict)
    try:
        return isinstance(json.loads(arguments), dict)
    except (ValueError, RecursionError):
        return False


def _is_result(message: Any) -> bool:
    return not isinstance(message, dict) or message.get("role") in ("tool", "function")


def _looks_like_result(content: Any) -> bool:
    return isinstance(content, str) and _RESULT_TEXT.match(content) is not None
