"""What a strategy sees: a read-only window on the agent's state. Declared facts, no drawn times, no true intents."""

from collections.abc import Sequence

from simlab.core.events import Event
from simlab.core.messages import Message, ToolSpec
from simlab.core.phases import Phase
from simlab.core.state import CallStatus, Item, OpenCall, State


class View:
    """Read-only facts about the agent at this instant. Times are milliseconds of virtual time."""

    __slots__ = ("_state",)

    def __init__(self, state: State) -> None:
        self._state = state

    @property
    def now_ms(self) -> int:
        """The present time."""
        return self._state.now_ms

    @property
    def phase(self) -> Phase:
        """The phase of the agent."""
        return self._state.phase

    @property
    def is_idle(self) -> bool:
        """Whether the agent is between turns."""
        return self._state.phase in (Phase.IDLE, Phase.WAITING_USER)

    @property
    def backlog(self) -> Sequence[Item]:
        """Accepted and not yet consumed, in order."""
        return tuple(self._state.backlog)

    @property
    def has_backlog(self) -> bool:
        """Whether anything waits."""
        return bool(self._state.backlog)

    @property
    def backlog_ids(self) -> tuple[str, ...]:
        """The event ids of the backlog, in order."""
        return tuple([item.event.id for item in self._state.backlog])

    @property
    def held(self) -> Sequence[str]:
        """Event ids of the backlog whose hold-back window is open, in order."""
        return tuple(item.id for item in self._state.backlog if f"hold:{item.id}" in self._state.holds)

    @property
    def open_calls(self) -> Sequence[OpenCall]:
        """Calls that nothing has closed yet, in call order."""
        return tuple(self._state.foreground)

    @property
    def background_calls(self) -> Sequence[OpenCall]:
        """Calls that go on behind a placeholder, in call order."""
        return tuple(call for call in self._state.open.values() if call.status is CallStatus.BACKGROUND)

    @property
    def trajectory(self) -> Sequence[Message]:
        """The messages that the model sees."""
        return tuple(self._state.trajectory)

    @property
    def turn_start_index(self) -> int:
        """Index of the first message of this turn (of the next one when idle)."""
        return self._state.turn_start_index

    @property
    def turn_start_ms(self) -> int:
        """When this turn began."""
        return self._state.turn_start_ms

    @property
    def turn(self) -> int:
        """The number of this turn, from 1."""
        return self._state.turn

    @property
    def call_in_turn(self) -> int:
        """How many model calls this turn has started."""
        return self._state.call_in_turn

    @property
    def taken_now(self) -> Sequence[str]:
        """Event ids consumed already in this instant (coinciding safe points are one visit)."""
        return tuple(self._state.taken_now) if self._state.taken_at_ms == self._state.now_ms else ()

    @property
    def routing(self) -> Sequence[Event]:
        """Events whose verdict is awaited."""
        return tuple(event for event, _ in self._state.routing.values())

    @property
    def side_sessions(self) -> int:
        """How many side sessions are under way."""
        return len(self._state.sides)

    @property
    def is_stopping(self) -> bool:
        """Whether an operation is being stopped."""
        return self._state.stop is not None

    @property
    def interrupting(self) -> Sequence[Event]:
        """The events for which an operation is being stopped, in order."""
        stop = self._state.stop
        return tuple(item.event for item in (*stop.urgent, *stop.queued)) if stop is not None else ()

    def tool(self, name: str) -> ToolSpec:
        """Return the declaration of a tool."""
        return self._state.tools[name]
