"""Events: what reaches the agent's inbox. Declared facts only; the true intent belongs to the world."""

from enum import StrEnum

from simlab.core.values import value


class EventType(StrEnum):
    """The event types of the source text."""

    USER_INTERRUPT = "user.interrupt"
    SUPERVISOR_INSTRUCTION = "supervisor.instruction"
    AGENT_INTERRUPT = "agent.interrupt"
    USER_INPUT = "user.input"
    AGENT_INPUT = "agent.input"
    TOOL_RESULT = "tool.result"
    TIMER_TRIGGER = "timer.trigger"
    EXTERNAL_TRIGGER = "external.trigger"


URGENT_TYPES = frozenset({EventType.USER_INTERRUPT, EventType.SUPERVISOR_INSTRUCTION, EventType.AGENT_INTERRUPT})
PERSON_TYPES = frozenset({EventType.USER_INTERRUPT, EventType.USER_INPUT, EventType.SUPERVISOR_INSTRUCTION})


@value
class Event:
    """One structured event.

    ``source`` says who sent it, ``channel`` how, ``content`` what, ``context`` what it relates to (a call id for a
    late result). ``marked_urgent`` counts for ``external.trigger`` only: a system alert, a payment failure.
    """

    id: str
    type: EventType
    source: str
    content: str
    channel: str = "inbox"
    context: str = ""
    marked_urgent: bool = False

    @property
    def urgent(self) -> bool:
        """Whether the type (or the mark of an external trigger) declares it urgent."""
        return self.type in URGENT_TYPES or (self.marked_urgent and self.type is EventType.EXTERNAL_TRIGGER)


class Handling(StrEnum):
    """The three handlings between which a router chooses."""

    CANCEL = "cancel"
    QUEUE = "queue"
    PARALLEL = "parallel"


@value
class Verdict:
    """What a router says of one event. ``confidence`` is in [0, 1]; ``reason`` is for people."""

    handling: Handling
    confidence: float = 1.0
    reason: str = ""
