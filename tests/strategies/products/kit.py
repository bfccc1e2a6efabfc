"""Small scripted worlds for the conformance tests: model calls of 2,000 ms, everything else constant."""

from simlab.core.events import EventType
from simlab.core.messages import ToolKind, ToolSpec, notation
from simlab.core.record import IntentKind, RunRecord
from simlab.routers import ROUTERS
from simlab.sim.driver import simulate
from simlab.sim.laws import Constant
from simlab.sim.spec import EventSpec, Intent, ModelSpec, Plan, Step, ToolModel, WorldSpec
from simlab.strategies import STRATEGIES


def tool(
    name: str, run_ms: int, *, commit_share: float | None = None, can_be_cancelled: bool = True, prepare_ms: int = 0
) -> ToolModel:
    """Return a tool that runs ``run_ms``; with a commit share it has a side effect."""
    kind = ToolKind.READ if commit_share is None else ToolKind.EFFECT
    spec = ToolSpec(name=name, kind=kind, can_be_cancelled=can_be_cancelled, prepares=prepare_ms > 0)
    return ToolModel(spec=spec, run_ms=Constant(value=float(run_ms)), commit_share=commit_share, prepare_ms=prepare_ms)


def event(
    event_id: str,
    at_ms: int,
    kind: IntentKind = IntentKind.LIGHT,
    event_type: EventType = EventType.USER_INPUT,
    *,
    task: str | None = None,
    plan: str | None = None,
    text: str = "",
    source: str = "user",
) -> EventSpec:
    """Return a scripted event."""
    intent = Intent(kind=kind, task=task, plan=plan)
    return EventSpec(id=event_id, at_ms=at_ms, type=event_type, intent=intent, text=text, source=source)


def request(event_id: str = "U1", at_ms: int = 0, plan: str = "p") -> EventSpec:
    """Return a request that follows a plan."""
    return event(event_id, at_ms, IntentKind.REQUEST, plan=plan)


def urgent(event_id: str, at_ms: int, kind: IntentKind = IntentKind.LIGHT, *, task: str | None = None) -> EventSpec:
    """Return an event of the type ``user.interrupt``."""
    return event(event_id, at_ms, kind, EventType.USER_INTERRUPT, task=task)


def plan_of(*steps: str | tuple[str, str]) -> Plan:
    """Return a plan: each step is a tool's name, or (tool, the step that it needs)."""
    made = []
    for step in steps:
        name, needs = (step, ()) if isinstance(step, str) else (step[0], (step[1],))
        made.append(Step(id=name, tool=name, needs=needs))
    return Plan(steps=tuple(made))


def world(
    events: list[EventSpec],
    tools: list[ToolModel] | None = None,
    plan: Plan | None = None,
    *,
    call_ms: int = 2000,
    thinking_share: float = 0.0,
    horizon_ms: int | None = None,
) -> WorldSpec:
    """Return a world; by default one tool ``t`` of 8,000 ms, which the plan ``p`` calls once."""
    return WorldSpec(
        name="scripted",
        tools=tuple(tools or [tool("t", 8000)]),
        plans={"p": plan or plan_of("t")},
        events=tuple(events),
        model=ModelSpec(call_ms=Constant(value=float(call_ms)), thinking_share=thinking_share),
        horizon_ms=horizon_ms,
    )


def run(name: str, spec: WorldSpec, router: str = "by_type") -> RunRecord:
    """Run a shipped strategy in a world."""
    return simulate(spec, STRATEGIES.get(name), ROUTERS.get(router))


def line(record: RunRecord) -> str:
    """Return the trajectory as one line of letters."""
    return notation(record.trace.trajectory())


def answered_ms(record: RunRecord, event_id: str) -> int | None:
    """Return when the model had acted on an event."""
    return record.events[event_id].acted_ms


def main_calls(record: RunRecord) -> int:
    """Return how many main model calls were started."""
    return sum(not call.side for call in record.model_calls)
