"""Google Gemini: the turn behind a call turn holds as many responses as it has calls.

Ids are often absent; then calls and responses are matched by count. The *current turn* is everything behind the last
user content that is no response. Sources: the provider's documentation and exact error texts of public reports.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from simlab.dialects import texts
from simlab.dialects.blocks import objects
from simlab.dialects.findings import Finding, Mode
from simlab.dialects.rules import Report, Rule, kind_of, show

_COUNT = (
    "Please ensure that the number of function response parts is equal to the number of function call parts of the "
    "function call turn."
)
_BEHIND = "Please ensure that function response turn comes immediately after a function call turn."

RULES: Final[Mapping[str, Rule]] = {
    "dangling_tool_call": Rule(error=_COUNT, repair=texts.CLOSE),
    "open_tail": Rule(error=_COUNT, repair=texts.WAIT, severity="info"),
    "interleaved_message": Rule(error=_BEHIND, repair=texts.MOVE_BEHIND),
    "result_count_mismatch": Rule(
        error=_COUNT, repair="Give every call of the turn its own response, also when two calls have one name."
    ),
    "orphan_tool_result": Rule(error=_BEHIND, repair=texts.DROP_ORPHAN),
    "duplicate_tool_result": Rule(error=_COUNT, repair=texts.ONE_RESULT),
    "duplicate_call_id": Rule(error=None, repair=texts.OWN_IDS),
    "reused_call_id": Rule(error=None, repair=texts.OWN_IDS, severity="warning"),
    "call_turn_position": Rule(
        error="Please ensure that function call turn comes immediately after a user turn or after a function response "
        "turn.",
        repair="Keep the user's turn in front of the call, or merge neighbouring model contents.",
    ),
    "missing_thought_signature": Rule(
        error="Function call is missing a thought_signature in functionCall parts. This is required for tools to work "
        "correctly, and missing thought_signature may lead to degraded model performance.",
        repair="Store the part's thoughtSignature (it stands beside functionCall, not inside it) and send it back.",
    ),
    "name_mismatch": Rule(
        error=None,
        repair="Name each response like the call it answers.",
        severity="warning",
    ),
    "empty_content": Rule(
        error="GenerateContentRequest.contents[{index}].parts: contents.parts must not be empty.", repair=texts.NO_EMPTY
    ),
    "partial_arguments": Rule(
        error="Invalid value at 'contents[{index}]{block}.function_call.args'", repair=texts.WHOLE_ARGUMENTS
    ),
    "misplaced_block": Rule(error=_BEHIND, repair="Put calls into model contents and responses into user contents."),
    "empty_messages": Rule(
        error="GenerateContentRequest.contents: contents is not specified", repair="Send at least one content."
    ),
    "unknown_role": Rule(error="Please use a valid role: user, model.", repair="Use user or model."),
    "malformed_message": Rule(error="Invalid value at 'contents[{index}]{block}'", repair=texts.OBJECT),
}

_PATH = ".parts[{}]"
_ROLES: Final = frozenset({"user", "model", "function"})


@dataclass(kw_only=True, slots=True)
class _Turn:
    """One content: its calls and responses as (position, object), and whether somebody says something else in it."""

    index: int
    role: str
    calls: list[tuple[int, dict[str, Any]]]
    responses: list[tuple[int, dict[str, Any]]]
    says: bool


def check(messages: Sequence[Any], request: Mapping[str, Any], mode: Mode) -> list[Finding]:
    """Check the ``contents`` of a request; ``request["model_family"]`` or ``model`` turns signatures on."""
    report = Report(RULES, mode, "contents")
    walk = _Walk(report)
    for index, content in enumerate(messages):
        walk.content(index, content)
    walk.finish()
    if not messages:
        report.add("empty_messages", None, "there is no content")
    if _signs(request):
        _signatures(report, walk.turns, messages)
    return report.sorted()


def _part(part: dict[str, Any], camel: str, snake: str) -> Any:
    return part[camel] if camel in part else part.get(snake)


class _Walk:
    """One pass over the contents; ``due`` is the call turn whose responses the next content must bring."""

    def __init__(self, report: Report) -> None:
        self.report = report
        self.turns: list[_Turn] = []
        self.due: _Turn | None = None
        self.late: _Turn | None = None
        self.between: list[int] = []
        self.seen: dict[str, int] = {}
        self.answers: dict[str, int] = {}

    def content(self, index: int, content: Any) -> None:
        if not isinstance(content, dict):
            self.report.add("malformed_message", index, f"is {kind_of(content)}, not an object")
            return
        turn = self.read(index, content)
        previous = self.turns[-1] if self.turns else None
        self.turns.append(turn)
        if turn.role == "model":
            self.model(turn, previous)
        elif turn.responses:
            self.respond(turn)
        else:
            self.say(turn)

    def read(self, index: int, content: dict[str, Any]) -> _Turn:
        role, parts = content.get("role", "user"), content.get("parts")
        if not isinstance(role, str) or role not in _ROLES:
            self.report.add("unknown_role", index, f"role is {show(role)}")
            role = "user"
        if not isinstance(parts, list):
            self.report.add("malformed_message", index, f"parts is {kind_of(parts)}", block=".parts")
        elif not parts:
            self.report.add("empty_content", index, "content without parts")
        turn = _Turn(index=index, role=role, calls=[], responses=[], says=False)
        for position, part in objects(self.report, index, parts if isinstance(parts, list) else [], _PATH):
            self.part(turn, position, part)
        return turn

    def part(self, turn: _Turn, position: int, part: dict[str, Any]) -> None:
        call = _part(part, "functionCall", "function_call")
        response = _part(part, "functionResponse", "function_response")
        path = _PATH.format(position)
        for value in (call, response):
            if value is not None and not isinstance(value, dict):
                self.report.add("malformed_message", turn.index, f"is {kind_of(value)}", block=path)
        if isinstance(call, dict):
            if turn.role != "model":
                self.report.add("misplaced_block", turn.index, f"functionCall of role {turn.role}", block=path)
            else:
                turn.calls.append((position, call))
        elif isinstance(response, dict):
            if turn.role == "model":
                self.report.add("misplaced_block", turn.index, "functionResponse of role model", block=path)
            else:
                turn.responses.append((position, response))
        else:
            turn.says = True

    def model(self, turn: _Turn, previous: _Turn | None) -> None:
        self.abandon()
        self.leave_late()
        if not turn.calls:
            return
        if previous is None or previous.role == "model":
            text = "call turn is the first content" if previous is None else "call turn behind another model turn"
            self.report.add("call_turn_position", turn.index, text, partner=previous.index if previous else None)
        for position, call in turn.calls:
            self.call(turn.index, position, call)
        self.due = turn

    def call(self, index: int, position: int, call: dict[str, Any]) -> None:
        path = _PATH.format(position)
        key = call.get("id")
        if isinstance(key, str) and key:
            earlier = self.seen.get(key)
            if earlier is not None:
                rule = "duplicate_call_id" if earlier == index else "reused_call_id"
                text = f"id {show(key)} was used by a call of content {earlier} already"
                self.report.add(rule, index, text, block=path, partner=earlier)
            self.seen[key] = index
        arguments = call.get("args")
        if arguments is not None and not isinstance(arguments, dict):
            self.report.add("partial_arguments", index, f"args is {kind_of(arguments)}", block=path)

    def say(self, turn: _Turn) -> None:
        if self.due is not None:
            self.late, self.due, self.between = self.due, None, []
        if self.late is not None:
            self.between.append(turn.index)

    def respond(self, turn: _Turn) -> None:
        calls = self.due
        if calls is None and self.late is not None:
            calls = self.late
            for index in self.between:
                text = f"stands between the call turn {calls.index} and its responses"
                self.report.add("interleaved_message", index, text, partner=calls.index)
        self.due = self.late = None
        if calls is None:
            for position, response in turn.responses:
                self.orphan(turn.index, position, response)
        else:
            self.match(calls, turn)

    def match(self, calls: _Turn, turn: _Turn) -> None:
        """Pair by id where both sides have ids, else by count."""
        if len(calls.calls) != len(turn.responses):
            text = f"{len(turn.responses)} responses for {len(calls.calls)} calls of content {calls.index}"
            self.report.add("result_count_mismatch", turn.index, text, partner=calls.index)
        open_ids = Counter(_id(call) for _, call in calls.calls)
        for position, response in turn.responses:
            self.pair(calls, turn, position, response, open_ids)
        if len(calls.calls) == len(turn.responses):
            self.names(calls, turn)
            self.unanswered(calls, turn, open_ids)

    def pair(self, calls: _Turn, turn: _Turn, position: int, response: dict[str, Any], open_ids: Counter[str]) -> None:
        key = _id(response)
        if not key or not any(open_ids) or (open_ids[""] and key not in open_ids):
            open_ids["" if open_ids[""] else key] -= 1
            return
        if open_ids[key] > 0:
            open_ids[key] -= 1
            self.answers[key] = turn.index
        elif key in open_ids or key in self.answers:
            text = f"second response for call {show(key)}"
            partner = self.answers.get(key, calls.index)
            self.report.add("duplicate_tool_result", turn.index, text, block=_PATH.format(position), partner=partner)
        else:
            self.orphan(turn.index, position, response, calls.index)

    def unanswered(self, calls: _Turn, turn: _Turn, open_ids: Counter[str]) -> None:
        if not all(_id(response) for _, response in turn.responses):
            return
        for position, call in calls.calls:
            key = _id(call)
            if key and open_ids[key] > 0:
                open_ids[key] -= 1
                text = f"call {show(key)} has no response in content {turn.index}"
                self.report.add(
                    "dangling_tool_call", calls.index, text, block=_PATH.format(position), partner=turn.index
                )

    def names(self, calls: _Turn, turn: _Turn) -> None:
        if _names(calls.calls) != _names(turn.responses):
            text = f"the names of the responses differ from the calls of content {calls.index}"
            self.report.add("name_mismatch", turn.index, text, partner=calls.index)

    def orphan(self, index: int, position: int, response: dict[str, Any], partner: int | None = None) -> None:
        key = _id(response)
        path = _PATH.format(position)
        if key and key in self.answers:
            text, earlier = f"second response for call {show(key)}", self.answers[key]
            self.report.add("duplicate_tool_result", index, text, block=path, partner=earlier)
            return
        text = f"response {show(response.get('name'))} answers no call of the content before it"
        self.report.add("orphan_tool_result", index, text, block=path, partner=partner)

    def abandon(self) -> None:
        """The model goes on although responses are due."""
        if self.due is not None:
            self.dangling(self.due)
            self.due = None

    def leave_late(self) -> None:
        if self.late is not None:
            self.dangling(self.late)
            self.late = None

    def dangling(self, turn: _Turn, rule: str = "dangling_tool_call") -> None:
        for position, call in turn.calls:
            text = f"call {show(call.get('name'))} has no response"
            self.report.add(rule, turn.index, text, block=_PATH.format(position))

    def finish(self) -> None:
        self.leave_late()
        if self.due is not None:
            self.dangling(self.due, "open_tail" if self.report.mode == "recording" else "dangling_tool_call")


def _id(holder: dict[str, Any]) -> str:
    value = holder.get("id")
    return value if isinstance(value, str) else ""


def _names(holders: list[tuple[int, dict[str, Any]]]) -> Counter[str]:
    return Counter(str(holder.get("name"))[:200] for _, holder in holders if isinstance(holder.get("name"), str))


def _signs(request: Mapping[str, Any]) -> bool:
    family = request.get("model_family") or request.get("model")
    return isinstance(family, str) and "gemini-3" in family


def _signatures(report: Report, turns: list[_Turn], messages: Sequence[Any]) -> None:
    """In the current turn the first call part of each step carries its signature."""
    start = max((place for place, turn in enumerate(turns) if turn.role != "model" and not turn.responses), default=-1)
    for turn in turns[start + 1 :]:
        if not turn.calls:
            continue
        position = turn.calls[0][0]
        part = messages[turn.index]["parts"][position]
        signature = _part(part, "thoughtSignature", "thought_signature")
        if not (isinstance(signature, str) and signature):
            inside = any(key in turn.calls[0][1] for key in ("thoughtSignature", "thought_signature"))
            text = "the first call of this step has no thoughtSignature" + (
                " (it stands inside functionCall)" if inside else ""
            )
            report.add("missing_thought_signature", turn.index, text, block=_PATH.format(position))
