"""Random: queue, cancel or answer aside, by the event's id. Not a product: what a policy must beat."""

from typing import Final
from zlib import crc32

from simlab.core.decisions import Decision, Departure, Interrupt, Queue, Side
from simlab.core.events import Event, Verdict
from simlab.core.plugins import Traits
from simlab.core.view import View
from simlab.strategies.cancel import Cancel
from simlab.strategies.habits import FLUSH_POINTS, is_late

CHOICES: Final = (Queue(), Interrupt(), Side())


class RandomPolicy(Cancel):
    """Equal ids get equal handlings, in every run and in every process."""

    name = "random"
    traits = Traits(points=FLUSH_POINTS, departures=frozenset({Departure.REORDERS}))

    def on_event(self, _view: View, event: Event, _verdict: Verdict) -> Decision:
        """Choose by a checksum of the id."""
        return Queue() if is_late(event) else CHOICES[crc32(event.id.encode()) % len(CHOICES)]
