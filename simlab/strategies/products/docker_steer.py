"""docker agent, ``/steer``: drained after the tools and before the check whether to stop; at most five wait.

Product: docker agent, as described in public sources, 2026. Source: its runtime loop; docker-agent#2491 for the
message that was stranded because a run did not drain at its entry. Unknown: how wide that window was;
``DockerSteerNoEntry`` has the fault with a window as long as the last model call.
"""

from typing import Final

from simlab.core.decisions import Departure, Interrupt, Pending, Queue, Refuse, SafePoint, Take
from simlab.core.events import Event, Verdict
from simlab.core.messages import Mark
from simlab.core.plugins import Traits
from simlab.core.view import View
from simlab.strategies.habits import is_late
from simlab.strategies.pieces import Answer, take_ids, tools_run_on

CAP: Final = 5


class DockerSteer:
    """Reminders that keep the loop alive; the sixth is refused."""

    name = "docker-steer"
    traits = Traits(points=frozenset({SafePoint.ROUND_CLOSED, SafePoint.TURN_CLOSED, SafePoint.IDLE}))
    on_open_calls = tools_run_on

    def on_event(self, view: View, event: Event, _verdict: Verdict) -> Answer:
        """Accept up to the cap."""
        full = not view.is_idle and sum(not item.is_report for item in view.backlog) >= CAP
        return Refuse(reason="steering queue full") if full and not is_late(event) else Queue()

    def at_safe_point(self, view: View, point: SafePoint) -> Take:
        """Drain; at the entry of a run too."""
        return take_ids(view.backlog_ids, Mark.PLAIN if point is SafePoint.IDLE else Mark.REMINDER)


class DockerSteerNoEntry(DockerSteer):
    """The original fault: nothing is drained at the entry of a run, so a late steer waits for the next tools."""

    name = "docker-steer-no-entry"
    traits = Traits(
        points=frozenset({SafePoint.ROUND_CLOSED}), departures=frozenset({Departure.WAITS, Departure.REORDERS})
    )

    def on_event(self, view: View, event: Event, verdict: Verdict) -> Answer:
        """Begin a run with the new message alone."""
        return Interrupt(backlog=Pending.KEEP) if view.is_idle else super().on_event(view, event, verdict)
