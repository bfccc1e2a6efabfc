"""LiveKit Agents, barge-in: half a second of speech stops the reply, cut to what was heard; tools are never stopped.

Product: LiveKit Agents, as described in public sources, 2026. Source: its documentation of turns and interruptions. A
running tool stands as "still in progress" until its result takes that place; the result forces no reply. A false alarm
(a backchannel, no new request) resumes the reply after 2 s. Unknown: how speech is told from noise; here by the words.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from simlab.core.commands import Partial
from simlab.core.decisions import (
    NOTHING,
    Closing,
    Departure,
    Interrupt,
    Keep,
    LatePolicy,
    Moment,
    Pending,
    Queue,
    Take,
    Then,
)
from simlab.core.decisions import SafePoint as At
from simlab.core.events import Event, Verdict
from simlab.core.plugins import Traits
from simlab.core.state import OpenCall
from simlab.core.view import View
from simlab.strategies.habits import FLUSH_POINTS
from simlab.strategies.pieces import Answer, is_speech

SPEECH_MS: Final = 500
RESUME_MS: Final = 2000
BACKCHANNELS: Final = frozenset({"mm-hm", "uh-huh", "okay", "right", "yeah", "嗯", "好的"})


class LivekitBargeIn:
    """Stops talking, not working."""

    name = "livekit-barge-in"
    traits = Traits(
        points=FLUSH_POINTS, departures=frozenset({Departure.KEEPS_PARTIAL, Departure.EDITS, Departure.WAITS})
    )

    def on_event(self, view: View, event: Event, _verdict: Verdict) -> Answer:
        """Stop for speech that lasts; wait and resume if it was none."""
        if view.is_idle or not is_speech(event):
            return Queue()
        stop = Interrupt(partial=Partial.TRUNCATE, after_ms=SPEECH_MS)
        if event.content in BACKCHANNELS:
            return replace(stop, then=Then.IDLE, backlog=Pending.KEEP, queue=True, hold_ms=RESUME_MS)
        return stop

    def at_safe_point(self, view: View, point: At) -> Take:
        """Flush; a late result alone forces no reply."""
        if view.held and len(view.held) == len(view.backlog):
            return NOTHING
        silent = point in (At.TURN_CLOSED, At.IDLE) and all(item.call_id is not None for item in view.backlog)
        return Take(append=view.backlog_ids, call=False if silent else None)

    def on_open_calls(self, _view: View, calls: Sequence[OpenCall], _moment: Moment) -> Mapping[str, Closing]:
        """Let every tool finish behind its placeholder."""
        return {call.call.id: Keep(late=LatePolicy.REPLACE) for call in calls}
