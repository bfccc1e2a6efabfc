"""One saved conversation, as every reader yields it and every check takes it."""

from dataclasses import dataclass
from typing import Any

from simlab.dialects.findings import Finding


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
