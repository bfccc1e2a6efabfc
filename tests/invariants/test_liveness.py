"""Progress: starving while idle, and calling the model without end."""

from collections.abc import Mapping, Sequence

from simlab.core.decisions import NOTHING, Closing, Decision, Moment, Queue, SafePoint, Take
from simlab.core.events import Event, Verdict
from simlab.core.plugins import Strategy, Traits
from simlab.core.state import OpenCall
from simlab.core.view import View
from simlab.invariants import check
from simlab.invariants.liveness import CALLS_WITHOUT_NEWS, IDLE_WAIT_LIMIT_MS
from simlab.routers import ROUTERS
from simlab.sim.driver import simulate
from simlab.sim.spec import EventSpec
from tests.strategies.products.kit import event, request, world


class Holds:
    """Holds every event back for a fixed time, and takes it when its window has closed."""

    name = "holds"
    traits = Traits(points=frozenset({SafePoint.IDLE}))

    def __init__(self, hold_ms: int) -> None:
        self.hold_ms = hold_ms

    def on_event(self, _view: View, _event: Event, _verdict: Verdict) -> Decision:
        return Queue(hold_ms=self.hold_ms)

    def at_safe_point(self, view: View, _point: SafePoint) -> Take:
        return NOTHING if view.held else Take(append=view.backlog_ids)

    def on_open_calls(self, _view: View, _calls: Sequence[OpenCall], _moment: Moment) -> Mapping[str, Closing]:
        return {}


class NeverEnds(Holds):
    """Calls the model again whenever a turn would end."""

    name = "never ends"
    traits = Traits(points=frozenset({SafePoint.IDLE, SafePoint.TURN_CLOSED}))

    def at_safe_point(self, view: View, _point: SafePoint) -> Take:
        return Take(append=view.backlog_ids, call=True)


def _breached(strategy: Strategy, *later: EventSpec, horizon_ms: int | None = None) -> list[str]:
    spec = world([request(), *later], horizon_ms=horizon_ms)
    return [breach.invariant for breach in check(simulate(spec, strategy, ROUTERS.get("by_type")))]


def test_a_window_up_to_the_limit_is_no_breach_and_one_millisecond_more_is() -> None:
    assert _breached(Holds(IDLE_WAIT_LIMIT_MS)) == []
    assert set(_breached(Holds(IDLE_WAIT_LIMIT_MS + 1))) == {"nothing_starves_while_the_agent_is_idle"}


def test_an_agent_that_calls_the_model_for_nothing_is_found_at_the_tenth_call() -> None:
    tenth_ms = 12_000 + 2000 * (CALLS_WITHOUT_NEWS - 1)  # U2 enters with the call at 12,000
    assert _breached(NeverEnds(0), event("U2", 11_000), horizon_ms=tenth_ms - 1) == []
    assert _breached(NeverEnds(0), event("U2", 11_000), horizon_ms=tenth_ms) == ["the_agent_comes_to_rest"]
