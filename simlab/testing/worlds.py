"""Random worlds: everything that the world can do, in small, and many things in the same millisecond on purpose.

``random_world(rng)`` makes one from a seeded generator; ``worlds()`` gives them to Hypothesis. Every world comes to
rest or has a horizon.
"""

from random import Random
from typing import TYPE_CHECKING

from simlab.core.events import EventType
from simlab.core.messages import ToolKind, ToolSpec
from simlab.core.record import IntentKind
from simlab.sim.laws import Constant, Discrete, Exponential, Law, Uniform
from simlab.sim.spec import (
    Acts,
    CancelPoints,
    EventSpec,
    Guard,
    Intent,
    ModelSpec,
    PlacedSpec,
    Plan,
    RandomPlan,
    SessionSpec,
    Step,
    StreamSpec,
    ToolModel,
    WorldSpec,
)

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

_GRIDS_MS = (1, 500, 1_000, 1_000)
_URGENT = (EventType.USER_INTERRUPT, EventType.SUPERVISOR_INSTRUCTION, EventType.AGENT_INTERRUPT)
_ROUTINE = (EventType.USER_INPUT, EventType.AGENT_INPUT, EventType.EXTERNAL_TRIGGER, EventType.TIMER_TRIGGER)
_SOURCES = ("user", "user", "supervisor", "peer", "monitor")


def random_world(rng: Random, *, name: str = "random") -> WorldSpec:
    """Return a world; equal generators give equal worlds."""
    return _Maker(rng).world(name)


def worlds() -> "SearchStrategy[WorldSpec]":
    """Return the Hypothesis generator of worlds (needs Hypothesis)."""
    from hypothesis import strategies as st

    return st.builds(random_world, st.randoms(use_true_random=False))


def _step_ids(plan: Plan | RandomPlan | None) -> list[str]:
    return [each.id for each in plan.steps] if isinstance(plan, Plan) else []


class _Maker:
    """Makes one world. All times lie on one grid, coarse more often than not, so that they coincide."""

    def __init__(self, rng: Random) -> None:
        self.rng = rng
        self.grid_ms = rng.choice(_GRIDS_MS)

    def chance(self, share: float) -> bool:
        return self.rng.random() < share

    def ms(self, low_ms: int, high_ms: int) -> int:
        """Return a time on the grid."""
        grid_ms = self.grid_ms
        return grid_ms * self.rng.randint(-(-low_ms // grid_ms), max(-(-low_ms // grid_ms), high_ms // grid_ms))

    def law(self, low_ms: int, high_ms: int) -> Law:
        """Return a law of times, most often one that stays on the grid."""
        kind = self.rng.randrange(4)
        if kind == 0:
            return Exponential(scale=float(max(1, (low_ms + high_ms) // 2)), cap=4.0 * high_ms)
        if kind == 1:
            return Discrete(values=(float(low_ms), float(high_ms)), weights=(1.0, 1.0))
        if kind == 2 and self.grid_ms == 1:
            return Uniform(low=float(low_ms), high=float(high_ms))
        return Constant(value=float(self.ms(low_ms, high_ms)))

    # --- tools ------------------------------------------------------------------------------------------------------

    def tool(self, name: str) -> ToolModel:
        effect = self.chance(0.5)
        points = self.rng.choice(list(CancelPoints))
        spec = ToolSpec(
            name=name,
            kind=ToolKind.EFFECT if effect else ToolKind.READ,
            can_be_cancelled=points is not CancelPoints.NONE or self.chance(0.5),
            irreversible=effect and self.chance(0.3),
            idempotent=self.chance(0.3),
            typical_ms=self.ms(1_000, 10_000) if self.chance(0.5) else None,
            light=not effect and self.chance(0.3),
            prepares=self.chance(0.25),
        )
        return ToolModel(
            spec=spec,
            run_ms=self.law(0 if self.chance(0.2) else 1_000, 12_000),
            prepare_ms=self.ms(0, 1_500),
            commit_share=self.rng.choice((0.0, 0.25, 0.5, 0.75, 1.0)) if effect else None,
            cancel_points=points,
            cancel_every_ms=max(1, self.ms(500, 3_000)),
            signal_ms=self.ms(0, 1_000) if self.chance(0.4) else 0,
            ack_ms=self.ms(0, 3_000) if self.chance(0.4) else 0,
            timeout_ms=max(1, self.ms(2_000, 9_000)) if self.chance(0.25) else None,
            failure=self.rng.choice((0.3, 1.0)) if self.chance(0.25) else 0.0,
            result_tokens=Constant(value=float(self.rng.randint(0, 500))),
        )

    def job_tools(self) -> tuple[ToolModel, ...]:
        return tuple(
            ToolModel(
                spec=ToolSpec(name=str(acts), prepares=self.chance(0.15)), acts=acts, prepare_ms=self.ms(0, 1_000)
            )
            for acts in (Acts.START, Acts.STATUS, Acts.CANCEL)
        )

    # --- plans ------------------------------------------------------------------------------------------------------

    def plan(self, tools: tuple[ToolModel, ...]) -> Plan:
        steps: list[Step] = []
        started: list[str] = []
        for index in range(self.rng.randint(0, 5)):
            step = self.step(f"s{index}", [each.id for each in steps], started, tools)
            steps.append(step)
            if step.tool == Acts.START:
                started.append(step.id)
        needs = tuple(each.id for each in steps if self.chance(0.5)) if self.chance(0.3) else ()
        jobs = tuple(f"job:{name}" for name in started if self.chance(0.7))
        if jobs and not needs:
            needs = tuple(each.id for each in steps)
        return Plan(steps=tuple(steps), final_needs=(*needs, *jobs))

    def step(self, name: str, before: list[str], started: list[str], tools: tuple[ToolModel, ...]) -> Step:
        needs = tuple(each for each in before if self.chance(0.3))
        if started and self.chance(0.35):
            job = self.rng.choice(started)
            acts = self.rng.choice((Acts.STATUS, Acts.CANCEL))
            return Step(id=name, tool=str(acts), job=job, needs=tuple({*needs, *((job,) if self.chance(0.8) else ())}))
        if self.chance(0.2):
            return Step(id=name, tool=str(Acts.START), needs=needs, run_ms=self.law(0, 15_000))
        guard = None
        if needs and self.chance(0.2):
            guard = Guard(step=self.rng.choice(needs), below=50.0)
        if started and self.chance(0.2):
            needs = (*needs, f"job:{self.rng.choice(started)}")
        return Step(id=name, tool=self.rng.choice(tools).spec.name, needs=needs, guard=guard)

    # --- events -----------------------------------------------------------------------------------------------------

    def event(self, number: int, at_ms: int, plans: dict[str, Plan | RandomPlan], asked: dict[str, str]) -> EventSpec:
        """Return one event; what it is about is an earlier request, now and then one that never was."""
        kind = self.rng.choice(list(IntentKind)) if asked else IntentKind.REQUEST
        urgent = self.chance(0.4)
        name = f"E{number}"
        task = step = plan = None
        needs: tuple[str, ...] = ()
        if kind is IntentKind.REQUEST:
            plan = self.rng.choice(list(plans)) if self.chance(0.9) else None
        elif asked and kind is not IntentKind.LIGHT and kind is not IntentKind.NOTICE:
            task = self.rng.choice(list(asked)) if self.chance(0.95) else "nobody"
            steps = _step_ids(plans.get(asked.get(task, "")))
            if steps and self.chance(0.5):
                step = self.rng.choice(steps)
            needs = tuple(each for each in steps if self.chance(0.3))
        type_ = self.rng.choice(_URGENT if urgent else _ROUTINE)
        return EventSpec(
            id=name,
            at_ms=at_ms,
            type=type_,
            intent=Intent(kind=kind, plan=plan, task=task, step=step, needs=needs),
            source=self.rng.choice(_SOURCES),
            marked_urgent=urgent and self.chance(0.5),
            patience_ms=Constant(value=float(self.ms(1_000, 20_000))) if self.chance(0.15) else None,
            retry_ms=Constant(value=float(self.ms(500, 5_000))) if self.chance(0.3) else None,
        )

    def events(self, plans: dict[str, Plan | RandomPlan]) -> tuple[EventSpec, ...]:
        made: list[EventSpec] = []
        asked: dict[str, str] = {}
        at_ms = 0
        for number in range(1, self.rng.randint(2, 9)):
            spec = self.event(number, at_ms, plans, asked)
            if spec.intent.kind is IntentKind.REQUEST:
                asked[spec.id] = spec.intent.plan or ""
            made.append(spec)
            if not self.chance(0.25):  # otherwise the next one comes in the same millisecond
                at_ms += self.ms(0, 6_000)
        return tuple(made)

    def streams(self) -> tuple[StreamSpec, ...]:
        if not self.chance(0.2):
            return ()
        variants = tuple(
            (
                1.0,
                EventSpec(
                    id=f"drip-{kind}",
                    at_ms=0,
                    type=self.rng.choice((*_URGENT, *_ROUTINE)),
                    intent=Intent(kind=kind, task="@latest" if kind is not IntentKind.LIGHT else None),
                    source=self.rng.choice(_SOURCES),
                ),
            )
            for kind in (IntentKind.LIGHT, IntentKind.AMEND, IntentKind.CORRECT)
        )
        burst = self.chance(0.5)
        return (
            StreamSpec(
                name="drip",
                gap_ms=self.law(1_000, 9_000),
                variants=variants,
                until_ms=25_000,
                burst=Uniform(low=1.0, high=4.0) if burst else None,
                burst_gap_ms=Constant(value=float(self.ms(0, 500))) if burst and self.chance(0.5) else None,
            ),
        )

    def placed(self) -> tuple[PlacedSpec, ...]:
        """Return a correction placed inside the undisturbed time of the first request, now and then."""
        if not self.chance(0.15):
            return ()
        kind = self.rng.choice((IntentKind.AMEND, IntentKind.CORRECT, IntentKind.QUESTION))
        spec = EventSpec(
            id="placed", at_ms=0, type=self.rng.choice((*_URGENT, *_ROUTINE)), intent=Intent(kind=kind, task="E1")
        )
        return (PlacedSpec(task="E1", variants=((1.0, spec),), share=Uniform(low=0.0, high=1.0)),)

    def sessions(self, plans: dict[str, Plan | RandomPlan]) -> tuple[SessionSpec, ...]:
        """Return a person whose next request follows the last answer, now and then."""
        if not self.chance(0.15):
            return ()
        plan = self.rng.choice(list(plans))
        spec = EventSpec(
            id="talk", at_ms=0, type=EventType.USER_INPUT, intent=Intent(kind=IntentKind.REQUEST, plan=plan)
        )
        think_ms = self.law(0, 4_000)
        return (SessionSpec(name="talk", variants=((1.0, spec),), think_ms=think_ms, requests=self.rng.randint(1, 3)),)

    def random_plan(self, tools: tuple[ToolModel, ...]) -> RandomPlan:
        return RandomPlan(
            rounds=Discrete(values=(0.0, 1.0, 3.0), weights=(1.0, 2.0, 1.0)),
            calls=Discrete(values=(1.0, 3.0), weights=(1.0, 1.0)),
            mix=tuple((1.0, each.spec.name) for each in tools),
            last_tool=tools[0].spec.name if self.chance(0.5) else None,
        )

    # --- the model, and all together --------------------------------------------------------------------------------

    def model(self) -> ModelSpec:
        failure = 0.2 if self.chance(0.2) else 0.0
        if self.chance(0.6):
            low_ms = 0 if self.chance(0.1) else 1_000
            return ModelSpec(
                call_ms=self.law(low_ms, 4_000), failure=failure, retry_ms=Constant(value=float(self.ms(0, 2_000)))
            )
        return ModelSpec(
            ttft_ms=self.law(0, 1_500),
            decode_tok_s=Constant(value=100.0),
            step_tokens=Uniform(low=10.0, high=300.0),
            event_tokens=50,
            system_tokens=1_000,
            prefill_tok_s=5_000.0,
            prefill_cached_tok_s=50_000.0,
            cache_ttl_ms=self.ms(1_000, 60_000) if self.chance(0.3) else None,
            price_in_usd=3.0,
            price_cached_usd=0.3,
            price_out_usd=15.0,
            thinking_share=0.5 if self.chance(0.3) else 0.0,
            failure=failure,
        )

    def world(self, name: str) -> WorldSpec:
        tools = tuple(self.tool(f"t{index}") for index in range(self.rng.randint(1, 4)))
        plans: dict[str, Plan | RandomPlan] = {f"p{index}": self.plan(tools) for index in range(self.rng.randint(1, 3))}
        if self.chance(0.15):
            plans["random"] = self.random_plan(tools)
        return WorldSpec(
            name=name,
            tools=(*tools, *self.job_tools()),
            plans=plans,
            events=self.events(plans),
            streams=self.streams(),
            placed=self.placed(),
            sessions=self.sessions(plans),
            model_concurrency=self.rng.randint(1, 2) if self.chance(0.2) else None,
            model=self.model(),
            horizon_ms=self.ms(5_000, 60_000) if self.chance(0.25) else 3_600_000,
            resample=self.chance(0.1),
            tool_attempts=self.rng.randint(1, 3),
            acknowledge_ms=Constant(value=float(self.ms(0, 1_500))),
        )
