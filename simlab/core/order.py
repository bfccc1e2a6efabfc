"""What happens first when several things happen at one millisecond: an explicit order, the same for every driver."""

from typing import Final

# Effects commit, tools end, model calls end, timers, events, verdicts, hold-back windows; then the instant settles.
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
