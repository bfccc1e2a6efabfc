"""One saved conversation, as every reader yields it and every check takes it."""

from dataclasses import dataclass
from typing import Any

from simlab.core.errors import SimlabError
from simlab.dialects.findings import Finding
from simlab.dialects.registry import DIALECTS


@dataclass(frozen=True, kw_only=True)
class Conversation:
    """Messages in one dialect, and what is known beside them.

    ``format`` names the file format it was read from, ``dialect`` the wire format of ``messages`` (for
    ``openai_responses`` the input items, for ``gemini`` the contents). ``request`` holds the flags that change a
    verdict, ``events`` the ground truth (inbox, executions, cancels, deliveries), ``baseline`` what was recorded
    earlier (a previous snapshot or the recorded response items), ``notes`` what the reader itself found
    (``truncated_tail``, ``aborted_turn``), ``id`` the conversation's own name inside its file.
    """

    format: str
    dialect: str
    messages: list[Any]
    request: dict[str, Any]
    events: list[Any]
    baseline: list[Any] | None
    notes: list[Finding]
    id: str | None


def read_case(case: Any, source: str = "case") -> Conversation:
    """Read the ``case`` format: an object with ``dialect``, ``messages``, and ``request``, ``events``, ``baseline``.

    ``baseline`` is a list, or an object that holds one under ``responses`` or ``messages``. Other keys are ignored;
    what is missing is empty. Raises ``SimlabError`` for what is no case.
    """
    if not isinstance(case, dict) or not isinstance(case.get("messages"), list):
        raise SimlabError(f"{source}: a case is an object with 'dialect' and a list of 'messages'")
    dialect = case.get("dialect")
    if not isinstance(dialect, str) or dialect not in DIALECTS:
        raise SimlabError(f"{source}: dialect: {dialect!r} is not one of {', '.join(DIALECTS)}")
    request, events, name = case.get("request"), case.get("events"), case.get("id")
    return Conversation(
        format="case",
        dialect=dialect,
        messages=case["messages"],
        request=request if isinstance(request, dict) else {},
        events=events if isinstance(events, list) else [],
        baseline=_baseline(case.get("baseline")),
        notes=[],
        id=name if isinstance(name, str) else None,
    )


def _baseline(value: Any) -> list[Any] | None:
    if isinstance(value, dict):
        value = value.get("responses", value.get("messages"))
    return value if isinstance(value, list) else None
