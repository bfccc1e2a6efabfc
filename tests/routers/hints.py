"""What the tests lend to routers: a truth, and numbers that they choose."""

from simlab.core.events import Event, EventType, Handling


class FixedHints:
    """The truth, and the same number for every name."""

    def __init__(self, handling: Handling = Handling.QUEUE, uniform: float = 0.5) -> None:
        self.true_handling = handling
        self._uniform = uniform

    def uniform(self, *_name: str | int) -> float:
        return self._uniform


def said(text: str, type_: EventType = EventType.USER_INPUT) -> Event:
    return Event(id="e", type=type_, source="user", content=text)
