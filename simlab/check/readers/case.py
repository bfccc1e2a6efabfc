"""The project's own ``case`` object: messages of a named dialect with the ground truth beside them."""

from collections.abc import Iterator
from typing import Any

from simlab.check.readers.openai import counts_as_unit
from simlab.check.readers.saved import NotThisFormatError, SavedConversation
from simlab.check.readers.values import list_of, object_of, text_or_none

FORMAT = "case"


def looks_like(value: Any) -> bool:
    """Whether a value names a dialect and holds messages."""
    return isinstance(value, dict) and isinstance(value.get("dialect"), str) and isinstance(value.get("messages"), list)


def read(value: Any, at: str | None) -> Iterator[SavedConversation]:
    """Read one case; other keys are ignored."""
    if not looks_like(value):
        raise NotThisFormatError("no 'dialect' (a name) and 'messages' (a list)")
    yield SavedConversation(
        format=FORMAT,
        dialect=value["dialect"],
        messages=value["messages"],
        request=object_of(value.get("request")),
        events=list_of(value.get("events")),
        baseline=_baseline(value.get("baseline")),
        notes=[],
        id=text_or_none(value.get("id")) or at,
        units=sum(counts_as_unit(message) for message in value["messages"]),
        places=[],
    )


def _baseline(value: Any) -> list[Any] | None:
    """A snapshot as it is, or the recorded responses of ``{"responses": [...]}``."""
    if isinstance(value, dict):
        value = value.get("responses", [value])
    return value if isinstance(value, list) else None
