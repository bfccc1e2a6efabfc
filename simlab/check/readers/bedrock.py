"""AWS Bedrock Converse request bodies and bare arrays: blocks named by their key, not by a ``type``."""

from collections.abc import Iterator
from typing import Any

from simlab.check.readers.openai import unwrapped
from simlab.check.readers.saved import NotThisFormatError, SavedConversation
from simlab.check.readers.values import object_of, objects_of, word

FORMAT = "bedrock_converse"

_BLOCKS = {"text", "toolUse", "toolResult", "reasoningContent", "image", "document", "cachePoint", "guardContent"}


def _is_message(value: Any) -> bool:
    if not isinstance(value, dict) or word(value, "role") not in {"user", "assistant"}:
        return False
    blocks = objects_of(value.get("content"))
    return bool(blocks) and all("type" not in block and block.keys() & _BLOCKS for block in blocks)


def looks_like(value: Any) -> bool:
    """Whether a value is a Converse body or an array of its messages."""
    body = unwrapped(value, ("messages",))
    messages = body.get("messages") if isinstance(body, dict) else body
    return any(_is_message(item) for item in objects_of(messages)[:8])


def read(value: Any, at: str | None) -> Iterator[SavedConversation]:
    """Read one body or array; the rest of the body goes into ``request``."""
    body = unwrapped(value, ("messages",))
    messages = body.get("messages") if isinstance(body, dict) else body
    if not isinstance(messages, list):
        raise NotThisFormatError("no list 'messages' as a Converse body has it")
    yield SavedConversation(
        format=FORMAT,
        dialect="bedrock",
        messages=messages,
        request={key: item for key, item in object_of(body).items() if key != "messages"},
        events=[],
        baseline=None,
        notes=[],
        id=at,
        units=len(messages),
        places=[],
    )
