"""Virtual time on SimPy: happenings in whole milliseconds, ordered within an instant by an explicit rank."""

from collections.abc import Callable
from typing import Any, Final

import simpy

# At one millisecond things happen in this order, whatever the order in which they were scheduled.
COMMIT: Final = 10.0
TOOL: Final = 20.0
MODEL: Final = 30.0
TIMER: Final = 40.0
EVENT: Final = 50.0
VERDICT: Final = 60.0
WINDOW: Final = 70.0
_SHARE: Final = 2.0**-24  # an index inside a rank stays below one for 16 million happenings


def rank(kind: float, index: int) -> float:
    """Return the rank of the ``index``-th thing of a kind: ties are broken by index."""
    return kind + index * _SHARE


class Happening(simpy.Event):
    """Something that happens at its time and hands ``item`` to one function. Never waited for, never fails."""

    item: Any

    def __init__(self, env: simpy.Environment, action: Callable[["Happening"], None], item: object) -> None:
        self.env = env
        self.callbacks = [action]
        self._value = None
        self._ok = True
        self.item = item


class Clock:
    """A SimPy environment whose times are whole milliseconds."""

    __slots__ = ("_at_end", "env")

    def __init__(self) -> None:
        self.env = simpy.Environment()
        self._at_end: Callable[[], None] | None = None

    @property
    def now_ms(self) -> int:
        """The present time in milliseconds."""
        return self.env._now  # type: ignore[return-value]

    def after(self, delay_ms: int, order: float, action: Callable[[Happening], None], item: object = None) -> None:
        """Let ``action`` happen ``delay_ms`` from now with the given rank."""
        self.env.schedule(Happening(self.env, action, item), order, delay_ms)  # type: ignore[arg-type]

    def at_end_of_instant(self, action: Callable[[], None]) -> None:
        """Let ``action`` happen once nothing else is left to happen at this millisecond."""
        self._at_end = action

    def run(self, until_ms: int | None, finished: Callable[[], bool]) -> bool:
        """Run until finished, or until the horizon. Return whether it finished by itself."""
        env = self.env
        step, queue = env.step, env._queue
        while True:
            if self._at_end is not None and (not queue or queue[0][0] > env._now):
                action, self._at_end = self._at_end, None
                action()
            elif not queue:
                return finished()
            elif until_ms is not None and queue[0][0] > until_ms:
                return False
            else:
                step()
            if self._at_end is None and finished():
                return True
