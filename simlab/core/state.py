"""Everything that the agent knows, and the few operations that write it down as commands."""

from dataclasses import dataclass, field
from enum import StrEnum

from simlab.core.commands import Append, Command, Insert, Replace, Rewind, SetTimer, Settle
from simlab.core.decisions import NOTHING, Closing, Interrupt, LatePolicy, Pending, SafePoint, Take, Then
from simlab.core.events import Event, EventType, Verdict
from simlab.core.messages import (
    AssistantMessage,
    Call,
    Message,
    PlaceholderState,
    SideMessage,
    ToolResult,
    ToolSpec,
)
from simlab.core.phases import Phase

_SETTLE = Settle()


class CallStatus(StrEnum):
    """Where a call stands. ``background``: its placeholder is written and its tool still runs."""

    UNSTARTED = "unstarted"
    PREPARING = "preparing"
    RUNNING = "running"
    BACKGROUND = "background"
    ENDED = "ended"


# Looked up once: on Python 3.11 the look-up of a member of an enumeration costs more than a call.
_RUNNING, _BACKGROUND = CallStatus.RUNNING, CallStatus.BACKGROUND


@dataclass(slots=True)
class OpenCall:
    """A call and what the agent knows of it. Strategies read it and must not change it."""

    call: Call
    spec: ToolSpec
    message_index: int
    status: CallStatus = CallStatus.UNSTARTED
    started_ms: int | None = None
    closed: bool = False
    placeholder_index: int | None = None
    late: LatePolicy = LatePolicy.APPEND
    closing: Closing | None = None
    signalled: bool = False
    ack: PlaceholderState | None = None
    result: ToolResult | None = None

    @property
    def runs(self) -> bool:
        """Whether its tool has been launched and has not ended."""
        return self.status is _RUNNING or self.status is _BACKGROUND


@dataclass(slots=True, kw_only=True)
class Item:
    """One entry of the backlog: an event, a late result, a notice, or a finished side exchange."""

    event: Event
    verdict: Verdict | None
    arrived_ms: int
    call_id: str | None = None
    side: SideMessage | None = None

    @property
    def id(self) -> str:
        """The id of its event."""
        return self.event.id

    @property
    def is_report(self) -> bool:
        """Whether a tool or a side session reports something, so that nobody else would say it again."""
        return self.call_id is not None or self.side is not None or self.event.type is EventType.TOOL_RESULT


@dataclass(slots=True, kw_only=True)
class SideSession:
    """A side session that is under way."""

    event: Event
    verdict: Verdict
    arrived_ms: int
    append: bool
    acknowledges: bool
    marked: bool = True


@dataclass(slots=True, kw_only=True)
class Stop:
    """An operation being stopped: for whom one waits, and what is to be done when everybody has answered.

    ``first`` holds what a safe point took, ``urgent`` the interrupting events; the backlog goes between them. ``wrap``
    says how the backlog and the interrupting events are marked. ``queued`` are interrupting events that are to be found
    in the backlog afterwards, ``background`` the background calls that this stop has signalled: their end is told
    once, behind the open calls.
    """

    then: Then = Then.CALL
    backlog: Pending = Pending.KEEP
    rewind_to: int | None = None
    undo: tuple[str, ...] = ()
    waiting: set[str] = field(default_factory=set)
    first: list[Item] = field(default_factory=list)
    take: Take = NOTHING
    wrap: Take = NOTHING
    urgent: list[Item] = field(default_factory=list)
    queued: list[Item] = field(default_factory=list)
    background: list[str] = field(default_factory=list)
    partial: AssistantMessage | None = None
    from_idle: bool = False


class State:
    """The agent's memory. Only the core's own functions write to it."""

    __slots__ = (
        "backlog",
        "call_in_turn",
        "calls",
        "delayed",
        "discarded",
        "epoch",
        "generation",
        "holds",
        "late",
        "now_ms",
        "open",
        "out",
        "phase",
        "points",
        "routing",
        "seen",
        "settling",
        "sides",
        "stop",
        "taken_at_ms",
        "taken_now",
        "tools",
        "trajectory",
        "turn",
        "turn_start_index",
        "turn_start_ms",
    )

    def __init__(self, tools: dict[str, ToolSpec]) -> None:
        self.tools = tools
        self.phase = Phase.IDLE
        self.now_ms = 0
        self.out: list[Command] = []
        self.trajectory: list[Message] = []
        self.epoch = 0
        self.backlog: list[Item] = []
        self.routing: dict[str, tuple[Event, int]] = {}
        self.late: dict[str, str] = {}
        self.discarded: set[str] = set()
        self.seen: set[str] = set()
        self.calls: dict[str, OpenCall] = {}
        self.open: dict[str, OpenCall] = {}
        self.sides: dict[str, SideSession] = {}
        self.holds: set[str] = set()
        self.delayed: dict[str, Interrupt] = {}
        self.stop: Stop | None = None
        self.points: SafePoint | None = None
        self.generation = 0
        self.turn = 0
        self.call_in_turn = 0
        self.turn_start_index = 0
        self.turn_start_ms = 0
        self.taken_now: list[str] = []
        self.taken_at_ms = -1
        self.settling = False

    def emit(self, command: Command) -> None:
        """Ask the driver for something."""
        self.out.append(command)

    def settle(self) -> None:
        """Ask once to be told when this instant has settled."""
        if not self.settling:
            self.settling = True
            self.out.append(_SETTLE)

    def append(self, message: Message) -> int:
        """Append a message, and say so."""
        index = len(self.trajectory)
        self.trajectory.append(message)
        self.out.append(Append(index, message))
        return index

    def replace(self, index: int, message: Message) -> None:
        """Replace a message in place. The list is a new one: a model call in flight keeps what it was called with."""
        self.trajectory = [*self.trajectory]
        self.trajectory[index] = message
        self.epoch += 1
        self.out.append(Replace(index=index, message=message))

    def insert_behind(self, index: int, message: Message) -> int:
        """Insert a message directly behind another one (a declared departure); return its index."""
        place = index + 1
        self.trajectory = [*self.trajectory[:place], message, *self.trajectory[place:]]
        self.epoch += 1
        self.out.append(Insert(index=place, message=message))
        for call in self.calls.values():
            call.message_index += call.message_index >= place
            if call.placeholder_index is not None:
                call.placeholder_index += call.placeholder_index >= place
        self.turn_start_index += self.turn_start_index >= place
        return place

    def rewind(self, length: int) -> None:
        """Cut the trajectory; calls beyond the cut are forgotten, their tools are not."""
        self.trajectory = self.trajectory[:length]
        self.epoch += 1
        self.out.append(Rewind(length=length))
        for call in list(self.calls.values()):
            if call.message_index >= length:
                self.discarded.add(call.call.id)
                self.open.pop(call.call.id, None)
                del self.calls[call.call.id]
            elif call.placeholder_index is not None and call.placeholder_index >= length:
                call.placeholder_index = None

    def hold(self, item: Item, hold_ms: int) -> None:
        """Open a hold-back window for an item."""
        self.time("hold", item, hold_ms)

    def time(self, kind: str, item: Item, delay_ms: int) -> None:
        """Set a timer for an item of the backlog; the agent is not quiet before it has fired."""
        timer_id = f"{kind}:{item.id}"
        self.holds.add(timer_id)
        self.out.append(SetTimer(timer_id=timer_id, delay_ms=delay_ms))

    def start_turn(self) -> None:
        """Begin a turn: what is appended from here on belongs to it."""
        self.turn += 1
        self.call_in_turn = 0
        self.turn_start_index = len(self.trajectory)
        self.turn_start_ms = self.now_ms

    @property
    def is_open(self) -> bool:
        """Whether any call of the last assistant message is still to be closed."""
        for call in self.open.values():  # noqa: SIM110 - asked after every result, and twice as fast as any()
            if not call.closed:
                return True
        return False

    @property
    def foreground(self) -> list[OpenCall]:
        """Calls of the last assistant message that nothing has closed yet, in call order."""
        return [call for call in self.open.values() if not call.closed]
