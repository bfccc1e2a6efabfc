"""Claude Code, Esc: abort, close every open call, keep what waits, and wait for the user.

Product: Claude Code, as described in public sources, 2026. Source: reports of its behaviour; when the fill fails the
session is dead: claude-code#3003, #12162, #2179, #1015, #1750. A person's urgent event is the Esc with its text.
Unknown: when the partial answer is kept and when it is dropped; here it is kept.
"""

from collections.abc import Mapping, Sequence

from simlab.core.commands import Partial
from simlab.core.decisions import Closing, Departure, Interrupt, Moment, Pending, Queue, Then
from simlab.core.events import Event, Verdict
from simlab.core.messages import Wording
from simlab.core.plugins import Traits
from simlab.core.state import OpenCall
from simlab.core.view import View
from simlab.strategies.pieces import Answer, close_calls, is_speech
from simlab.strategies.products.claude_reminder import ClaudeReminder


class ClaudeEsc(ClaudeReminder):
    """A person's urgent event stops everything; nothing goes on before the person speaks again."""

    name = "claude-esc"
    traits = Traits(points=ClaudeReminder.traits.points, departures=frozenset({Departure.KEEPS_PARTIAL}))

    def on_event(self, view: View, event: Event, _verdict: Verdict) -> Answer:
        """Stop for Esc; other messages travel as reminders."""
        if view.is_idle or not (event.urgent and is_speech(event)):
            return Queue()
        return Interrupt(then=Then.WAIT_USER, backlog=Pending.KEEP, partial=Partial.KEEP)

    def on_open_calls(self, _view: View, calls: Sequence[OpenCall], _moment: Moment) -> Mapping[str, Closing]:
        """Close every call."""
        return close_calls(calls, Wording.TERSE)
