"""What a user supplies: a model, tools, perhaps a side model and a router; each an async callable."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from simlab.core.events import Event, Handling, Verdict
from simlab.core.messages import AssistantMessage, Call, Message, PlaceholderState, SideOutcome, ToolResult, ToolSpec


class Stream:
    """How a streaming model call reports what it has so far.

    ``item_done`` marks the end of a stream item (thinking, text): a safe point for strategies that want one.
    ``partial`` is what may be kept, and ``delivered`` what a person has been given, if the call is stopped now.
    """

    __slots__ = ("_item_done", "delivered", "output_tokens", "partial")

    def __init__(self, item_done: Callable[[], None]) -> None:
        self._item_done = item_done
        self.partial: AssistantMessage | None = None
        self.delivered: AssistantMessage | None = None
        self.output_tokens = 0

    def item_done(self) -> None:
        """Say that a stream item is complete."""
        self._item_done()


class ToolHandle:
    """How a running tool says whether its side effect has taken place, so that a cancellation is told truthfully."""

    __slots__ = ("call", "known")

    def __init__(self, call: Call, *, has_effect: bool) -> None:
        self.call = call
        self.known = PlaceholderState.CANCELLED_UNKNOWN if has_effect else PlaceholderState.CANCELLED_BEFORE

    def not_yet(self) -> None:
        """Say that the effect has not taken place, should the tool be cancelled from here on."""
        self.known = PlaceholderState.CANCELLED_BEFORE

    def took_effect(self) -> None:
        """Say that the effect has taken place."""
        self.known = PlaceholderState.CANCELLED_AFTER


class Model(Protocol):
    """The main model: the trajectory in, one complete message out. It is cancelled when the strategy stops it."""

    def __call__(self, messages: Sequence[Message], stream: Stream) -> Awaitable[AssistantMessage]:
        """Call the model."""


ToolBody = Callable[[Call, ToolHandle], Awaitable[ToolResult]]
SideModel = Callable[[Sequence[Message], Event], Awaitable[tuple[AssistantMessage, SideOutcome]]]
HoldingReply = Callable[[Event], Awaitable[None]]
RouterCall = Callable[[Event], Awaitable[Verdict] | Verdict]


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """A tool: its declaration, its body, and what prepares it (for one that ``prepares``)."""

    spec: ToolSpec
    body: ToolBody
    prepare: Callable[[Call], Awaitable[None]] | None = None


def by_type(event: Event) -> Verdict:
    """Route by the type of the event, at once."""
    return Verdict(handling=Handling.CANCEL if event.urgent else Handling.QUEUE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """Everything that a runtime needs besides its strategy.

    ``holding_reply`` is cancelled when it takes longer than the strategy allows, and ``stock_reply`` called instead.
    ``refused`` hears of an event (by id, with the reason) that the strategy does not accept.
    """

    model: Model
    tools: Sequence[Tool] = ()
    router: RouterCall = by_type
    side: SideModel | None = None
    holding_reply: HoldingReply | None = None
    stock_reply: Callable[[Event], None] | None = None
    undo: Callable[[str], Awaitable[None]] | None = None
    refused: Callable[[str, str], None] | None = None
