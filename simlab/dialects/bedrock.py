"""AWS Bedrock Converse: strict alternation, and all results of a turn in the ONE next user message.

Sources: the provider's documentation and exact error texts of public reports.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from simlab.dialects import texts
from simlab.dialects.blocks import messages_in, objects, valid_id
from simlab.dialects.findings import Finding, Mode
from simlab.dialects.pairing import Pairs
from simlab.dialects.rules import Report, Rule, kind_of, plain, show

_DANGLING = "Expected toolResult blocks at messages.{next}.content for the following Ids: {id}"
_EXCEEDS = (
    "The number of toolResult blocks at messages.{index}.content exceeds the number of toolUse blocks of previous turn."
)
_ALTERNATION = (
    "A conversation must alternate between user and assistant roles. Make sure the conversation alternates between "
    "user and assistant roles and try again."
)

RULES: Final[Mapping[str, Rule]] = {
    "dangling_tool_call": Rule(error=_DANGLING, repair=texts.CLOSE),
    "open_tail": Rule(error=_DANGLING, repair=texts.WAIT, severity="info"),
    "interleaved_message": Rule(error=_DANGLING, repair=texts.MOVE_BEHIND),
    "split_results": Rule(error=_DANGLING, repair="Put all results of the turn into the one next user message."),
    "orphan_tool_result": Rule(error=_EXCEEDS, repair=texts.DROP_ORPHAN),
    "duplicate_tool_result": Rule(error=_EXCEEDS, repair=texts.ONE_RESULT),
    "duplicate_call_id": Rule(
        error="The toolUse blocks at messages.{index}.content contain duplicate Ids: {id}", repair=texts.OWN_IDS
    ),
    "reused_call_id": Rule(error=None, repair=texts.OWN_IDS, severity="warning"),
    "missing_call_id": Rule(error="The toolUseId field at messages.{index}{block} is missing.", repair=texts.OWN_IDS),
    "bad_id_format": Rule(
        error="ValidationException: toolUseId at messages.{index}{block} must satisfy regular expression pattern: "
        "[a-zA-Z0-9_.:-]+ and have length between 1 and 64",
        repair="Rewrite the id with 1 to 64 letters, digits and _ . : - only, in the call and in its result.",
    ),
    "role_alternation": Rule(
        error=_ALTERNATION, repair="Merge neighbouring messages of one role, or put the other role's message between."
    ),
    "role_alternation:first": Rule(
        error="A conversation must start with a user message. Try again with a conversation that starts with a user "
        "message.",
        repair="Put a user message in front, or drop the leading assistant message.",
    ),
    "empty_content": Rule(
        error="The content field in the Message object at messages.{index} is empty.", repair=texts.NO_EMPTY
    ),
    "empty_content:result": Rule(
        error="The content field at messages.{index}{block}.toolResult cannot be empty when status value is error.",
        repair="Say in the result what went wrong.",
    ),
    "empty_text_block": Rule(
        error="The text field in the ContentBlock object at messages.{index}{block} is blank.", repair=texts.NO_EMPTY
    ),
    "tool_result_json": Rule(
        error="The json field at messages.{index}{block} is not an object. Provide a json object for the field and try "
        "again.",
        repair="Wrap the value in an object, or send it as text.",
    ),
    "mixed_content": Rule(
        error="Conversation blocks and tool result blocks cannot be provided in the same turn.",
        repair="Some models refuse it: put the text into a later user message.",
        severity="warning",
    ),
    "tools_required": Rule(
        error="The toolConfig field must be defined when using toolUse and toolResult content blocks.",
        repair="Send toolConfig with every request whose history uses tools.",
    ),
    "misplaced_block": Rule(
        error="{kind} blocks are not allowed in messages of role {role}",
        repair="Move the block into a message of the right role.",
    ),
    "partial_arguments": Rule(
        error="The input field at messages.{index}{block} is not an object. Provide a json object for the field and "
        "try again.",
        repair=texts.WHOLE_ARGUMENTS,
    ),
    "empty_messages": Rule(
        error="A conversation must start with a user message. Try again with a conversation that starts with a user "
        "message.",
        repair="Send at least one message.",
    ),
    "unknown_role": Rule(
        error="ValidationException: messages.{index}.role must satisfy enum value set: [user, assistant]",
        repair="Use user or assistant; system text goes into the system field.",
    ),
    "malformed_message": Rule(error="ValidationException: messages.{index}{block}", repair=texts.OBJECT),
}

_ID: Final = re.compile(r"[a-zA-Z0-9_.:-]{1,64}")
_PATH = ".content[{}]"
_REFUSES_MIX = ("llama", "mistral", "claude-3")


def check(messages: Sequence[Any], request: Mapping[str, Any], mode: Mode) -> list[Finding]:
    """Check the ``messages`` of a Converse request."""
    report = Report(RULES, mode)
    walk = _Walk(report, messages, request)
    walk.run()
    if mode != "recording" and walk.uses_tools and _is_body(request) and not request.get("toolConfig"):
        report.add("tools_required", None, "the messages use tools, the request has no toolConfig")
    return report.sorted()


def _is_body(request: Mapping[str, Any]) -> bool:
    return "toolConfig" in request or "modelId" in request


class _Walk:
    """One pass; ``called_at`` is the assistant message whose results are due in the next message."""

    def __init__(self, report: Report, messages: Sequence[Any], request: Mapping[str, Any]) -> None:
        self.report = report
        self.messages = messages
        self.family = str(request.get("model_family") or request.get("modelId") or "")[:200].lower()
        self.pairs = Pairs(report, _PATH)
        self.role: Any = None
        self.previous = -1
        self.uses_tools = False

    def run(self) -> None:
        for index, message in messages_in(self.report, self.messages):
            self.message(index, message)
        self.pairs.finish(self.messages, lambda message: isinstance(message, dict) and not _results(message))

    def message(self, index: int, message: dict[str, Any]) -> None:
        role, content = message.get("role"), message.get("content")
        found = len(self.report.findings)
        if not isinstance(content, list):
            self.report.add("malformed_message", index, f"content is {kind_of(content)}", block=".content")
        elif not content:
            self.report.add("empty_content", index, "message without content")
        blocks = list(objects(self.report, index, content if isinstance(content, list) else [], _PATH))
        if role == "assistant":
            self.assistant(index, blocks)
        elif role == "user":
            self.user(index, blocks)
        else:
            self.report.add("unknown_role", index, f"role is {show(role)}")
            self.pairs.leave(index)
        displaced = any(at == index for _, at in self.pairs.spans[-1:]) or any(
            one.rule == "split_results" for one in self.report.findings[found:]
        )
        self.alternation(index, role, displaced)
        self.role, self.previous = role, index

    def alternation(self, index: int, role: Any, displaced: bool) -> None:
        """Judge the order of roles; results that are out of place were told by a more exact rule."""
        if index == 0 and role == "assistant":
            self.report.add("role_alternation", 0, "the first message is the assistant's", variant="first")
        elif role in ("user", "assistant") and role == self.role and not displaced:
            text = f"two messages in a row with role {role}"
            self.report.add("role_alternation", index, text, partner=self.previous)

    def assistant(self, index: int, blocks: list[tuple[int, dict[str, Any]]]) -> None:
        if self.pairs.waiting:
            self.pairs.leave(index)
        if self.role != "assistant":
            self.pairs.reply()
        for position, block in blocks:
            if "toolUse" in block:
                self.tool_use(index, position, block["toolUse"])
            elif "toolResult" in block:
                self.misplaced(index, position, "toolResult", "assistant")
            self.blank(index, _PATH.format(position), block)

    def tool_use(self, index: int, position: int, call: Any) -> None:
        self.uses_tools = True
        path = _PATH.format(position)
        if not isinstance(call, dict):
            self.report.add("malformed_message", index, f"toolUse is {kind_of(call)}", block=path)
            return
        key = self.checked_id(index, path, call)
        earlier = self.pairs.seen.get(key) if key else None
        if earlier is not None:
            rule = "duplicate_call_id" if earlier == index else "reused_call_id"
            text = f"id {show(key)} was used by a call of message {earlier} already"
            self.report.add(rule, index, text, block=path, partner=earlier, values={"id": plain(key)})
        if not isinstance(call.get("input"), dict):
            text = f"input is {kind_of(call.get('input'))}, not an object"
            self.report.add("partial_arguments", index, text, block=path)
        self.pairs.call(key, index, position)

    def checked_id(self, index: int, path: str, holder: dict[str, Any]) -> str:
        value = holder.get("toolUseId")
        if value is None:
            self.report.add("missing_call_id", index, "no toolUseId", block=path)
        elif not valid_id(value, _ID):
            text = f"toolUseId {show(value)} has another form than 1 to 64 of letters, digits, _ . : -"
            self.report.add("bad_id_format", index, text, block=path)
        return value if isinstance(value, str) else ""

    def user(self, index: int, blocks: list[tuple[int, dict[str, Any]]]) -> None:
        kinds = set()
        expected = bool(self.pairs.waiting) or self.role == "assistant"
        for position, block in blocks:
            if "toolResult" in block:
                self.tool_result(index, position, block["toolResult"])
                kinds.add("toolResult")
                continue
            if "toolUse" in block:
                self.misplaced(index, position, "toolUse", "user")
            kinds.add("said")
            self.blank(index, _PATH.format(position), block)
        self.pairs.leave(index)
        if len(kinds) == 2 and expected:
            self.mixed(index)

    def mixed(self, index: int) -> None:
        refused = any(name in self.family for name in _REFUSES_MIX)
        text = "results and other content in one message"
        self.report.add("mixed_content", index, text, severity="error" if refused else None)

    def tool_result(self, index: int, position: int, result: Any) -> None:
        self.uses_tools = True
        path = _PATH.format(position)
        if not isinstance(result, dict):
            self.report.add("malformed_message", index, f"toolResult is {kind_of(result)}", block=path)
            return
        key = self.checked_id(index, path, result)
        self.result_content(index, path, result)
        if not key:
            self.pairs.answer_unnamed(index)
        elif not self.pairs.answer(key, index):
            self.out_of_place(index, path, key)

    def out_of_place(self, index: int, path: str, key: str) -> None:
        """Tell a result in a second message of results from one behind other people's messages."""
        stack = self.pairs.pending.get(key)
        call = stack[-1] if stack else None
        if call is None or call.replies != self.pairs.replies or not self.follows_results(call.index, index):
            self.pairs.stray(key, index, path)
            return
        self.pairs.take_pending(key)
        self.pairs.answers[key] = index
        text = f"result of a call in message {call.index} stands in a second message"
        values = {"id": plain(key), "next": call.index + 1}
        self.report.add("split_results", index, text, block=path, partner=call.index, values=values)

    def follows_results(self, call_index: int, index: int) -> bool:
        return self.previous > call_index and self.previous == index - 1 and _results(self.messages[self.previous])

    def result_content(self, index: int, path: str, result: dict[str, Any]) -> None:
        content = result.get("content")
        if not content and result.get("status") == "error":
            self.report.add("empty_content", index, "error result without content", block=path, variant="result")
        for position, part in enumerate(content if isinstance(content, list) else []):
            inner = f"{path}.toolResult.content[{position}]"
            if not isinstance(part, dict):
                self.report.add("malformed_message", index, f"part is {kind_of(part)}", block=inner)
                continue
            self.blank(index, inner, part)
            if "json" in part and not isinstance(part["json"], dict):
                text = f"json is {kind_of(part['json'])}, not an object"
                self.report.add("tool_result_json", index, text, block=inner)

    def blank(self, index: int, path: str, block: dict[str, Any]) -> None:
        text = block.get("text")
        if isinstance(text, str) and not text.strip():
            self.report.add("empty_text_block", index, "text block without text", block=path)
        elif "text" in block and not isinstance(text, str):
            self.report.add("malformed_message", index, f"text is {kind_of(text)}", block=path)

    def misplaced(self, index: int, position: int, kind: str, role: str) -> None:
        text = f"{kind} in a message of role {role}"
        values = {"kind": kind, "role": role}
        self.report.add("misplaced_block", index, text, block=_PATH.format(position), values=values)


def _results(message: Any) -> bool:
    content = message.get("content") if isinstance(message, dict) else None
    return isinstance(content, list) and any(isinstance(block, dict) and "toolResult" in block for block in content)
