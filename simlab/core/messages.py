"""Messages: what stands in the trajectory and is seen by the model.

Each message has a letter, so that a whole trajectory reads as one line (``U1 A[c1] P(c1 still running) U2 A``):
U event, A assistant, R real result, P placeholder, L late result, S marked side exchange, N notice.
"""

from collections.abc import Iterable
from enum import StrEnum
from typing import assert_never

from simlab.core.events import Event
from simlab.core.values import value


class ToolKind(StrEnum):
    """What a tool does to the world, as its declaration says."""

    READ = "read"
    EFFECT = "effect"


@value
class ToolSpec:
    """What is declared about a tool: everything about it that a strategy may know.

    ``typical_ms`` is the declared typical run time in milliseconds (None: not declared). A ``light`` tool may run in
    a side session. A tool that ``prepares`` is not launched at once: the driver reports ``ToolPrepared`` first.
    ``undo`` says what a rollback can do about its effect.
    """

    name: str
    kind: ToolKind = ToolKind.READ
    can_be_cancelled: bool = True
    irreversible: bool = False
    idempotent: bool = False
    typical_ms: int | None = None
    light: bool = False
    prepares: bool = False
    undo: str = "none"


@value
class Call:
    """A tool call in an assistant message. ``arguments`` is what the model wrote; nobody but tools interprets it."""

    id: str
    tool: str
    arguments: str = ""


class PlaceholderState(StrEnum):
    """What is truthfully known of a call that is closed without its result."""

    NOT_STARTED = "not started"
    STILL_RUNNING = "still running"
    CANCELLED_BEFORE = "cancelled before it took effect"
    CANCELLED_AFTER = "cancelled after it took effect"
    CANCELLED_UNKNOWN = "cancelled, effect unknown"


class Wording(StrEnum):
    """How plainly a placeholder says that the result is missing (see the hazard model)."""

    EXPLICIT = "explicit"
    TERSE = "terse"
    ERROR = "error"
    MISSING = "missing"


class Mark(StrEnum):
    """How an event is wrapped when it is appended."""

    PLAIN = "plain"
    REMINDER = "reminder"
    IN_RESULT = "in_result"
    DEVELOPER = "developer"
    NUMBERED = "numbered"


class SideOutcome(StrEnum):
    """How a side session ended: answered there, or the main task must act or answer."""

    ANSWERED = "answered"
    FOR_MAIN = "for_main"


@value
class ToolResult:
    """What a finished tool returned. ``ok`` is False for an error result, which is a result all the same."""

    content: str
    ok: bool = True


@value
class EventMessage:
    """One event, or several joined into one user message; ``reminds`` of the work that it comes between."""

    events: tuple[Event, ...]
    mark: Mark = Mark.PLAIN
    position: int = 0
    batch_size: int = 0
    reminds: bool = False


@value
class AssistantMessage:
    """What the model said. ``says`` names what the text answers; ``cut`` marks a partial that a strategy kept.

    ``tokens`` is the size of the message, where it is known.
    """

    id: str
    text: str = ""
    tokens: int = 0
    thinking: str = ""
    calls: tuple[Call, ...] = ()
    says: tuple[str, ...] = ()
    cut: bool = False


@value
class ResultMessage:
    """The real result of a call, recorded when the tool has finished."""

    call_id: str
    result: ToolResult


@value
class PlaceholderMessage:
    """Closes a call without its result and says what is known. Never worded as a result."""

    call_id: str
    state: PlaceholderState
    wording: Wording = Wording.EXPLICIT


@value
class LateResultMessage:
    """The real result of a call that a placeholder had closed; as an event, or in the placeholder's place."""

    event: Event
    call_id: str
    result: ToolResult


@value
class SideMessage:
    """A question and its answer, ``marked`` as having run in parallel with the main task."""

    event: Event
    session_id: str
    answer: AssistantMessage
    outcome: SideOutcome
    marked: bool = True


@value
class NoticeMessage:
    """A background tool ended without a result."""

    call_id: str
    state: PlaceholderState


Message = (
    EventMessage
    | AssistantMessage
    | ResultMessage
    | PlaceholderMessage
    | LateResultMessage
    | SideMessage
    | NoticeMessage
)


def _short(message: Message) -> str:
    match message:
        case EventMessage(events=events):
            return "+".join(event.id for event in events)
        case AssistantMessage(calls=calls):
            return "A[" + ",".join(call.id for call in calls) + "]" if calls else "A"
        case ResultMessage(call_id=call_id):
            return f"R({call_id})"
        case PlaceholderMessage(call_id=call_id, state=state):
            return f"P({call_id} {state})"
        case LateResultMessage(call_id=call_id):
            return f"L({call_id})"
        case SideMessage(event=event):
            return f"S({event.id})"
        case NoticeMessage(call_id=call_id, state=state):
            return f"N({call_id} {state})"
        case _:
            assert_never(message)


def notation(trajectory: Iterable[Message]) -> str:
    """Write a trajectory as one line of letters, in order."""
    return " ".join(_short(message) for message in trajectory)
