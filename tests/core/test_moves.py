"""What becomes of what waits when history is cut."""

from collections.abc import Mapping, Sequence

from simlab.core.commands import Drop
from simlab.core.decisions import (
    Closing,
    Decision,
    Departure,
    DropReason,
    Interrupt,
    Keep,
    Moment,
    Queue,
    SafePoint,
    Take,
)
from simlab.core.events import Event, Verdict
from simlab.core.messages import notation
from simlab.core.plugins import Traits
from simlab.core.record import IntentKind
from simlab.core.state import OpenCall
from simlab.core.view import View
from simlab.invariants import check
from simlab.sim.spec import ModelSpec, Step
from tests.validation.building import constant, event, request, run, tool, world


class CutToTheRequest:
    """Keeps tools running behind placeholders, and cuts everything behind the request at the second event."""

    name = "cut-to-the-request"
    traits = Traits(points=frozenset({SafePoint.IDLE}), departures=frozenset({Departure.REWINDS}))

    def on_event(self, view: View, event: Event, _verdict: Verdict) -> Decision:
        if event.id.startswith("late:"):
            return Queue()
        return Interrupt(rewind_to=1 if event.id == "U3" else None)

    def at_safe_point(self, view: View, _point: SafePoint) -> Take:
        return Take(append=view.backlog_ids)

    def on_open_calls(self, _view: View, calls: Sequence[OpenCall], _moment: Moment) -> Mapping[str, Closing]:
        return {call.call.id: Keep() for call in calls}


def test_the_report_of_a_call_that_was_cut_away_is_withdrawn() -> None:
    """c1 runs 2,000-9,000 behind a placeholder, and its result waits from 9,000 on; U3 cuts c1 away."""
    spec = world(
        tools=(tool("t", 7_000),),
        steps=(Step(id="a", tool="t"),),
        events=(
            request(),
            event("U2", 3_000, IntentKind.LIGHT),
            event("U4", 8_000, IntentKind.LIGHT),
            event("U3", 9_500, IntentKind.CORRECT, task="U1"),
        ),
        model=ModelSpec(call_ms=constant(2_000)),
    )
    record = run(spec, CutToTheRequest())
    assert notation(record.trace.trajectory()) == "U1 U3 A"
    drops = [item for _, item in record.trace.records if isinstance(item, Drop)]
    assert [(drop.event_ids, drop.reason) for drop in drops] == [(("late:c1",), DropReason.WITHDRAWN)]
    assert check(record) == []
