"""ATIF trajectories (Harbor): a step of the agent holds its calls and their observations.

Source: RFC 1.4 of the trajectory format as mirrored in OpenAgentsInc/openagents, docs/atif/0001.
"""

from collections.abc import Iterator
from typing import Any

from simlab.check.readers.chat import Chat, call
from simlab.check.readers.saved import NotThisFormatError, SavedConversation
from simlab.check.readers.values import joined_text, object_of, objects_of, text_or_none

FORMAT = "atif"


def looks_like(value: Any) -> bool:
    """Whether a value is a trajectory."""
    if not isinstance(value, dict) or not isinstance(value.get("steps"), list):
        return False
    return str(value.get("schema_version", "")).upper().startswith("ATIF") or isinstance(value.get("agent"), dict)


def read(value: Any, at: str | None) -> Iterator[SavedConversation]:
    """Read a trajectory and those of its sub-agents, each a conversation of its own."""
    if not isinstance(value, dict) or not isinstance(value.get("steps"), list):
        raise NotThisFormatError("no list 'steps' as a trajectory has it")
    waiting = [value]
    while waiting:
        trajectory = waiting.pop()
        yield _conversation(trajectory, at)
        waiting.extend(reversed(objects_of(trajectory.get("subagent_trajectories"))))


def _conversation(trajectory: dict[str, Any], at: str | None) -> SavedConversation:
    chat = Chat()
    steps = objects_of(trajectory.get("steps"))
    for index, step in enumerate(steps):
        _step(chat, step, f"steps[{index}]")
    name = text_or_none(trajectory.get("trajectory_id")) or text_or_none(trajectory.get("session_id"))
    return chat.saved(fmt=FORMAT, units=len(steps), name=at or name)


def _step(chat: Chat, step: dict[str, Any], place: str) -> None:
    source = step.get("source")
    text = joined_text(step.get("message"))
    if source == "agent":
        calls = [
            call(item.get("tool_call_id"), item.get("function_name"), item.get("arguments"))
            for item in objects_of(step.get("tool_calls"))
        ]
        chat.answer(text, calls, place)
    else:
        chat.say("system" if source == "system" else "user", text, place)
    for index, result in enumerate(objects_of(object_of(step.get("observation")).get("results"))):
        if result.get("source_call_id") is not None:
            chat.result(result["source_call_id"], result.get("content"), f"{place}.observation.results[{index}]")
