"""Virtual time on SimPy: happenings in whole milliseconds, ordered within an instant by an explicit rank."""

from collections.abc import Callable
from heapq import heappop, heappush
from typing import Any, Final

import simpy

from simlab.core.order import COMMIT, EVENT, MODEL, TIMER, TOOL, VERDICT, WINDOW, rank

__all__ = ["COMMIT", "EVENT", "MODEL", "TIMER", "TOOL", "VERDICT", "WINDOW", "Clock", "rank"]

_OF_SIMPY: Final = 4  # fields of SimPy's own entries in its queue: time, priority, number, event


class Clock:
    """A SimPy environment whose times are whole milliseconds. ``now_ms`` is the present one: read it, never set it.

    What is scheduled here lies in the environment's queue beside SimPy's own events (a request for a resource, say),
    under the same order, but as a function and what it is to be given: no event that nobody waits for is built, which
    halves the cost of a happening. ``at_end``, if set, is called once nothing else is left to happen at this
    millisecond.
    """

    __slots__ = ("_next_number", "_queue", "at_end", "env", "now_ms")

    def __init__(self) -> None:
        self.env = simpy.Environment()
        self.now_ms = 0
        self._queue: list[tuple[Any, ...]] = self.env._queue
        self._next_number = self.env._eid.__next__
        self.at_end: Callable[[], None] | None = None

    def after(self, delay_ms: int, order: float, action: Callable[[Any], None], item: object = None) -> None:
        """Let ``action(item)`` happen ``delay_ms`` from now with the given rank."""
        heappush(self._queue, (self.now_ms + delay_ms, order, self._next_number(), action, item))

    def run(self, until_ms: int | None, finished: Callable[[], bool]) -> bool:
        """Run until finished, or until the horizon. Return whether it finished by itself."""
        queue = self._queue
        while True:
            if self.at_end is not None and (not queue or queue[0][0] > self.now_ms):
                at_end, self.at_end = self.at_end, None
                at_end()
            elif not queue:
                return finished()
            elif until_ms is not None and queue[0][0] > until_ms:
                return False
            else:
                entry = queue[0]
                self.now_ms = self.env._now = entry[0]
                if len(entry) == _OF_SIMPY:
                    self.env.step()
                else:
                    heappop(queue)
                    entry[3](entry[4])
            if self.at_end is None and finished():
                return True
