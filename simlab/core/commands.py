"""Commands: everything that the agent can ask of its driver. Together with the inputs they are the trace."""

from collections.abc import Sequence
from enum import StrEnum

from simlab.core.events import Event
from simlab.core.messages import Call, Message
from simlab.core.values import value


class Partial(StrEnum):
    """What becomes of the output of a model call that is stopped."""

    DISCARD = "discard"
    KEEP = "keep"
    TRUNCATE = "truncate"


class SideKind(StrEnum):
    """A side session answers a question; an acknowledgement is a holding reply and answers nothing."""

    ANSWER = "answer"
    ACKNOWLEDGE = "acknowledge"


@value
class Route:
    """Ask the router for its verdict on an event."""

    event: Event


@value
class CallModel:
    """Call the main model on the first ``length`` messages. ``epoch`` grows when history was rewritten."""

    generation: int
    messages: Sequence[Message]
    length: int
    epoch: int
    turn: int
    call_in_turn: int


@value
class CancelModel:
    """Stop the main model call; the driver answers ``ModelStopped``."""

    generation: int
    partial: Partial


@value
class Append:
    """A message was appended to the trajectory."""

    index: int
    message: Message


@value
class Replace:
    """A message was replaced in place (a declared departure)."""

    index: int
    message: Message


@value
class Insert:
    """A message was inserted into history (a declared departure)."""

    index: int
    message: Message


@value
class Rewind:
    """The trajectory was cut to its first ``length`` messages (a declared departure)."""

    length: int


@value
class PrepareTool:
    """Prepare a tool; the driver answers ``ToolPrepared``."""

    call: Call


@value
class StartTool:
    """Run a tool; the driver answers ``ToolEnded`` or, if asked to stop it, perhaps ``ToolCancelled``."""

    call: Call


@value
class CancelTool:
    """Signal a tool to stop; the driver answers ``ToolCancelled``, or ``ToolEnded`` if it ended first."""

    call_id: str


@value
class UndoTool:
    """Undo or compensate the effect of a finished call, as its declaration allows."""

    call_id: str


@value
class StartSide:
    """Run a side session for an event on a copy of the trajectory in which open calls are closed.

    An acknowledgement that is not ready after ``limit_ms`` is replaced by a stock reply.
    """

    session_id: str
    kind: SideKind
    event: Event
    messages: Sequence[Message]
    limit_ms: int | None = None


@value
class SetTimer:
    """Report ``TimerFired`` after ``delay_ms``."""

    timer_id: str
    delay_ms: int


@value
class Refuse:
    """The event was not accepted; its sender knows."""

    event_id: str
    reason: str


@value
class Drop:
    """Accepted events leave the backlog without being appended. ``reason`` is one of the declared ones."""

    event_ids: tuple[str, ...]
    reason: str


@value
class Sleep:
    """The turn is over: the agent is idle, or waits for a person."""

    waits_for_user: bool


@value
class Settle:
    """Report ``Settled`` once every other input of this instant has been handled."""


Command = (
    Route
    | CallModel
    | CancelModel
    | Append
    | Replace
    | Insert
    | Rewind
    | PrepareTool
    | StartTool
    | CancelTool
    | UndoTool
    | StartSide
    | SetTimer
    | Refuse
    | Drop
    | Sleep
    | Settle
)
