"""Anthropic Messages: calls are answered by the run of ``tool_result`` blocks that directly follows the turn.

Neighbouring messages of one role are one turn here (documented: they are combined), so the run of results may cross
message borders; any other block ends it. Sources: the provider's documentation, exact error texts of public reports,
and two public measurements of the live service.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from simlab.dialects import anthropic_tail
from simlab.dialects.anthropic_rules import RULES
from simlab.dialects.blocks import block_type, blocks_of, messages_in, objects, valid_id
from simlab.dialects.findings import Finding, Mode, Severity
from simlab.dialects.pairing import Pairs
from simlab.dialects.rules import Report, kind_of, plain, show

__all__ = ["RULES", "check"]

_ID: Final = re.compile(r"[a-zA-Z0-9_-]+")
_PATH = ".content[{}]"
_SAID: Final = frozenset({"text", "thinking", "redacted_thinking"})
_SERVER_CALLS: Final = frozenset({"server_tool_use", "mcp_tool_use"})


def check(messages: Sequence[Any], request: Mapping[str, Any], mode: Mode) -> list[Finding]:
    """Check a ``messages`` array; flags of ``request`` change verdicts (thinking, prefill, system messages, tools)."""
    report = Report(RULES, mode)
    walk = _Walk(report, messages, request)
    walk.run()
    anthropic_tail.check(report, messages, request)
    if mode != "recording" and walk.uses_tools and _is_body(request) and not request.get("tools"):
        report.add("tools_required", None, "the messages use tools, the request defines none")
    return _without_echoes(report) if mode == "recording" else report.sorted()


def _without_echoes(report: Report) -> list[Finding]:
    """In a recording, leave out the order of a turn's results where a call of the turn has none at all."""
    dangling = {one.index for one in report.findings if one.rule == "dangling_tool_call"}
    return [one for one in report.sorted() if one.rule != "content_before_result" or one.partner not in dangling]


def _is_body(request: Mapping[str, Any]) -> bool:
    """A whole request body says so by its required fields; a few flags alone say nothing about ``tools``."""
    return "tools" in request or ("model" in request and "max_tokens" in request)


def _in_a_recording(report: Report) -> Severity | None:
    """The order of blocks matters when they are sent; in a recording call and result are there all the same."""
    return "warning" if report.mode == "recording" else None


class _Walk:
    """One pass: ``role`` is the turn that goes on, ``broken`` the place of the block that ended the run of results."""

    def __init__(self, report: Report, messages: Sequence[Any], request: Mapping[str, Any]) -> None:
        self.report = report
        self.messages = messages
        self.request = request
        self.pairs = Pairs(report, _PATH)
        self.role = ""
        self.broken: tuple[int, int] | None = None
        self.results_at: set[int] = set()
        self.latest_result_at: int | None = None
        self.called_at: int | None = None
        self.server: dict[str, tuple[int, int, str]] = {}
        self.uses_tools = False

    def run(self) -> None:
        for index, message in messages_in(self.report, self.messages):
            self.message(index, message)
        self.pairs.finish(self.messages, self.intrudes)
        self.leave_server(at_end=True)

    def intrudes(self, message: Any) -> bool:
        return isinstance(message, dict) and not any(
            block_type(block) == "tool_result" for block in blocks_of(message.get("content"))
        )

    def message(self, index: int, message: dict[str, Any]) -> None:
        role = message.get("role")
        if index == 0 and role == "assistant":
            self.report.add("first_message_role", 0, "the first message is the assistant's")
        content = message.get("content")
        if not isinstance(content, (str, list)) and (content is not None or role != "assistant"):
            self.report.add("malformed_message", index, f"content is {kind_of(content)}", block=".content")
        blocks = list(objects(self.report, index, blocks_of(content), _PATH))
        if role == "assistant":
            self.assistant(index, blocks)
        elif role == "user":
            self.user(index, content, blocks)
        else:
            self.other(index, role)
        self.role = role if isinstance(role, str) else ""
        for position, block in blocks:
            self.empty_text(index, content, f"{_PATH.format(position)}", block)

    def assistant(self, index: int, blocks: list[tuple[int, dict[str, Any]]]) -> None:
        if self.role != "assistant":
            self.begin_turn(index)
        for position, block in blocks:
            kind = block_type(block)
            if kind == "tool_use":
                self.tool_use(index, position, block)
            elif kind in _SERVER_CALLS:
                self.server_call(index, position, block)
            elif kind.endswith("_tool_result"):
                self.server_result(index, position, block, kind)
            elif kind == "tool_result":
                self.misplaced(index, position, kind, "user")
            else:
                self.said(index, position, block, kind)

    def begin_turn(self, index: int) -> None:
        if self.pairs.waiting:
            self.pairs.leave(index)
        if self.role:
            self.leave_server(at_end=False)
        if self.role == "user" and self.broken is not None:
            self.pairs.reply()
        self.broken = None
        self.results_at = set()
        self.latest_result_at = None
        self.called_at = None

    def said(self, index: int, position: int, block: dict[str, Any], kind: str) -> None:
        block_path = _PATH.format(position)
        if kind == "thinking" and not (isinstance(block.get("signature"), str) and block["signature"]):
            self.report.add("unsigned_thinking", index, "thinking block without a signature", block=block_path)
        if kind in _SAID and self.called_at == index:
            text = f"{kind} stands behind a tool_use of the same message"
            self.report.add("content_after_tool_use", index, text, block=block_path)
        elif kind in _SAID and self.pairs.waiting:
            text = f"{kind} message between a tool_use and its result"
            self.report.add("interleaved_message", index, text, block=block_path, partner=self.called_at)
            self.called_at = index

    def tool_use(self, index: int, position: int, block: dict[str, Any]) -> None:
        self.uses_tools = True
        self.called_at = index
        path = _PATH.format(position)
        key = self.checked_id(index, path, block, "id", "tool_use")
        earlier = self.pairs.seen.get(key)
        if key and earlier is not None:
            text = f"id {show(key)} was used by a call of message {earlier} already"
            self.report.add("duplicate_call_id", index, text, block=path, partner=earlier)
        if not isinstance(block.get("input"), dict):
            text = f"input is {kind_of(block.get('input'))}, not an object"
            self.report.add("partial_arguments", index, text, block=path)
        self.pairs.call(key, index, position)

    def checked_id(self, index: int, path: str, block: dict[str, Any], field: str, kind: str) -> str:
        """Return the id of a call or result, an empty one when it is no text, and report its form."""
        value = block.get(field)
        values = {"field": f"{kind}.{field}"}
        if value is None:
            self.report.add("missing_call_id", index, f"{kind} without {field}", block=path, values=values)
        elif not valid_id(value, _ID):
            text = f"{field} {show(value)} has another form than letters, digits, _ and -"
            self.report.add("bad_id_format", index, text, block=path, values=values)
        return value if isinstance(value, str) else ""

    def user(self, index: int, content: Any, blocks: list[tuple[int, dict[str, Any]]]) -> None:
        if content in ("", []):
            self.report.add("empty_user_content", index, "user message without content")
        for position, block in blocks:
            kind = block_type(block)
            if kind == "tool_result":
                self.tool_result(index, position, block)
                continue
            if kind == "tool_use" or kind in _SERVER_CALLS:
                self.misplaced(index, position, kind, "assistant")
            elif kind.endswith("_tool_result"):
                self.server_result(index, position, block, kind)
            self.end_run(index, position)

    def end_run(self, index: int, position: int) -> None:
        """A block that is no result ends the run; the calls that still wait are left behind."""
        if self.broken is None:
            self.broken = (index, position)
        if self.pairs.waiting:
            self.pairs.leave(index)

    def tool_result(self, index: int, position: int, block: dict[str, Any]) -> None:
        self.uses_tools = True
        path = _PATH.format(position)
        key = self.checked_id(index, path, block, "tool_use_id", "tool_result")
        if not key:
            self.pairs.answer_unnamed(index)
        elif self.pairs.answer(key, index):
            if self.latest_result_at not in (None, index):
                text = f"results of one turn in message {self.latest_result_at} and here"
                self.report.add("split_results", index, text, block=path, partner=self.latest_result_at)
        else:
            self.out_of_place(index, path, key)
        self.results_at.add(index)
        self.latest_result_at = index

    def out_of_place(self, index: int, path: str, key: str) -> None:
        stack = self.pairs.pending.get(key)
        call = stack[-1] if stack else None
        current = call is not None and call.replies == self.pairs.replies and self.broken is not None
        if call is None or not current or self.broken is None:
            self.pairs.stray(key, index, path)
        elif self.broken[0] == index:
            self.pairs.take_pending(key)
            self.pairs.answers[key] = index
            text = f"result stands behind content[{self.broken[1]}]; results come first"
            severity = _in_a_recording(self.report)
            self.report.add("content_before_result", index, text, block=path, partner=call.index, severity=severity)
        elif self.broken[0] in self.results_at:
            self.pairs.take_pending(key)
            self.pairs.answers[key] = index
            self.pairs.too_late(call, index, path)
        else:
            self.pairs.stray(key, index, path)

    def server_call(self, index: int, position: int, block: dict[str, Any]) -> None:
        path = _PATH.format(position)
        key = self.checked_id(index, path, block, "id", block_type(block))
        self.server[key] = (index, position, show(block.get("name")))

    def server_result(self, index: int, position: int, block: dict[str, Any], kind: str) -> None:
        key = block.get("tool_use_id")
        if isinstance(key, str) and self.server.pop(key, None) is not None and self.role_of(index) == "assistant":
            return
        text = f"{kind} for {show(key)}, which no server tool call before it in this turn has"
        values = {"id": plain(key), "kind": kind}
        self.report.add("orphan_server_tool_result", index, text, block=_PATH.format(position), values=values)

    def role_of(self, index: int) -> Any:
        return self.messages[index].get("role")

    def leave_server(self, *, at_end: bool) -> None:
        """Report server calls without result, except in a turn that a client call or the end of the record paused."""
        paused = self.called_at is not None or (at_end and self.role == "assistant")
        if paused:
            return
        for key, (index, position, name) in self.server.items():
            text = f"server tool call {show(key)} ({name}) has no result in its own message"
            block = _PATH.format(position)
            self.report.add("dangling_tool_call", index, text, block=block, values={"id": plain(key)}, variant="server")
        self.server.clear()

    def misplaced(self, index: int, position: int, kind: str, role: str) -> None:
        values = {"kind": kind, "role": role}
        text = f"{kind} belongs into a message of role {role}"
        self.report.add("misplaced_block", index, text, block=_PATH.format(position), values=values)

    def other(self, index: int, role: Any) -> None:
        if role != "system":
            self.report.add("unknown_role", index, f"role is {show(role)}", values={"role": show(role)})
        elif not self.pairs.waiting or not self.answered_later(index):
            self.system(index)
        self.end_run(index, 0)

    def answered_later(self, index: int) -> bool:
        """Tell whether the message behind brings results, so that this one stands between call and result."""
        behind = self.messages[index + 1] if index + 1 < len(self.messages) else None
        return isinstance(behind, dict) and not self.intrudes(behind)

    def system(self, index: int) -> None:
        """Judge a system message inside ``messages``: newer models only, and not everywhere."""
        if self.request.get("mid_system_supported") is not True:
            self.report.add("system_placement", index, "role system inside messages", variant="unsupported")
            return
        behind = self.messages[index + 1] if index + 1 < len(self.messages) else None
        if index == 0:
            self.report.add("system_placement", index, "the first message is a system message", variant="first")
        elif behind is not None and not (isinstance(behind, dict) and behind.get("role") == "assistant"):
            self.report.add("system_placement", index, "a system message that no assistant message follows")

    def empty_text(self, index: int, content: Any, path: str, block: dict[str, Any]) -> None:
        if content == "":
            return
        kind = block_type(block)
        inner = block.get("content")
        if kind == "tool_result" and isinstance(inner, list):
            for position, part in enumerate(inner):
                if block_type(part) == "text":
                    self.empty_text(index, inner, f"{path}.content[{position}]", part)
        if kind == "text":
            self.text(index, path, block.get("text"))

    def text(self, index: int, path: str, text: Any) -> None:
        if not isinstance(text, str):
            self.report.add("malformed_message", index, f"text is {kind_of(text)}", block=path)
        elif not text:
            self.report.add("empty_text_block", index, "text block without text", block=path)
        elif text.isspace():
            self.report.add("whitespace_text_block", index, "text block of whitespace only", block=path)
