"""Neglect: an item of a batch is not addressed.

Opportunity: an event that stands in a batch of at least two: what was appended since the model's last message. The
model goes on as if that event had not been written. A person who gets no answer repeats it after their patience (a
repeat is read as the event itself, if the model had passed over it); otherwise it stays unanswered, and a neglected
correction lets the mistaken work go on.

P(neglect item i of k) = min(cap, eps (k - 1) m_i), eps by how the items come (joined in one message, or as messages of
their own), m_i by the place in the batch, normalised to mean 1 for every k. Numbered items ("unprocessed event k of n")
are neglected less by a factor.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from simlab.core.messages import AssistantMessage, EventMessage, Mark, Message, SideMessage, SideOutcome
from simlab.core.record import FaultKind, IntentKind
from simlab.sim.calibration import Level, parameter
from simlab.sim.faults.minds import Mind, harmed_by

PARAMETERS: Final = ("bat.eps_msgs", "bat.eps_instr", "bat.position", "bat.numbered")


@dataclass(frozen=True, slots=True, kw_only=True)
class Neglect:
    """The hazard of one item: ``messages`` and ``joined`` are chances for each further item of the batch."""

    messages: float
    joined: float
    cap: float = 0.3
    first: float = 1.0
    middle: float = 1.0
    last: float = 1.0
    numbered: float = 1.0

    def hazard(self, *, place: int, size: int, joined: bool = False, numbered: bool = False) -> float:
        """Return the chance that the item at ``place`` (from 0) of ``size`` is not addressed."""
        eps = self.joined if joined else self.messages
        chance = eps * (size - 1) * self.multiplier(place, size)
        return min(self.cap, chance) * (self.numbered if numbered else 1.0)

    def multiplier(self, place: int, size: int) -> float:
        """Return the factor of a place; its mean over a batch is 1, whatever the size."""
        if size < 2:
            return 1.0
        mean = (self.first + self.middle * (size - 2) + self.last) / size
        return (self.first if place == 0 else self.last if place == size - 1 else self.middle) / mean


def neglect(level: Level) -> Neglect:
    """Return the calibrated hazard at a level."""
    position = parameter("bat.position").shares()
    return Neglect(
        messages=parameter("bat.eps_msgs").value(level),
        joined=parameter("bat.eps_instr").value(level),
        cap=float(parameter("bat.eps_instr").details["cap"]),
        numbered=parameter("bat.numbered").value(level),
        **position,
    )


@dataclass(frozen=True, slots=True)
class Item:
    """One event of a batch, and how it came."""

    event_id: str
    joined: bool
    numbered: bool


def batch(mind: Mind, messages: Sequence[Message], length: int) -> list[Item]:
    """Return what asks for something and was appended since the model's last message, in order."""
    items: list[Item] = []
    for index in range(length - 1, -1, -1):
        message = messages[index]
        if isinstance(message, AssistantMessage):
            break
        if isinstance(message, EventMessage):
            joined, numbered = len(message.events) > 1, message.mark is Mark.NUMBERED
            items += [Item(each.id, joined, numbered) for each in reversed(message.events)]
        elif isinstance(message, SideMessage) and message.outcome is SideOutcome.FOR_MAIN:
            items.append(Item(message.event.id, joined=False, numbered=False))
    return [each for each in reversed(items) if mind.intent(each.event_id).kind is not IntentKind.NOTICE]


def pass_over(mind: Mind, messages: Sequence[Message], length: int) -> bool:
    """Draw which items of the batch are passed over; return whether one of them has been read before."""
    items = batch(mind, messages, length)
    if len(items) < 2:
        return False
    late = False
    model = mind.hazards.neglect
    for place, item in enumerate(items):
        if isinstance(model, float):
            hazard = model
        else:
            hazard = model.hazard(place=place, size=len(items), joined=item.joined, numbered=item.numbered)
        task_id = harmed_by(mind.intent(item.event_id), item.event_id)
        if mind.luck.meet(FaultKind.NEGLECT, (item.event_id,), hazard, task_id).sampled:
            late |= mind.has_read(item.event_id) and item.event_id not in mind.luck.neglected
            mind.luck.neglected.add(item.event_id)
    return late
