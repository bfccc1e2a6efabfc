"""A trajectory as what is said to the model, what it replies, and what its calls return, in order."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias, assert_never

from simlab.core.messages import (
    AssistantMessage,
    Call,
    EventMessage,
    LateResultMessage,
    Mark,
    Message,
    NoticeMessage,
    PlaceholderMessage,
    ResultMessage,
    SideMessage,
)
from simlab.dialects.render import wording
from simlab.dialects.render.names import tool_name


@dataclass(frozen=True, kw_only=True, slots=True)
class Say:
    """Something said to the model. ``developer``: by the developer's voice, where the dialect has one."""

    text: str
    developer: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class Asked:
    """One call on the wire. ``arguments`` is what the model wrote."""

    id: str
    tool: str
    arguments: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Reply:
    """One assistant message. ``text`` may be empty only beside calls; a ``thinking`` of None was cut off."""

    id: str
    text: str
    calls: tuple[Asked, ...]
    thinking: str | None


@dataclass(frozen=True, kw_only=True, slots=True)
class Outcome:
    """What closes a call: its result, or a placeholder. ``failed`` is the machine's mark for "no success"."""

    id: str
    tool: str
    text: str
    failed: bool


Item: TypeAlias = Say | Reply | Outcome


def stream(trajectory: Sequence[Message], call_name: Callable[[str], str]) -> list[Item]:
    """Write every message of a trajectory; ``call_name`` writes call ids."""
    return _Stream(call_name).all(trajectory)


class _Stream:
    """``due`` holds the calls of the last reply that nothing has closed, while only results have come since."""

    def __init__(self, call_name: Callable[[str], str]) -> None:
        self.call_name = call_name
        self.tools: dict[str, str] = {}
        self.due: set[str] = set()

    def all(self, trajectory: Sequence[Message]) -> list[Item]:
        items: list[Item] = []
        for message in trajectory:
            last = items[-1] if items else None
            if isinstance(message, EventMessage) and message.mark is Mark.IN_RESULT and isinstance(last, Outcome):
                items[-1] = replace(last, text=f"{last.text}\n\n{wording.events(message)}")
                self.due.clear()
            else:
                items += self.one(message)
        return items

    def one(self, message: Message) -> Iterator[Item]:
        match message:
            case EventMessage():
                yield self.say(wording.events(message), developer=message.mark is Mark.DEVELOPER)
            case AssistantMessage():
                yield self.reply(message)
            case ResultMessage(call_id=call_id, result=result):
                yield self.outcome(call_id, wording.result(result), failed=not result.ok)
            case PlaceholderMessage(call_id=call_id):
                yield self.outcome(call_id, wording.placeholder(message, self.call_name(call_id)), failed=True)
            case LateResultMessage():
                yield self.late(message)
            case SideMessage():
                yield self.say(wording.side(message))
            case NoticeMessage():
                yield self.notice(message)
            case _:
                assert_never(message)

    def say(self, text: str, *, developer: bool = False) -> Say:
        self.due.clear()
        return Say(text=text, developer=developer)

    def reply(self, message: AssistantMessage) -> Reply:
        self.due = {call.id for call in message.calls}
        return Reply(
            id=message.id,
            text=wording.said(message),
            calls=tuple(self.asked(call) for call in message.calls),
            thinking=None if message.cut else message.thinking,
        )

    def asked(self, call: Call) -> Asked:
        self.tools[call.id] = tool_name(call.tool)
        return Asked(id=self.call_name(call.id), tool=self.tools[call.id], arguments=call.arguments)

    def outcome(self, call_id: str, text: str, *, failed: bool) -> Outcome:
        self.due.discard(call_id)
        return Outcome(id=self.call_name(call_id), tool=self.tools.get(call_id, "unknown"), text=text, failed=failed)

    def late(self, message: LateResultMessage) -> Item:
        """A late result is an event that names its call; written in its placeholder's place it is the result."""
        result = message.result
        if message.call_id in self.due:
            return self.outcome(message.call_id, wording.result(result), failed=not result.ok)
        tool = self.tools.get(message.call_id, "")
        return self.say(wording.late_result(result, self.call_name(message.call_id), tool))

    def notice(self, message: NoticeMessage) -> Item:
        text = wording.notice(message, self.call_name(message.call_id))
        if message.call_id in self.due:
            return self.outcome(message.call_id, text, failed=True)
        return self.say(text)
