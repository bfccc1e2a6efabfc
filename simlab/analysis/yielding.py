"""Does the agent stop when it is spoken to, and how fast: the yield events of tau-voice, on its ticks.

Definitions: tau2-bench, docs/interaction-metrics.md and its metric code (version 1.0). Time is cut into ticks of
200 ms. A user segment that begins in a tick in which the agent speaks is an interruption. The agent yields in the first
silent tick of the window that opens with that tick (2,000 ms; the tick at its end is outside); the time to it is the
yield latency. No such tick, or the recording ends before one: no yield. For a backchannel the window is 1,000 ms and
yielding is the error.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from simlab.core.record import ModelCall, RunRecord

TICK_MS: Final = 200
NO_YIELD_WINDOW_MS: Final = 2000
BACKCHANNEL_WINDOW_MS: Final = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class Interruption:
    """One interruption: the tick in which it began, and the time until the agent was silent (None: no yield)."""

    tick: int
    latency_ms: int | None

    @property
    def yielded(self) -> bool:
        """Whether the agent stopped within the window."""
        return self.latency_ms is not None


def interruptions(
    user: Sequence[bool], agent: Sequence[bool], *, tick_ms: int = TICK_MS, window_ms: int = NO_YIELD_WINDOW_MS
) -> list[Interruption]:
    """Return the interruptions of a recording, in order.

    Args:
        user: for each tick, whether the user speaks; shape (ticks,).
        agent: for each tick, whether the agent speaks; shape (ticks,).
        tick_ms: length of a tick in milliseconds.
        window_ms: length of the window in milliseconds.
    """
    begins = [tick for tick, speaks in enumerate(user) if speaks and (tick == 0 or not user[tick - 1])]
    found = []
    for tick in begins:
        if agent[tick]:
            window = agent[tick : tick + window_ms // tick_ms]
            silent = next((ticks for ticks, speaks in enumerate(window) if not speaks), None)
            found.append(Interruption(tick=tick, latency_ms=None if silent is None else silent * tick_ms))
    return found


def yield_rate(found: Sequence[Interruption]) -> float | None:
    """Return the share of interruptions to which the agent yielded; None without any."""
    return sum(each.yielded for each in found) / len(found) if found else None


def yield_latency_ms(found: Sequence[Interruption]) -> float | None:
    """Return the mean latency in milliseconds of those to which it yielded; None without any."""
    latencies = [each.latency_ms for each in found if each.latency_ms is not None]
    return sum(latencies) / len(latencies) if latencies else None


def interruptions_of(record: RunRecord, event_ids: Sequence[str], *, speech_ms: int = 500) -> list[Interruption]:
    """Return the interruptions of a run by the named events, each taken as ``speech_ms`` of speech.

    Each is set against the main model call that it met: the agent speaks as long as that call runs.
    """
    found = []
    for event_id in event_ids:
        begins_ms = record.events[event_id].arrived_ms
        call = next((each for each in record.model_calls if _runs(each, begins_ms, record)), None)
        if call is not None:
            end_ms = _end_ms(call, record)
            ticks = max(end_ms, begins_ms + speech_ms) // TICK_MS + 1 + NO_YIELD_WINDOW_MS // TICK_MS
            user = _ticks(begins_ms, begins_ms + speech_ms, ticks)
            found += interruptions(user, _ticks(call.started_ms, end_ms, ticks))
    return found


def _end_ms(call: ModelCall, record: RunRecord) -> int:
    return call.ended_ms if call.ended_ms is not None else record.ended_ms


def _runs(call: ModelCall, at_ms: int, record: RunRecord) -> bool:
    return not call.side and call.started_ms <= at_ms < _end_ms(call, record)


def _ticks(begin_ms: int, end_ms: int, ticks: int) -> list[bool]:
    """Return in which ticks something sounds that lasts from ``begin_ms`` to ``end_ms``."""
    return [tick * TICK_MS < end_ms and begin_ms < (tick + 1) * TICK_MS for tick in range(ticks)]
