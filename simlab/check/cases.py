"""The ``case`` format: messages with their dialect, and the ground truth beside them."""

from typing import Any

from simlab.check.conversation import Conversation
from simlab.core.errors import SimlabError
from simlab.dialects.registry import DIALECTS


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
