"""Inputs: everything that can happen to the agent. The driver feeds them, one at a time, with the time."""

from simlab.core.events import Event, Verdict
from simlab.core.messages import AssistantMessage, PlaceholderState, SideOutcome, ToolResult
from simlab.core.values import value


@value
class EventArrived:
    """An event reached the inbox."""

    event: Event


@value
class Routed:
    """The router's verdict on an event."""

    event_id: str
    verdict: Verdict


@value
class ModelFinished:
    """The main model call is complete. ``output_tokens`` counts everything that it generated."""

    generation: int
    message: AssistantMessage
    output_tokens: int = 0


@value
class ModelStopped:
    """The main model call was stopped on request. ``partial`` is what may be kept: whole, or as far as delivered."""

    generation: int
    output_tokens: int = 0
    partial: AssistantMessage | None = None


@value
class StreamItem:
    """A stream item of the main model call is complete (only for strategies that visit ``stream_item``)."""

    generation: int
    index: int


@value
class ToolPrepared:
    """A tool that needs preparation can be launched."""

    call_id: str


@value
class ToolEnded:
    """A tool finished by itself, with a result or an error."""

    call_id: str
    result: ToolResult


@value
class ToolCancelled:
    """A cancelled tool acknowledges, with what is known of its effect."""

    call_id: str
    state: PlaceholderState


@value
class SideEnded:
    """A side session ended."""

    session_id: str
    answer: AssistantMessage
    outcome: SideOutcome
    output_tokens: int = 0


@value
class TimerFired:
    """A window that the core asked for has run out."""

    timer_id: str


@value
class Settled:
    """Every other input of this instant has been handled."""


Input = (
    EventArrived
    | Routed
    | ModelFinished
    | ModelStopped
    | StreamItem
    | ToolPrepared
    | ToolEnded
    | ToolCancelled
    | SideEnded
    | TimerFired
    | Settled
)
