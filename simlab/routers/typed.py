"""What the type of an event decides, before anybody reads its text."""

from typing import Final

from simlab.core.events import Event, EventType, Handling, Verdict

URGENT: Final = Verdict(handling=Handling.CANCEL, reason="urgent type")
REPORT: Final = Verdict(handling=Handling.QUEUE, reason="report of a tool")


def by_its_type(event: Event) -> Verdict | None:
    """Return the verdict on an urgent type, and on the report of a tool: its words are no message to the agent."""
    if event.urgent:
        return URGENT
    return REPORT if event.type is EventType.TOOL_RESULT else None
