"""Write what a format holds as Chat Completions messages, the dialect that carries ids without loss."""

from dataclasses import dataclass, field
from typing import Any

from simlab.check.readers.saved import SavedConversation
from simlab.check.readers.values import as_text, word
from simlab.dialects.findings import Finding


def call(call_id: Any, name: Any, arguments: Any) -> dict[str, Any]:
    """One tool call; arguments that are not text are written as JSON text."""
    text = arguments if isinstance(arguments, str) else as_text({} if arguments is None else arguments)
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": text}}


@dataclass(slots=True)
class Chat:
    """A conversation in the making: its messages, where each stands in the file, and what is known beside them."""

    messages: list[dict[str, Any]] = field(default_factory=list)
    places: list[str] = field(default_factory=list)
    events: list[dict[str, Any]] = field(default_factory=list)
    notes: list[Finding] = field(default_factory=list)

    def say(self, role: str, content: Any, place: str) -> None:
        """Append a system, developer or user message."""
        self._append({"role": role, "content": "" if content is None else content}, place)

    def answer(self, content: Any, calls: list[dict[str, Any]], place: str) -> None:
        """Append an assistant message; beside calls, no text is null."""
        if calls:
            self._append({"role": "assistant", "content": content or None, "tool_calls": calls}, place)
        else:
            self._append({"role": "assistant", "content": content or ""}, place)

    def result(self, call_id: Any, content: Any, place: str) -> None:
        """Append the result of a call; what is neither text nor parts is written as JSON text."""
        body = content if _is_parts(content) else as_text(content)
        self._append({"role": "tool", "tool_call_id": call_id, "content": body}, place)

    def _append(self, message: dict[str, Any], place: str) -> None:
        self.messages.append(message)
        self.places.append(place)

    def saved(
        self, *, fmt: str, units: int, name: str | None, request: dict[str, Any] | None = None
    ) -> SavedConversation:
        """Finish the conversation."""
        return SavedConversation(
            format=fmt,
            dialect="openai_chat",
            messages=self.messages,
            request=request or {},
            events=self.events,
            baseline=None,
            notes=self.notes,
            id=name,
            units=units,
            places=self.places,
        )


def _is_parts(content: Any) -> bool:
    return isinstance(content, list) and all(
        isinstance(part, dict) and word(part, "type") in {"text", "image_url", "input_audio", "file"}
        for part in content
    )
