"""Small worlds for the proofs: constant times, one line each."""

from simlab.core.events import EventType
from simlab.core.messages import ToolSpec
from simlab.core.plugins import Strategy
from simlab.core.record import IntentKind, RunRecord
from simlab.routers import ROUTERS
from simlab.sim.driver import simulate
from simlab.sim.laws import Constant, Exponential, Gamma, Law
from simlab.sim.spec import (
    Acts,
    CancelPoints,
    EventSpec,
    Intent,
    ModelSpec,
    Plan,
    RandomPlan,
    Step,
    StreamSpec,
    ToolModel,
    WorldSpec,
)
from simlab.strategies import STRATEGIES


def constant(value: float) -> Constant:
    """Return the law that always gives this value."""
    return Constant(value=float(value))


def tool(
    name: str,
    run_ms: float = 0,
    *,
    acts: Acts = Acts.RUN,
    can_be_cancelled: bool = True,
    commit_share: float | None = None,
    cancel_points: CancelPoints = CancelPoints.ANYWHERE,
    cancel_every_ms: int = 0,
    signal_ms: int = 0,
    ack_ms: int = 0,
    law: Law | None = None,
) -> ToolModel:
    """Return a tool with a constant run time (or ``law``)."""
    return ToolModel(
        spec=ToolSpec(name=name, can_be_cancelled=can_be_cancelled),
        run_ms=constant(run_ms) if law is None else law,
        acts=acts,
        commit_share=commit_share,
        cancel_points=cancel_points,
        cancel_every_ms=cancel_every_ms,
        signal_ms=signal_ms,
        ack_ms=ack_ms,
    )


def event(
    name: str,
    at_ms: int,
    kind: IntentKind,
    *,
    type_: EventType = EventType.USER_INPUT,
    plan: str | None = None,
    task: str | None = None,
    step: str | None = None,
) -> EventSpec:
    """Return a scripted event."""
    return EventSpec(id=name, at_ms=at_ms, type=type_, intent=Intent(kind=kind, plan=plan, task=task, step=step))


def request(at_ms: int = 0, name: str = "U1", plan: str = "p") -> EventSpec:
    """Return the request that starts the only task."""
    return event(name, at_ms, IntentKind.REQUEST, plan=plan)


def world(
    *,
    tools: tuple[ToolModel, ...] = (),
    steps: tuple[Step, ...] = (),
    final_needs: tuple[str, ...] = (),
    final_tokens: Law | None = None,
    events: tuple[EventSpec, ...],
    model: ModelSpec,
) -> WorldSpec:
    """Return a world with one plan, ``p``."""
    plans: dict[str, Plan | RandomPlan] = {"p": Plan(steps=steps, final_needs=final_needs, final_tokens=final_tokens)}
    return WorldSpec(name="proof", tools=tools, plans=plans, events=events, model=model)


MS_A_TOKEN = ModelSpec(decode_tok_s=constant(1000), idle_tokens=0)
"""A model that needs one millisecond a token: the tokens of a piece of work are its time."""


def light_stream(*, mean_gap_ms: float, until_ms: int, call_ms: Law) -> WorldSpec:
    """Return a world of independent light questions, Poisson in time, each answered by one model call."""
    question = event("e", 0, IntentKind.LIGHT)
    stream = StreamSpec(
        name="questions", gap_ms=Exponential(scale=mean_gap_ms), variants=((1.0, question),), until_ms=until_ms
    )
    return WorldSpec(name="stream", streams=(stream,), model=ModelSpec(call_ms=call_ms))


LAWS: dict[str, Law] = {
    "constant": Constant(value=20_000.0),
    "exponential": Exponential(scale=20_000.0),
    "gamma": Gamma(shape=3.0, scale=20_000.0 / 3.0),
}
"""Service laws of mean 20 s. Times are whole milliseconds, so a long mean keeps the rounding far below the noise."""


def run(spec: WorldSpec, strategy: str | Strategy, *, router: str = "by_type", replication: int = 0) -> RunRecord:
    """Run a strategy (by name, or one made for the test) in a world."""
    made = STRATEGIES.get(strategy) if isinstance(strategy, str) else strategy
    return simulate(spec, made, ROUTERS.get(router), seed=20_26, replication=replication)
