"""Codex, mail between peers: mail that triggers a turn may stop the stream between items; other mail waits.

Product: Codex, as described in public sources, 2026. Source: codex-rs, the mailbox of a session. After a final answer
was shown, mail belongs to the next turn. Here mail triggers when it is urgent (``agent.interrupt``).
Unknown: how often senders set the trigger. Late mail without one waits for whatever comes next.
"""

from simlab.core.decisions import NOTHING, Departure, SafePoint, Take
from simlab.core.events import EventType
from simlab.core.plugins import Traits
from simlab.core.state import Item
from simlab.core.view import View
from simlab.strategies.habits import take_all
from simlab.strategies.pieces import queue_it, take_ids, tools_run_on

MAIL = (EventType.AGENT_INPUT, EventType.AGENT_INTERRUPT)


def _triggers(item: Item) -> bool:
    return item.event.urgent or item.event.type not in MAIL


class CodexMailbox:
    """Steers as ``codex-steer``; mail enters the current turn, or waits for the next one."""

    name = "codex-mailbox"
    traits = Traits(
        points=frozenset({SafePoint.STREAM_ITEM, SafePoint.BEFORE_CALL, SafePoint.TURN_CLOSED, SafePoint.IDLE}),
        departures=frozenset({Departure.WAITS}),
    )
    on_event = queue_it
    on_open_calls = tools_run_on

    def at_safe_point(self, view: View, point: SafePoint) -> Take:
        """Take mail into a turn that goes on; begin a turn only for what triggers one."""
        if point is SafePoint.TURN_CLOSED:
            return take_ids([item.id for item in view.backlog if item.event.type not in MAIL])
        if point is SafePoint.STREAM_ITEM:
            goes_on = any(item.event.type in MAIL and _triggers(item) for item in view.backlog)
        elif point is SafePoint.BEFORE_CALL:
            goes_on = view.call_in_turn > 0
        else:
            goes_on = any(_triggers(item) for item in view.backlog)
        return take_all(view) if goes_on else NOTHING
