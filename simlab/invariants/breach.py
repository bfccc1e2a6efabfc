"""A breach of an invariant: which, whose fault, and the evidence."""

from enum import StrEnum

from simlab.core.values import value


class Blame(StrEnum):
    """Who broke it. A fault that the mocked model was made to commit is the model's."""

    CORE = "core"
    STRATEGY = "strategy"
    MODEL = "model"


@value
class Breach:
    """One breach. ``message_index`` points into the trajectory as it stood then; ``at_ms`` is virtual time."""

    invariant: str
    blame: Blame
    at_ms: int
    what: str
    message_index: int | None = None
    call_id: str | None = None
    event_id: str | None = None

    def __str__(self) -> str:
        places = [
            f"message {self.message_index}" if self.message_index is not None else "",
            f"call {self.call_id}" if self.call_id is not None else "",
            f"event {self.event_id}" if self.event_id is not None else "",
        ]
        place = ", ".join(each for each in places if each)
        return f"{self.invariant} [{self.blame}] at {self.at_ms:,} ms{f' ({place})' if place else ''}: {self.what}"
