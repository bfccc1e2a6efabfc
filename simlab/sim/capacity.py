"""Limited capacity: so many model calls at once, and the rest wait their turn."""

from collections.abc import Callable

import simpy


class Ticket:
    """A place in the queue, or at the counter. ``then`` is called once it is one's turn."""

    __slots__ = ("request", "then")

    def __init__(self, then: Callable[[], None]) -> None:
        self.then: Callable[[], None] | None = then
        self.request: simpy.resources.resource.Request | None = None


class Slots:
    """``capacity`` places, first come, first served."""

    __slots__ = ("_resource",)

    def __init__(self, env: simpy.Environment, capacity: int) -> None:
        self._resource = simpy.Resource(env, capacity=capacity)

    def acquire(self, then: Callable[[], None]) -> Ticket:
        """Call ``then`` as soon as a place is free: now, if one is."""
        ticket = Ticket(then)
        ticket.request = self._resource.request()
        if ticket.request.triggered:
            then()
        else:
            ticket.request.callbacks.append(lambda _granted: ticket.then() if ticket.then is not None else None)
        return ticket

    def release(self, ticket: Ticket) -> None:
        """Give the place back, or leave the queue."""
        ticket.then = None
        if ticket.request is None:
            return
        if ticket.request.triggered:
            self._resource.release(ticket.request)
        else:
            ticket.request.cancel()
