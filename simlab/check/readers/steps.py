"""Assistant messages that hold a whole turn: parts in steps, call and result in one part."""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from simlab.check.readers.chat import Chat, call
from simlab.check.readers.values import object_of, objects_of


class ToolPart(NamedTuple):
    """A call and, if ``answered``, its result."""

    id: Any
    name: Any
    arguments: Any
    answered: bool
    output: Any


ToolOf = Callable[[dict[str, Any]], ToolPart | None]
"""Reads a part as a client-side tool part; ``None`` for any other part."""


def answer_in_steps(chat: Chat, parts: Any, tool_of: ToolOf, place: str) -> None:
    """Write one assistant message per step, each followed by the results of its calls."""
    for step in _steps(objects_of(parts)):
        tools = [tool for _, part in step if (tool := tool_of(part)) is not None]
        texts = [part.get("text") for _, part in step if part.get("type") == "text"]
        text = "\n".join(piece for piece in texts if isinstance(piece, str))
        chat.answer(text, [call(tool.id, tool.name, tool.arguments) for tool in tools], place)
        for tool in tools:
            if tool.answered:
                chat.result(tool.id, tool.output, place)


def _steps(parts: list[dict[str, Any]]) -> Iterator[list[tuple[int, dict[str, Any]]]]:
    step: list[tuple[int, dict[str, Any]]] = []
    for index, part in enumerate(parts):
        if part.get("type") == "step-start" and step:
            yield step
            step = []
        if part.get("type") != "step-start":
            step.append((index, part))
    if step or not parts:
        yield step


def legacy_tool(invocation: Any) -> ToolPart:
    """A ``toolInvocation`` as the AI SDK wrote it before version 5, and older opencode files still do."""
    item = object_of(invocation)
    return ToolPart(
        item.get("toolCallId"),
        item.get("toolName"),
        item.get("args"),
        item.get("state") == "result",
        item.get("result"),
    )
