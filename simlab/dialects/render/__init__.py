"""Write a trajectory in a provider's wire format, as the request with which the model would be called on it.

One pass turns the trajectory into what is said, replied and returned (``stream``), in words that say truthfully what is
known (``wording``); one writer a wire shape turns that into messages. Nothing is mended on the way: a call that a
strategy left open is open on the wire too, and the dialect's own rules report it.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, TypeAlias

from simlab.core.errors import SimlabError
from simlab.core.messages import AssistantMessage, Message
from simlab.dialects.render import anthropic, bedrock, chat, gemini, responses, wording
from simlab.dialects.render.names import call_namer, tool_name
from simlab.dialects.render.stream import Item, Reply, Say, stream

Writer: TypeAlias = Callable[[Sequence[Item], bool], list[dict[str, Any]]]
Tools: TypeAlias = Callable[[Sequence[str]], dict[str, Any]]

_WRITERS: Final[Mapping[str, tuple[Writer, Tools]]] = {
    "openai_chat": (chat.write_openai, chat.tools),
    "compatible": (chat.write_compatible, chat.tools),
    "mistral": (chat.write_mistral, chat.tools),
    "openai_responses": (responses.write, responses.tools),
    "anthropic": (anthropic.write, anthropic.tools),
    "gemini": (gemini.write, gemini.tools),
    "bedrock": (bedrock.write, bedrock.tools),
}
_THINKING: Final[Mapping[str, Mapping[str, Any]]] = {
    "anthropic": {"thinking": {"type": "enabled", "budget_tokens": 1024}, "thinking_conflict": "error"},
    "gemini": {"model_family": "gemini-3"},
}


@dataclass(frozen=True, kw_only=True, slots=True)
class Rendered:
    """A request: ``messages`` in the dialect's shape and the other fields that count for its rules."""

    dialect: str
    messages: list[dict[str, Any]]
    request: dict[str, Any] = field(default_factory=dict)


def render(trajectory: Sequence[Message], dialect: str, *, thinking: bool = False) -> Rendered:
    """Write a trajectory for a dialect.

    ``thinking`` writes the model's thinking too, where the dialect takes it back, with stand-ins for the signatures
    that only a provider can make; without it no dialect misses any. Raises ``SimlabError`` for an unknown dialect.
    """
    if dialect not in _WRITERS:
        raise SimlabError(f"no dialect {dialect!r}; known: {', '.join(_WRITERS)}")
    write, tools = _WRITERS[dialect]
    request = tools(_tools_of(trajectory))
    if thinking:
        request.update(_THINKING.get(dialect, {}))
    items = stream(trajectory, call_namer(dialect))
    return Rendered(dialect=dialect, messages=write(_asked(items), thinking), request=request)


def _asked(items: list[Item]) -> list[Item]:
    """End with a word to the model: what it said last would be taken for the beginning of what it is to say.

    A model is called on its own last word when history was edited above it: a result in its placeholder's place.
    """
    last = items[-1] if items else None
    if isinstance(last, Reply) and not last.calls:
        return [*items, Say(text=wording.GO_ON)]
    return items


def _tools_of(trajectory: Sequence[Message]) -> list[str]:
    """Return the tools that the trajectory calls, in order, each once."""
    calls = (call for message in trajectory if isinstance(message, AssistantMessage) for call in message.calls)
    return list(dict.fromkeys(tool_name(call.tool) for call in calls))


__all__ = ["Rendered", "render"]
