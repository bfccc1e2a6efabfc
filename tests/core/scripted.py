"""A strategy put together for one test, and a schedule played with it."""

from collections.abc import Sequence
from typing import Any

from simlab.core.decisions import Cancel, Decision, Departure, Interrupt, Moment, Queue, SafePoint, Take
from simlab.core.events import Event, Verdict
from simlab.core.messages import notation
from simlab.core.plugins import Traits
from simlab.core.view import View
from simlab.strategies.habits import FLUSH_POINTS, take_all
from simlab.testing.schedule import parse_schedule
from simlab.testing.stage import Stage

BEGIN = "U1 arrives user.input from user\nU1 is-routed queue\ninstant settles\n"
URGENT = "+1 U2 arrives user.interrupt from user\nU2 is-routed cancel\n"
TOOL = "model says look\ninstant settles\n"


class Scripted:
    """A strategy put together for one test; urgent events interrupt a busy agent as ``how`` says."""

    name = "scripted"

    def __init__(
        self,
        *,
        how: Decision | Sequence[Decision] | None = None,
        closings: Any = None,
        moments: frozenset[Moment] = frozenset({Moment.APPEND}),
        takes: Any = None,
        points: frozenset[SafePoint] = FLUSH_POINTS,
        sequential: bool = False,
        decide: Any = None,
    ) -> None:
        self.how = how or Interrupt()
        self.decide = decide
        self.closings = closings or (lambda _call, _moment: Cancel())
        self.takes = takes or (lambda view, _point: take_all(view))
        self.traits = Traits(
            points=points, moments=moments, departures=frozenset(Departure), sequential_tools=sequential
        )

    def on_event(self, view: View, event: Event, _verdict: Verdict) -> Any:
        if self.decide is not None:
            return self.decide(view, event)
        return self.how if event.urgent and not view.is_idle else Queue()

    def at_safe_point(self, view: View, point: SafePoint) -> Take:
        made: Take = self.takes(view, point)
        return made

    def on_open_calls(self, _view: View, calls: Sequence[Any], moment: Moment) -> dict[str, Any]:
        return {call.call.id: self.closings(call, moment) for call in calls}


def play(text: str, **given: Any) -> Stage:
    stage = Stage(Scripted(**given), watch=False)
    for move in parse_schedule(text):
        assert stage.play(move), f"illegal: {move}"
    return stage


def said(stage: Stage) -> str:
    return notation(stage.agent.state.trajectory)


def commands(stage: Stage, kind: type[Any]) -> list[Any]:
    return [item for _, item in stage.trace.records if isinstance(item, kind)]


def go_on(stage: Stage, text: str) -> Stage:
    """Play more moves, each of which must be legal."""
    for move in parse_schedule(text):
        assert stage.play(move), f"illegal: {move}"
    return stage
