"""Codex, ``turn/interrupt``: abort with a grace of 100 ms, clear what waits, go idle; routine messages steer.

Product: Codex, as described in public sources, 2026. Source: codex-rs, tasks/mod.rs (pending input is cleared by
design). A tool that ignores the signal goes on; the record says that it was aborted and may have partly run.
Unknown: what a client does with the cleared messages. Here the interrupting message itself starts the next turn.
"""

from collections.abc import Mapping, Sequence
from typing import Final

from simlab.core.decisions import Cancel, Closing, Departure, Interrupt, Moment, Pending, Queue, Then
from simlab.core.events import Event, Verdict
from simlab.core.messages import Wording
from simlab.core.plugins import Traits
from simlab.core.state import OpenCall
from simlab.core.view import View
from simlab.strategies.pieces import Answer
from simlab.strategies.products.codex_steer import CodexSteer

GRACE_MS: Final = 100


class CodexInterrupt(CodexSteer):
    """Urgent events abort the turn and clear the backlog."""

    name = "codex-interrupt"
    traits = Traits(points=CodexSteer.traits.points, departures=frozenset({Departure.CLEARS_BACKLOG}))

    def on_event(self, view: View, event: Event, _verdict: Verdict) -> Answer:
        """Abort for urgent events; others steer."""
        abort = Interrupt(then=Then.IDLE, backlog=Pending.CLEAR, queue=True)
        return abort if event.urgent and not view.is_idle else Queue()

    def on_open_calls(self, _view: View, calls: Sequence[OpenCall], _moment: Moment) -> Mapping[str, Closing]:
        """Signal, wait 100 ms, abort."""
        return {call.call.id: Cancel(grace_ms=GRACE_MS, wording=Wording.TERSE) for call in calls}
