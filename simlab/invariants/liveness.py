"""Invariants about progress: nothing starves, and the agent comes to rest."""

from collections.abc import Iterator
from typing import Final, TypeAlias

from simlab.core.decisions import Departure
from simlab.core.events import EventType
from simlab.invariants.breach import Blame, Breach
from simlab.invariants.digest import Digest, EventFacts

IDLE_WAIT_LIMIT_MS: Final = 30_000
CALLS_WITHOUT_NEWS: Final = 10

Wait: TypeAlias = tuple[int, int, str]
"""From when to when (milliseconds) an event waited, and its id."""


def nothing_starves_while_the_agent_is_idle(digest: Digest) -> Iterator[Breach]:
    """An idle agent does not leave something waiting for 30 s on end (an assumption; no product holds back longer).

    While a tool or the model is at work nobody can say how long is too long; while the agent is idle one can. It does
    not matter whether the same event waits or one after the other is dropped. Reports of tools may wait for the rest of
    their group. Exempt: waiting for a person, and strategies that declare that they leave events waiting. Motivated by
    hold-back windows that a steady drip of events opens anew.
    """
    if Departure.WAITS in digest.record.trace.departures:
        return
    for begin_ms, end_ms in _long_idles(digest):
        waits = [wait for wait in _waits(digest) if wait[0] < end_ms and wait[1] > begin_ms]
        for since_ms, until_ms, event_id in _joined(waits, begin_ms, end_ms):
            if until_ms - since_ms > IDLE_WAIT_LIMIT_MS:
                yield Breach(
                    invariant="nothing_starves_while_the_agent_is_idle",
                    blame=Blame.STRATEGY,
                    at_ms=since_ms,
                    what=f"the agent was idle for {until_ms - since_ms:,} ms while something waited",
                    event_id=event_id,
                )


def _long_idles(digest: Digest) -> list[tuple[int, int]]:
    idles = list(digest.idles)
    if digest.idle_since_ms is not None:
        idles.append((digest.idle_since_ms, digest.record.ended_ms))
    return [(begin_ms, end_ms) for begin_ms, end_ms in idles if end_ms - begin_ms > IDLE_WAIT_LIMIT_MS]


def _waits(digest: Digest) -> list[Wait]:
    """Return from when to when each event waited in the backlog, in the order of verdicts."""
    waits = []
    for event in digest.events.values():
        if event.routed_ms is None or event.refused or event.aside or event.type is EventType.TOOL_RESULT:
            continue
        waits.append((event.routed_ms, _until_ms(digest, event), event.event_id))
    return sorted(waits)


def _until_ms(digest: Digest, event: EventFacts) -> int:
    if event.consumed:
        return event.consumed[0][0]
    return event.dropped_ms if event.dropped_ms is not None else digest.record.ended_ms


def _joined(waits: list[Wait], begin_ms: int, end_ms: int) -> list[Wait]:
    """Join waits that touch, inside a span of time; a joined wait bears the id of its first event."""
    joined: list[Wait] = []
    for wait in waits:
        since_ms, until_ms, event_id = max(wait[0], begin_ms), min(wait[1], end_ms), wait[2]
        if joined and since_ms <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(joined[-1][1], until_ms), joined[-1][2])
        else:
            joined.append((since_ms, until_ms, event_id))
    return joined


def the_agent_comes_to_rest(digest: Digest) -> Iterator[Breach]:
    """The model is not called again and again (ten times) with nothing new in the trajectory.

    Together with finite tools this bounds the time to quiescence after the last event.
    """
    for call in digest.model_calls:
        if call.without_news == CALLS_WITHOUT_NEWS:
            yield Breach(
                invariant="the_agent_comes_to_rest",
                blame=Blame.STRATEGY,
                at_ms=call.began_ms,
                what=f"model call {call.generation} is one of {CALLS_WITHOUT_NEWS} in a row that saw nothing new",
            )
