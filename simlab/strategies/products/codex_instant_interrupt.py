"""Codex, instant interrupt (a flag that is off by default): user input stops the model's stream at once.

Product: Codex, as described in public sources, 2026. Source: codex-rs, the turn loop. While tools run it is a steer.
Unknown: whether complete items of the stopped stream are kept; here everything unfinished is discarded.
"""

from simlab.core.decisions import Interrupt, Queue
from simlab.core.events import PERSON_TYPES, Event, Verdict
from simlab.core.phases import Phase
from simlab.core.view import View
from simlab.strategies.pieces import Answer
from simlab.strategies.products.codex_steer import CodexSteer


class CodexInstantInterrupt(CodexSteer):
    """A person's word discards the model call in flight; the same turn samples again."""

    name = "codex-instant-interrupt"

    def on_event(self, view: View, event: Event, _verdict: Verdict) -> Answer:
        """Stop the stream, if there is one."""
        stops = view.phase is Phase.THINKING or view.is_stopping
        return Interrupt() if stops and event.type in PERSON_TYPES else Queue()
