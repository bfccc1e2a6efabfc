"""The trace: every input and every command with its time. What happened, and nothing else."""

from dataclasses import dataclass, field
from typing import TypeAlias

from simlab.core.commands import Append, Command, Insert, Replace, Rewind
from simlab.core.decisions import Departure
from simlab.core.inputs import Input
from simlab.core.messages import Message

Record: TypeAlias = "tuple[int, Input | Command]"


@dataclass(slots=True, kw_only=True)
class Trace:
    """Records in the order in which they happened, with the strategy's name.

    ``departures`` are what the strategy declared. ``ended_ms`` is the time of the last record or of the horizon;
    ``complete`` is False when the horizon cut the run.
    """

    strategy: str
    departures: frozenset[Departure] = frozenset()
    records: list[Record] = field(default_factory=list)
    ended_ms: int = 0
    complete: bool = False

    def trajectory(self) -> list[Message]:
        """Rebuild the trajectory as it stood at the end."""
        messages: list[Message] = []
        for _, record in self.records:
            match record:
                case Append(message=message):
                    messages.append(message)
                case Replace(index=index, message=message):
                    messages[index] = message
                case Insert(index=index, message=message):
                    messages.insert(index, message)
                case Rewind(length=length):
                    del messages[length:]
        return messages
