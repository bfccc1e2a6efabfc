"""What the truth rules look at: the record, and what the invariants say of the run that it tells."""

from simlab.check.conversation import Conversation
from simlab.check.record import Record
from simlab.check.retold import retell
from simlab.invariants import Breach


class Evidence:
    """A record, its trace (``told``), and the breaches of the catalogue by invariant."""

    __slots__ = ("_breaches", "record", "told")

    def __init__(self, conversation: Conversation) -> None:
        self.record = Record(conversation)
        self.told = retell(self.record)
        self._breaches = self.told.breaches()

    def breaches(self, invariant: str) -> list[Breach]:
        """Return the breaches of one invariant, in its order."""
        return self._breaches.get(invariant, [])
