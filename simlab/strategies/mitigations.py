"""Mitigations that a strategy can take: a wrapper that changes how things are said and closed, never what is decided.

``mitigated(strategy, Mitigations(wording=Wording.EXPLICIT, reminder=True))`` behaves like the strategy, except that its
placeholders say plainly that a result is missing, and that an interrupting message says what is to be resumed.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from simlab.core.decisions import (
    Cancel,
    Closing,
    Decision,
    Interrupt,
    Keep,
    LeaveOpen,
    Moment,
    SafePoint,
    Shield,
    Skip,
    Take,
)
from simlab.core.events import Event, Verdict
from simlab.core.messages import Mark, Wording
from simlab.core.plugins import Strategy
from simlab.core.state import CallStatus, OpenCall
from simlab.core.values import value
from simlab.core.view import View


@value
class Mitigations:
    """Switches. ``wording``: of every placeholder (None: the strategy's own).

    ``numbered``: what is appended says "unprocessed event k of n", with a line that sums the batch up.
    ``reminder``: what comes between the model and its work ends with a word that the work is to be resumed.
    ``shield_irreversible``: a running tool whose effect cannot be taken back is never cancelled; it finishes first.
    """

    wording: Wording | None = None
    numbered: bool = False
    reminder: bool = False
    shield_irreversible: bool = False

    @property
    def label(self) -> str:
        """The switches that are on, for the strategy's name."""
        words = [str(self.wording)] if self.wording is not None else []
        words += [name for name in ("numbered", "reminder") if getattr(self, name)]
        words += ["shield"] if self.shield_irreversible else []
        return "".join(f"+{word}" for word in words)


class Mitigated:
    """A strategy with mitigations. Pure, as the strategy is."""

    def __init__(self, strategy: Strategy, mitigations: Mitigations) -> None:
        self.name = strategy.name + mitigations.label
        self.traits = strategy.traits
        self._strategy = strategy
        self._mitigations = mitigations
        self._mark = Mark.NUMBERED if mitigations.numbered else Mark.PLAIN

    def on_event(self, view: View, event: Event, verdict: Verdict) -> Sequence[Decision]:
        """Decide as the strategy does; an interrupt is marked."""
        decided = self._strategy.on_event(view, event, verdict)
        decisions = decided if isinstance(decided, list | tuple) else (decided,)
        return tuple(self._marked(each) for each in decisions)

    def _marked(self, decision: Decision) -> Decision:
        if not isinstance(decision, Interrupt):
            return decision
        return replace(
            decision,
            mark=self._mark if decision.mark is Mark.PLAIN else decision.mark,
            reminds=decision.reminds or self._mitigations.reminder,
        )

    def at_safe_point(self, view: View, point: SafePoint) -> Take:
        """Take what the strategy takes, marked."""
        take = self._strategy.at_safe_point(view, point)
        if not take.append:
            return take
        return replace(
            take,
            mark=self._mark if take.mark is Mark.PLAIN else take.mark,
            reminds=take.reminds or (self._mitigations.reminder and point is not SafePoint.IDLE),
        )

    def on_open_calls(self, view: View, calls: Sequence[OpenCall], moment: Moment) -> Mapping[str, Closing]:
        """Close calls as the strategy does, in the chosen words; what cannot be taken back is not cancelled."""
        closings = self._strategy.on_open_calls(view, calls, moment)
        by_id = {call.call.id: call for call in calls}
        return {call_id: self._mild(closing, by_id[call_id]) for call_id, closing in closings.items()}

    def _mild(self, closing: Closing, call: OpenCall) -> Closing:
        wording = self._mitigations.wording
        cancels = isinstance(closing, Cancel) or (isinstance(closing, LeaveOpen) and closing.cancel)
        if self._mitigations.shield_irreversible and call.spec.irreversible and cancels and call.runs:
            closing = Keep() if call.status is CallStatus.BACKGROUND else Shield()
        if wording is not None and isinstance(closing, Keep | Cancel | Skip):
            return replace(closing, wording=wording)
        return closing


def mitigated(strategy: Strategy, mitigations: Mitigations) -> Strategy:
    """Return a strategy that takes the given mitigations."""
    return Mitigated(strategy, mitigations)
