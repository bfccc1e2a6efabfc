"""OpenAI Responses: an output may stand anywhere behind its call, and is found by ``call_id``.

Sources: the provider's API reference and published client types, and exact error texts of public reports.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from simlab.dialects import texts
from simlab.dialects.findings import Finding, Mode
from simlab.dialects.openai_chat import parses_to_object
from simlab.dialects.rules import Report, Rule, kind_of, plain, show

_DANGLING = "No tool output found for {kind} call {id}."
_LONGEST_ID = 64

RULES: Final[Mapping[str, Rule]] = {
    "dangling_tool_call": Rule(error=_DANGLING, repair=texts.CLOSE),
    "open_tail": Rule(error=_DANGLING, repair=texts.WAIT, severity="info"),
    "interleaved_message": Rule(
        error=None,
        repair="Move the message behind the output: compatible endpoints want them adjacent.",
        severity="warning",
    ),
    "orphan_tool_result": Rule(
        error="No tool call found for {kind} call output with call_id {id}.", repair=texts.DROP_ORPHAN
    ),
    "duplicate_tool_result": Rule(error=None, repair=texts.ONE_RESULT),
    "duplicate_call_id": Rule(error=None, repair="Keep one of the two items.", severity="warning"),
    "reused_call_id": Rule(error=None, repair=texts.OWN_IDS, severity="warning"),
    "missing_call_id": Rule(error="Missing required parameter: 'input[{index}].call_id'.", repair=texts.OWN_IDS),
    "bad_id_format": Rule(
        error="Invalid 'input[{index}].call_id': string too long. Expected a string with maximum length 64.",
        repair="Shorten the id to 64 characters, in the call and in its output.",
    ),
    "reasoning_without_item": Rule(
        error="Item '{item}' of type 'reasoning' was provided without its required following item.",
        repair="Drop the reasoning item, or send the item that followed it.",
    ),
    "item_without_reasoning": Rule(
        error="Item '{item}' of type '{type}' was provided without its required 'reasoning' item: '{reasoning}'.",
        repair="Send the reasoning item in front of it, or strip the item ids (rs_, fc_, msg_) and keep call_id.",
    ),
    "duplicate_item_id": Rule(
        error="Duplicate item found with id {item}. Remove duplicate items from your input and try again.",
        repair="Keep one of the two items.",
    ),
    "content_type": Rule(
        error="Invalid value: '{type}'. Supported values are: {allowed}.",
        repair="Assistant messages hold output_text and refusal parts, all others input_ parts.",
    ),
    "null_content": Rule(error="Invalid value for 'content': expected a string, got null.", repair=texts.NO_EMPTY),
    "empty_messages": Rule(error="Missing required parameter: 'input'.", repair="Send at least one item."),
    "partial_arguments": Rule(error=None, repair=texts.WHOLE_ARGUMENTS),
    "unknown_role": Rule(
        error="Invalid value: {role}. Supported values are: 'assistant', 'system', 'developer', and 'user'.",
        repair="Use one of the roles of this dialect.",
    ),
    "malformed_message": Rule(error="Invalid type for 'input[{index}]{block}'.", repair=texts.OBJECT),
}

CALLS: Final[Mapping[str, str]] = {
    "function_call": "function",
    "local_shell_call": "function",
    "custom_tool_call": "custom tool",
    "shell_call": "shell",
    "apply_patch_call": "apply patch",
    "computer_call": "computer",
}
"""Item types that a client must answer, and the family in which their output is looked for."""

OUTPUTS: Final[Mapping[str, str]] = {
    "function_call_output": "function",
    "local_shell_call_output": "function",
    "custom_tool_call_output": "custom tool",
    "shell_call_output": "shell",
    "apply_patch_call_output": "apply patch",
    "computer_call_output": "computer",
}
_NO_OWNER: Final = frozenset({"reasoning", "item_reference", "compaction"})
_ROLES: Final = frozenset({"user", "assistant", "system", "developer"})
_ASSISTANT_PARTS: Final = frozenset({"output_text", "refusal"})


@dataclass(kw_only=True, slots=True)
class _Calls:
    """The calls of one family and id that one output answers; ``batch`` counts model turns."""

    places: list[int] = field(default_factory=list)
    outputs: int = 0
    batch: int = 0
    said: list[int] = field(default_factory=list)


def check(messages: Sequence[Any], request: Mapping[str, Any], mode: Mode) -> list[Finding]:
    """Check ``input`` items; ``previous_response_id`` or ``conversation`` in ``request`` may hold the calls."""
    report = Report(RULES, mode, "input")
    _Walk(report, messages, request).run()
    return report.sorted()


def check_replayed(messages: Sequence[Any], responses: Sequence[Any], mode: Mode) -> list[Finding]:
    """Find items replayed by id without the reasoning they came with, given the recorded ``responses``.

    A response is an object with ``output``: item objects, or bare ids.
    """
    report = Report(RULES, mode, "input")
    needs = _required_reasoning(responses)
    present: set[str] = set()
    for index, item in enumerate(messages):
        name = item.get("id") if isinstance(item, dict) else None
        if not isinstance(name, str):
            continue
        present.add(name)
        for reasoning in needs.get(name, ()):
            if reasoning not in present:
                values = {"item": name, "type": item.get("type"), "reasoning": reasoning}
                text = f"item {show(name)} came with reasoning {show(reasoning)}, which is not in front of it"
                report.add("item_without_reasoning", index, text, values=values)
    return report.sorted()


def _required_reasoning(responses: Sequence[Any]) -> dict[str, list[str]]:
    """Map each recorded item to the run of reasoning items that covers it."""
    needs: dict[str, list[str]] = {}
    for response in responses:
        output = response.get("output") if isinstance(response, dict) else None
        covering: list[str] = []
        fresh = True
        for item in output if isinstance(output, list) else []:
            name = item.get("id") if isinstance(item, dict) else item
            if not isinstance(name, str):
                continue
            if name.startswith("rs_") or (isinstance(item, dict) and item.get("type") == "reasoning"):
                covering = [name] if fresh else [*covering, name]
                fresh = False
            else:
                needs[name] = covering
                fresh = True
    return needs


class _Walk:
    """One pass over the items; ``batch`` counts model turns, ``answered`` says that outputs have come since."""

    def __init__(self, report: Report, messages: Sequence[Any], request: Mapping[str, Any]) -> None:
        self.report = report
        self.messages = messages
        self.chained = bool(request.get("previous_response_id") or request.get("conversation"))
        self.groups: list[tuple[str, str, _Calls]] = []
        self.latest: dict[tuple[str, str], _Calls] = {}
        self.items: dict[str, int] = {}
        self.batch = 0
        self.answered = False
        self.reasoning: tuple[int, str] | None = None
        self.talk: list[int] = []

    def run(self) -> None:
        for index, item in enumerate(self.messages):
            if isinstance(item, dict):
                self.item(index, item)
            else:
                self.report.add("malformed_message", index, f"is {kind_of(item)}, not an object")
        if not self.messages and not self.chained:
            self.report.add("empty_messages", None, "there is no item")
        self.finish()

    def item(self, index: int, item: dict[str, Any]) -> None:
        kind = item.get("type", "message")
        if not isinstance(kind, str):
            self.report.add("malformed_message", index, f"type is {kind_of(kind)}", block=".type")
            return
        repeated = self.item_id(index, item)
        self.follow(index, kind, item)
        if kind == "message":
            self.message(index, item)
        elif kind in CALLS:
            self.call(index, kind, item, repeated)
        elif kind in OUTPUTS:
            self.output(index, kind, item)

    def item_id(self, index: int, item: dict[str, Any]) -> bool:
        name = item.get("id")
        if not isinstance(name, str) or not name or item.get("type") in ("item_reference", *OUTPUTS):
            return False
        earlier = self.items.get(name)
        self.items.setdefault(name, index)
        if earlier is None:
            return False
        text = f"item id {show(name)} stands in item {earlier} already"
        self.report.add("duplicate_item_id", index, text, partner=earlier, values={"item": name[:80]})
        return True

    def follow(self, index: int, kind: str, item: dict[str, Any]) -> None:
        """Keep track of model turns, and see that reasoning is followed by what it belongs to."""
        by_model = kind not in OUTPUTS and not (kind == "message" and item.get("role") != "assistant")
        if self.reasoning is not None and kind not in _NO_OWNER:
            if not by_model:
                self.bare_reasoning(*self.reasoning)
            self.reasoning = None
        if kind == "reasoning":
            name = item.get("id")
            self.reasoning = (index, name) if isinstance(name, str) and name else None
        if kind in OUTPUTS:
            self.answered = True
        elif self.answered or not by_model:
            self.batch += 1
            self.answered = False

    def bare_reasoning(self, index: int, name: str) -> None:
        text = f"reasoning {show(name)} is not followed by the item it belongs to"
        self.report.add("reasoning_without_item", index, text, values={"item": name[:80]})

    def message(self, index: int, item: dict[str, Any]) -> None:
        role, content = item.get("role"), item.get("content")
        if not isinstance(role, str) or role not in _ROLES:
            self.report.add("unknown_role", index, f"role is {show(role)}", values={"role": show(role)})
        self.talk.append(index)
        if content is None:
            self.report.add("null_content", index, "content is null")
        elif not isinstance(content, (str, list)):
            self.report.add("malformed_message", index, f"content is {kind_of(content)}", block=".content")
        for position, part in enumerate(content if isinstance(content, list) else []):
            self.part(index, role, f".content[{position}]", part)

    def part(self, index: int, role: Any, path: str, part: Any) -> None:
        kind = part.get("type") if isinstance(part, dict) else None
        if not isinstance(kind, str):
            self.report.add("malformed_message", index, "part is no object with a type", block=path)
        elif (role == "assistant") != (kind in _ASSISTANT_PARTS):
            allowed = (
                "'output_text' and 'refusal'" if role == "assistant" else "'input_text', 'input_image', 'input_file'"
            )
            text = f"part of type {show(kind)} in a message of role {show(role)}"
            self.report.add("content_type", index, text, block=path, values={"type": kind[:40], "allowed": allowed})

    def call(self, index: int, kind: str, item: dict[str, Any], repeated: bool) -> None:
        family, name = CALLS[kind], self.call_id(index, item)
        if kind == "function_call" and self.report.mode == "strict" and not parses_to_object(item.get("arguments")):
            self.report.add("partial_arguments", index, "arguments are no JSON object: the stream was probably cut")
        if not name:
            return
        known = self.latest.get((family, name))
        if known is not None and not known.outputs:
            known.places.append(index)
            known.batch = self.batch
            if not repeated:
                self.again("duplicate_call_id", index, name, known.places[0])
            return
        if known is not None:
            self.again("reused_call_id", index, name, known.places[0])
        calls = _Calls(places=[index], batch=self.batch)
        self.latest[family, name] = calls
        self.groups.append((family, name, calls))

    def again(self, rule: str, index: int, name: str, earlier: int) -> None:
        text = f"call_id {show(name)} stands in the call of item {earlier} already"
        self.report.add(rule, index, text, partner=earlier)

    def call_id(self, index: int, item: dict[str, Any]) -> str:
        name = item.get("call_id")
        if isinstance(name, str) and name:
            if len(name) > _LONGEST_ID:
                self.report.add("bad_id_format", index, f"call_id of {len(name)} characters")
            return name
        if item.get("type") not in ("local_shell_call", "local_shell_call_output"):
            self.report.add("missing_call_id", index, f"call_id is {show(name)}")
        return ""

    def output(self, index: int, kind: str, item: dict[str, Any]) -> None:
        family, name = OUTPUTS[kind], self.call_id(index, item)
        if not name:
            return
        calls = self.latest.get((family, name))
        values = {"id": plain(name), "kind": family}
        if calls is None:
            if not self.chained:
                text = f"output for call {show(name)}, which no item before it makes"
                self.report.add("orphan_tool_result", index, text, values=values)
            return
        calls.outputs += 1
        if calls.outputs > len(calls.places):
            text = f"second output for the call of item {calls.places[0]}"
            self.report.add("duplicate_tool_result", index, text, partner=calls.places[0], values=values)
        elif self.report.mode == "strict":
            self.between(calls.places[-1], index)

    def between(self, call: int, output: int) -> None:
        """Warn of messages between a call and its output: accepted here, not by compatible endpoints."""
        while self.talk and self.talk[-1] > call:
            text = f"stands between the call of item {call} and its output"
            self.report.add("interleaved_message", self.talk.pop(), text, partner=call)

    def finish(self) -> None:
        recording = self.report.mode == "recording"
        for family, name, calls in self.groups:
            if calls.outputs:
                continue
            tail = recording and calls.batch == self.batch
            rule = "open_tail" if tail else "dangling_tool_call"
            text = f"call {show(name)} has no output"
            self.report.add(rule, calls.places[0], text, values={"id": plain(name), "kind": family})
        if self.reasoning is not None and not recording:
            self.bare_reasoning(*self.reasoning)
