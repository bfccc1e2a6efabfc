"""Mistral: a fixed order of roles, ids of nine characters, results counted until the next assistant message.

Source: ``validator.py`` of mistral-common (Apache-2.0), which publishes the rules and most error texts.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from simlab.dialects import texts
from simlab.dialects.findings import Finding, Mode
from simlab.dialects.openai_chat import parses_to_object
from simlab.dialects.pairing import Pairs
from simlab.dialects.rules import Report, Rule, kind_of, plain, show

_COUNT = "Not the same number of function calls and responses"
_BAD_ID = "Tool call id was {id} but must be a-z, A-Z, 0-9, with a length of 9."
_ORDER = "Unexpected role {role} after role {before}"

RULES: Final[Mapping[str, Rule]] = {
    "dangling_tool_call": Rule(error=_COUNT, repair=texts.CLOSE),
    "open_tail": Rule(error=_COUNT, repair=texts.WAIT, severity="info"),
    "interleaved_message": Rule(error=_ORDER, repair=texts.MOVE_BEHIND),
    "orphan_tool_result": Rule(error="Unexpected tool call id {id} in tool results", repair=texts.DROP_ORPHAN),
    "duplicate_tool_result": Rule(error="Duplicate tool call id {id} in tool results", repair=texts.ONE_RESULT),
    "duplicate_call_id": Rule(error="Duplicate tool call id {id} in assistant message", repair=texts.OWN_IDS),
    "reused_call_id": Rule(error=None, repair=texts.OWN_IDS, severity="warning"),
    "missing_call_id": Rule(error="Tool call id has to be defined.", repair=texts.OWN_IDS),
    "bad_id_format": Rule(error=_BAD_ID, repair="Give call and result an id of exactly nine letters and digits."),
    "unexpected_role_order": Rule(
        error=_ORDER,
        repair="Let an assistant message stand between a tool message and the user's next message (a bridge).",
    ),
    "last_message_role": Rule(
        error="Expected last role User or Tool (or Assistant with prefix True) for serving but got {role}",
        repair="End with a user or tool message, or mark the assistant message with prefix: true.",
    ),
    "prefix_not_last": Rule(
        error="Assistant message with prefix True must be last message", repair="Drop the prefix flag of old messages."
    ),
    "first_message_role": Rule(
        error="Conversation must start with a user message or system message", repair="Put a user message in front."
    ),
    "first_call_uncounted": Rule(
        error=_COUNT,
        repair="Put a user message in front: the published counter of calls skips message 0, but counts its results.",
    ),
    "content_and_calls": Rule(
        error="Assistant message must have either content or tool_calls, but not both.",
        repair="Older tokenizer versions take either text or calls: move the text into a message of its own.",
    ),
    "empty_content": Rule(
        error="Assistant message must have either content or tool_calls, but not both.", repair=texts.NO_EMPTY
    ),
    "bad_tool_name": Rule(
        error="Function name was {name} but must be a-z, A-Z, 0-9, or contain underscores and dashes, with a maximum "
        "length of 64.",
        repair="Rename the function: 1 to 64 letters, digits, _ and -.",
    ),
    "null_content": Rule(error="Input should be a valid string", repair=texts.NO_EMPTY),
    "partial_arguments": Rule(error=None, repair=texts.WHOLE_ARGUMENTS),
    "empty_messages": Rule(error="Conversation must have at least one message", repair="Send at least one message."),
    "unknown_role": Rule(error="Unsupported message type {role}", repair="Use system, user, assistant or tool."),
    "malformed_message": Rule(error="Input should be a valid dictionary", repair=texts.OBJECT),
}

_ID: Final = re.compile(r"[a-zA-Z0-9]{9}")
_NAME: Final = re.compile(r"[a-zA-Z0-9_-]{1,64}")
_MAY_FOLLOW: Final[Mapping[str, frozenset[str]]] = {
    "system": frozenset({"user", "assistant", "system"}),
    "user": frozenset({"assistant", "system", "user"}),
    "assistant": frozenset({"assistant", "user", "tool"}),
    "tool": frozenset({"assistant", "tool"}),
}
_NEWEST = 13


def check(messages: Sequence[Any], request: Mapping[str, Any], mode: Mode) -> list[Finding]:
    """Check a ``messages`` array.

    ``request["mode"]`` may be ``serving``, ``test`` or ``finetuning``; ``tokenizer_version`` (1 to 13, newest by
    default) relaxes what older versions do not look at.
    """
    report = Report(RULES, mode)
    _Walk(report, messages, request).run()
    return report.sorted()


def _version(request: Mapping[str, Any]) -> int:
    found = re.search(r"\d{1,3}", str(request.get("tokenizer_version") or "")[:20])
    return int(found.group()) if found else _NEWEST


def _is_tool(messages: Sequence[Any]) -> bool:
    return any(isinstance(message, dict) and message.get("role") == "tool" for message in messages)


def takes_text_or_calls(request: Mapping[str, Any]) -> bool:
    """Tell whether the request's tokenizer version takes an assistant's text or its calls, never both."""
    return _version(request) <= 3


class _Walk:
    """One pass; ``before`` is the role of the message before."""

    def __init__(self, report: Report, messages: Sequence[Any], request: Mapping[str, Any]) -> None:
        self.report = report
        self.messages = messages
        self.version = _version(request)
        self.text_or_calls = takes_text_or_calls(request)
        self.serving = report.mode != "recording" and request.get("mode") not in ("test", "finetuning")
        self.pairs = Pairs(report, ".tool_calls[{}]")
        self.before = ""
        self.talked = False

    def run(self) -> None:
        for index, message in enumerate(self.messages):
            role = message.get("role") if isinstance(message, dict) else None
            if not isinstance(message, dict):
                self.report.add("malformed_message", index, f"is {kind_of(message)}, not an object")
            elif not isinstance(role, str) or role not in _MAY_FOLLOW:
                self.report.add("unknown_role", index, f"role is {show(role)}", values={"role": show(role)})
                self.pairs.leave(index)
            else:
                self.message(index, message, role)
        self.finish()

    def message(self, index: int, message: dict[str, Any], role: str) -> None:
        if role == "tool":
            self.tool(index, message)
        else:
            if self.pairs.waiting:
                self.pairs.leave(index)
            if role == "assistant":
                self.assistant(index, message)
            else:
                self.talked = True
                self.content(index, message.get("content"))
        if self.before and role not in _MAY_FOLLOW[self.before]:
            text = f"role {role} directly behind role {self.before}"
            values = {"role": f"'{role}'", "before": f"'{self.before}'"}
            self.report.add("unexpected_role_order", index, text, partner=index - 1, values=values)
        self.before = role

    def content(self, index: int, content: Any) -> None:
        if content is None:
            self.report.add("null_content", index, "content is null")
        elif not isinstance(content, (str, list)):
            self.report.add("malformed_message", index, f"content is {kind_of(content)}", block=".content")
        elif isinstance(content, list) and not all(isinstance(part, dict) for part in content):
            self.report.add("malformed_message", index, "content holds parts that are no objects", block=".content")

    def assistant(self, index: int, message: dict[str, Any]) -> None:
        if self.talked:
            self.pairs.reply()
            self.talked = False
        calls, content = message.get("tool_calls"), message.get("content")
        if calls is not None and not isinstance(calls, list):
            self.report.add("malformed_message", index, f"tool_calls is {kind_of(calls)}", block=".tool_calls")
        elif calls:
            self.calls(index, calls)
            if content and self.text_or_calls:
                self.report.add("content_and_calls", index, "text beside calls")
        elif not content:
            self.report.add("empty_content", index, "neither content nor calls")
        if content is not None:
            self.content(index, content)
        if message.get("prefix") and index < len(self.messages) - 1:
            self.report.add("prefix_not_last", index, "prefix is set on a message that is not the last")

    def calls(self, index: int, calls: list[Any]) -> None:
        if index == 0 and _is_tool(self.messages[1:2]):
            text = "the published validator does not count calls in message 0, and refuses their results"
            self.report.add("first_call_uncounted", index, text)
        for position, call in enumerate(calls):
            path = f".tool_calls[{position}]"
            if not isinstance(call, dict) or not isinstance(call.get("function"), dict):
                self.report.add("malformed_message", index, "call without a function", block=path)
            if isinstance(call, dict):
                self.call(index, position, path, call)

    def call(self, index: int, position: int, path: str, call: dict[str, Any]) -> None:
        key = self.checked_id(index, path, call.get("id"))
        earlier = self.pairs.seen.get(key) if key else None
        if earlier is not None:
            rule = "duplicate_call_id" if earlier == index else "reused_call_id"
            text = f"id {show(key)} was used by a call of message {earlier} already"
            self.report.add(rule, index, text, block=path, partner=earlier, values={"id": plain(key)})
        function = call.get("function")
        if isinstance(function, dict):
            self.name(index, path, function.get("name"))
            if self.report.mode == "strict" and not parses_to_object(function.get("arguments")):
                self.report.add("partial_arguments", index, "arguments are no JSON object", block=path)
        self.pairs.call(key, index, position)

    def name(self, index: int, path: str, name: Any) -> None:
        if not isinstance(name, str) or _NAME.fullmatch(name) is None:
            text = f"function name {show(name)}"
            self.report.add("bad_tool_name", index, text, block=path, values={"name": plain(name)})

    def checked_id(self, index: int, path: str, key: Any) -> str:
        if self.version < 3:
            return key if isinstance(key, str) else ""
        if key is None:
            self.report.add("missing_call_id", index, "no id", block=path)
        elif not isinstance(key, str) or _ID.fullmatch(key) is None:
            text = f"id {show(key)} is not nine letters and digits"
            self.report.add("bad_id_format", index, text, block=path, values={"id": plain(key)})
        return key if isinstance(key, str) else ""

    def tool(self, index: int, message: dict[str, Any]) -> None:
        key = self.checked_id(index, "", message.get("tool_call_id"))
        if message.get("name") is not None:
            self.name(index, "", message.get("name"))
        if not key and self.pairs.waiting:
            self.pairs.answer_unnamed(index)
        elif not self.pairs.answer(key, index) and (key or self.version < 3):
            self.pairs.stray(key, index, "")
        self.content(index, message.get("content"))

    def finish(self) -> None:
        if not self.messages:
            self.report.add("empty_messages", None, "there is no message")
        self.pairs.finish(self.messages, lambda one: isinstance(one, dict) and one.get("role") != "tool")
        last = self.messages[-1] if self.messages else None
        if len(self.messages) == 1 and self.before in ("assistant", "tool"):
            self.report.add("first_message_role", 0, f"the only message is of role {self.before}")
            return
        if not self.serving or not isinstance(last, dict) or last.get("role") != "assistant":
            return
        if not last.get("prefix") and not (isinstance(last.get("tool_calls"), list) and last["tool_calls"]):
            text = "an assistant message without prefix ends the conversation"
            self.report.add("last_message_role", len(self.messages) - 1, text, values={"role": "assistant"})
