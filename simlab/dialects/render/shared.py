"""What several writers need."""

import json
from typing import Any

from simlab.dialects.render.names import digest
from simlab.dialects.render.stream import Asked, Reply, Say

SCHEMA: dict[str, Any] = {"type": "object"}


def arguments(call: Asked) -> dict[str, Any]:
    """Return a call's arguments as an object; what is none is kept whole under one key."""
    try:
        found = json.loads(call.arguments) if call.arguments else {}
    except (ValueError, RecursionError):
        found = None
    return found if isinstance(found, dict) else {"input": call.arguments}


def arguments_text(call: Asked) -> str:
    """Return a call's arguments as JSON text."""
    return json.dumps(arguments(call))


def as_user(item: Say) -> str:
    """Return what is said, for formats in which only the user speaks to the model."""
    return f"[developer] {item.text}" if item.developer else item.text


def stand_in(reply: Reply) -> str:
    """Return a stand-in for the signature of a thought, which only the provider's model could make."""
    return f"simlab{digest(reply.id, 24)}"


def thought(reply: Reply) -> str:
    """Return the text of a thought; the mocked model's has none."""
    return reply.thinking or "(thinking)"
