"""A strategy that does anything legal: it explores what the hooks allow, and says beforehand that it may break rules.

Its decisions are a hash of what it sees, so it is as pure as any other: the same view gives the same decision.
"""

from collections.abc import Mapping, Sequence
from hashlib import blake2b
from random import Random

from simlab.core.commands import Partial
from simlab.core.decisions import (
    Acknowledge,
    Cancel,
    Closing,
    Decision,
    Departure,
    Discard,
    DropReason,
    Interrupt,
    Keep,
    LatePolicy,
    LeaveOpen,
    Moment,
    Pending,
    Queue,
    Refuse,
    Run,
    SafePoint,
    Shield,
    Side,
    Skip,
    Take,
    Then,
)
from simlab.core.events import Event, EventType, Verdict
from simlab.core.messages import Mark, Wording
from simlab.core.plugins import Traits
from simlab.core.state import CallStatus, OpenCall
from simlab.core.view import View


class Chaos:
    """Legal nonsense, different for each ``seed``. ``rewinds`` and ``leaves_open`` allow the two wildest decisions."""

    name = "chaos"

    def __init__(self, seed: int, *, rewinds: bool = True, leaves_open: bool = False) -> None:
        self._seed = seed
        self._rewinds = rewinds
        self._leaves_open = leaves_open
        self.traits = Traits(
            points=frozenset(SafePoint),
            moments=frozenset(Moment),
            departures=frozenset(Departure),
            sequential_tools=seed % 3 == 0,
        )

    def _rng(self, view: View, *about: str) -> Random:
        facts = (self._seed, view.now_ms, view.turn, view.call_in_turn, len(view.trajectory), view.backlog_ids, about)
        return Random(blake2b(ascii(facts).encode(), digest_size=8).digest())

    def on_event(self, view: View, event: Event, _verdict: Verdict) -> Sequence[Decision]:
        """Place the event anywhere, now and then with a holding reply or a cleared backlog."""
        rng = self._rng(view, "event", event.id)
        late = event.id.startswith("late:")
        decisions: list[Decision] = [self._placement(rng, view, event, late=late)]
        if view.has_backlog and rng.random() < 0.1:
            decisions.insert(0, Discard(event_ids=(rng.choice(view.backlog_ids),), reason=DropReason.OVERFLOW))
        if not late and not isinstance(decisions[-1], Refuse) and rng.random() < 0.1:
            decisions.append(Acknowledge())
        return decisions

    def _placement(self, rng: Random, view: View, event: Event, *, late: bool) -> Decision:
        kind = rng.randrange(8)
        if kind < 3:
            return Queue(hold_ms=rng.choice((0, 0, 700)), front=rng.random() < 0.2)
        if kind < 6:
            return self._interrupt(rng, view)
        if kind == 6:
            return Discard(event_ids=(event.id,), reason=DropReason.FILTERED)
        if late or event.type is EventType.TOOL_RESULT:
            return Queue()
        return rng.choice((Refuse(), Side(append=True), Side(append=False)))

    def _interrupt(self, rng: Random, view: View) -> Interrupt:
        length = len(view.trajectory)
        rewinds = self._rewinds and length > 0 and rng.random() < 0.2
        return Interrupt(
            then=rng.choice((Then.CALL, Then.CALL, Then.IDLE, Then.WAIT_USER)),
            partial=rng.choice(list(Partial)),
            backlog=rng.choice(list(Pending)),
            rewind_to=self._safe_cut(view, rng.randrange(length)) if rewinds else None,
        )

    @staticmethod
    def _safe_cut(view: View, length: int) -> int:
        """Return the nearest earlier place at which no call of the remaining messages is open."""
        while length > 0 and not hasattr(view.trajectory[length], "events"):
            length -= 1
        return length

    def at_safe_point(self, view: View, point: SafePoint) -> Take:
        """Take any part of the backlog, in any order."""
        rng = self._rng(view, "point", str(point))
        names = list(view.backlog_ids)
        rng.shuffle(names)
        taken = names[: rng.randint(0, len(names))] if rng.random() < 0.7 else []
        rest = [name for name in names if name not in taken]
        dropped = rest[:1] if rest and rng.random() < 0.05 else []
        call = rng.choice((None, None, None, None, False, True)) if point is not SafePoint.STREAM_ITEM else None
        return Take(
            append=tuple(taken),
            drop=tuple(dropped),
            joined=rng.random() < 0.3,
            mark=rng.choice(list(Mark)),
            call=call,
            partial=rng.choice(list(Partial)),
        )

    def on_open_calls(self, view: View, calls: Sequence[OpenCall], moment: Moment) -> Mapping[str, Closing]:
        """Close each call in any way that the moment allows."""
        rng = self._rng(view, "calls", str(moment), *(call.call.id for call in calls))
        return {call.call.id: self._closing(rng, call, moment) for call in calls}

    def _closing(self, rng: Random, call: OpenCall, moment: Moment) -> Closing:
        wording = rng.choice(list(Wording))
        if moment is not Moment.APPEND:
            return rng.choice((Run(), Run(), Skip(wording=wording), Keep(wording=wording)))
        if self._leaves_open and rng.random() < 0.2:
            return LeaveOpen(cancel=rng.random() < 0.5)
        if call.status is CallStatus.BACKGROUND:
            return rng.choice((Run(), Cancel(grace_ms=rng.choice((None, 0, 400)), edit=rng.random() < 0.5)))
        return rng.choice(
            (
                Keep(wording=wording, late=rng.choice(list(LatePolicy))),
                Cancel(grace_ms=rng.choice((None, 0, 400)), wording=wording),
                Shield(),
                Skip(wording=wording),
            )
        )
