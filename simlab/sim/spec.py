"""What the world is made of: plans, tools, events, the model's latency. Values only; says nothing of how to compute.

Scenario files are read into these values (``experiment``); tests build them by hand.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING

from simlab.core.events import EventType, Handling
from simlab.core.messages import ToolSpec
from simlab.core.record import IntentKind
from simlab.sim.laws import Constant, Law

if TYPE_CHECKING:
    from simlab.sim.faults.hazards import Hazards


class Acts(StrEnum):
    """What a tool does when it runs.

    ``start`` starts a job, returns its id at once and reports the job's end as an event; ``status`` and ``cancel`` act
    on the job that another step of the same task started. ``check`` looks at what it is given before something
    irreversible is done with it: it refuses a value that the model made up.
    """

    RUN = "run"
    START = "start"
    STATUS = "status"
    CANCEL = "cancel"
    CHECK = "check"


class CancelPoints(StrEnum):
    """Where a running tool looks whether it was asked to stop."""

    ANYWHERE = "anywhere"
    STEPS = "steps"
    NONE = "none"


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolModel:
    """How a tool behaves. Laws give milliseconds.

    A side effect commits at ``commit_share`` of the run time (None: no side effect). A signal to stop needs
    ``signal_ms``, then takes hold at the next cancel point (every ``cancel_every_ms`` for ``steps``); the
    acknowledgement follows after ``ack_ms``. ``timeout_ms`` ends a longer run with an error. A failing run (chance
    ``failure``) ends with an error at its drawn time and without its effect.
    """

    spec: ToolSpec
    run_ms: Law = field(default_factory=lambda: Constant(value=0.0))
    acts: Acts = Acts.RUN
    prepare_ms: int = 0
    commit_share: float | None = None
    cancel_points: CancelPoints = CancelPoints.ANYWHERE
    cancel_every_ms: int = 0
    signal_ms: int = 0
    ack_ms: int = 0
    timeout_ms: int | None = None
    failure: float = 0.0
    result_tokens: Law = field(default_factory=lambda: Constant(value=0.0))


@dataclass(frozen=True, slots=True, kw_only=True)
class Guard:
    """A condition on a number in an earlier result: run the step only if it is below (or at least) the limit."""

    step: str
    below: float | None = None
    at_least: float | None = None

    def holds(self, value: float) -> bool:
        """Whether the number passes."""
        return (self.below is None or value < self.below) and (self.at_least is None or value >= self.at_least)


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One node of a plan: a tool call.

    ``needs`` names steps whose results it needs; ``job:STEP`` needs the end of the job that STEP started. ``job`` is
    the step whose job a status or cancel tool acts on. ``run_ms`` overrides the tool's law.
    """

    id: str
    tool: str
    needs: tuple[str, ...] = ()
    job: str | None = None
    guard: Guard | None = None
    run_ms: Law | None = None
    output_tokens: Law | None = None


Needs = tuple[tuple[str, ...], tuple[str, ...]]
"""Steps whose results are needed, and steps whose jobs must have ended."""


def split_needs(needs: tuple[str, ...]) -> Needs:
    """Split what a node needs into steps and jobs."""
    jobs = tuple(need.removeprefix("job:") for need in needs if need.startswith("job:"))
    return tuple(need for need in needs if not need.startswith("job:")), jobs


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """A graph of steps and a final answer. ``final_needs`` empty: the final answer needs every step.

    ``remedies`` are calls that belong to no answer: each cancels the job of a step when that step is withdrawn.
    """

    steps: tuple[Step, ...] = ()
    final_needs: tuple[str, ...] = ()
    final_tokens: Law | None = None
    remedies: tuple[Step, ...] = ()
    by_id: dict[str, Step] = field(init=False, repr=False, compare=False)
    links: dict[str, Needs] = field(init=False, repr=False, compare=False)
    final_links: Needs = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Sort out once what every run asks for: steps by id, and needs split into steps and jobs."""
        object.__setattr__(self, "by_id", {step.id: step for step in (*self.steps, *self.remedies)})
        object.__setattr__(self, "links", {step.id: split_needs(step.needs) for step in self.steps})
        object.__setattr__(self, "final_links", split_needs(self.final_needs or tuple(self.links)))


@dataclass(frozen=True, slots=True, kw_only=True)
class RandomPlan:
    """A plan whose shape is drawn for each request: rounds one after another, each with some parallel calls.

    ``rounds`` and ``calls`` are laws of whole numbers; ``mix`` weighs the tools. ``last_tool`` is called alone after
    all rounds (an irreversible effect at the end of the work, say).
    """

    rounds: Law
    calls: Law
    mix: tuple[tuple[float, str], ...]
    last_tool: str | None = None
    final_tokens: Law | None = None

    def tool(self, u: float) -> str:
        """Return the tool that a uniform number selects."""
        left = u * sum(weight for weight, _ in self.mix)
        for weight, name in self.mix:
            if left < weight:
                return name
            left -= weight
        return self.mix[-1][1]


@dataclass(frozen=True, slots=True, kw_only=True)
class Intent:
    """The true meaning of an event.

    ``task`` is the event id of the request that it is about. ``step`` narrows an amendment or a correction to one step
    (None: the answer, or the whole task). ``needs`` are the steps whose facts a dependent question needs.
    ``handling`` overrides what the oracle says. ``repeats`` names the event that a person repeats.
    """

    kind: IntentKind
    plan: str | None = None
    task: str | None = None
    step: str | None = None
    needs: tuple[str, ...] = ()
    handling: Handling | None = None
    repeats: str | None = None


_ORACLE = {IntentKind.CORRECT: Handling.CANCEL, IntentKind.LIGHT: Handling.PARALLEL}


def true_handling(intent: Intent, urgent: bool) -> Handling:
    """Return what the oracle says: stop for corrections and urgent requests, answer light questions aside."""
    if intent.handling is not None:
        return intent.handling
    if intent.kind is IntentKind.REQUEST and urgent:
        return Handling.CANCEL
    return _ORACLE.get(intent.kind, Handling.QUEUE)


@dataclass(frozen=True, slots=True, kw_only=True)
class EventSpec:
    """An event with a fixed arrival time.

    A person who gets no answer within ``patience_ms`` repeats the event, at most ``repeats`` times; a sender that is
    refused tries again after ``retry_ms``.
    """

    id: str
    at_ms: int
    type: EventType
    intent: Intent
    text: str = ""
    source: str = "user"
    channel: str = "chat"
    marked_urgent: bool = False
    patience_ms: Law | None = None
    repeats: int = 2
    retry_ms: Law | None = None


Variants = tuple[tuple[float, EventSpec], ...]
"""Templates with weights."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlacedSpec:
    """An event placed relative to an unperturbed reference run.

    With ``chance``, it arrives at a ``share`` (a law of numbers from 0 to 1) of the time that its ``task`` takes when
    nothing else happens: an absolute time, the same under every strategy.
    """

    task: str
    variants: Variants
    share: Law
    chance: float = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionSpec:
    """A person who works with the agent: the next request comes a think time after the last one was answered.

    Reactive: the think time is named for the request that it follows. ``requests`` is the number of requests in all.
    """

    name: str
    variants: Variants
    think_ms: Law
    requests: int
    start_ms: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamSpec:
    """A renewal stream of events: gaps by a law (milliseconds), from ``start_ms`` until ``until_ms``.

    ``variants`` are templates with weights; an event takes the template that its own named draw selects. A template's
    id is a prefix: events are called ``prefix-1``, ``prefix-2``, ... ``burst`` is the law of the number of events that
    one arrival brings, ``burst_gap_ms`` the law of the gaps between them.
    """

    name: str
    gap_ms: Law
    variants: Variants
    start_ms: int = 0
    until_ms: int | None = None
    burst: Law | None = None
    burst_gap_ms: Law | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelSpec:
    """How long the model takes and what it costs.

    With ``call_ms`` a call takes that long whatever it says, drawn for each attempt; tokens accrue linearly over it.
    Otherwise: time to first token, prefill of new and cached tokens, then output tokens over the decode rate.
    Rates are tokens per second, prices US dollars per million tokens. A failed attempt (chance ``failure``) costs
    ``retry_ms`` and is made again. ``thinking_share`` of the output comes first, as thinking: its end is a stream item.
    ``system_cached``: the system prompt (or the conversation so far) is in the provider's cache when the run begins.
    """

    call_ms: Law | None = None
    ttft_ms: Law = field(default_factory=lambda: Constant(value=0.0))
    prefill_tok_s: float = float("inf")
    prefill_cached_tok_s: float = float("inf")
    decode_tok_s: Law = field(default_factory=lambda: Constant(value=50.0))
    step_tokens: Law = field(default_factory=lambda: Constant(value=100.0))
    answer_tokens: Law = field(default_factory=lambda: Constant(value=100.0))
    final_tokens: Law | None = None
    idle_tokens: int = 20
    system_tokens: int = 0
    system_cached: bool = False
    event_tokens: int = 0
    cache_ttl_ms: int | None = None
    price_in_usd: float = 0.0
    price_cached_usd: float = 0.0
    price_out_usd: float = 0.0
    failure: float = 0.0
    retry_ms: Law = field(default_factory=lambda: Constant(value=0.0))
    thinking_share: float = 0.0
    slowdown_per_100k: float = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class WorldSpec:
    """One scenario's world. ``hazards`` are the chances of the model's faults (None: it makes no mistakes)."""

    name: str
    tools: tuple[ToolModel, ...] = ()
    plans: Mapping[str, Plan | RandomPlan] = field(default_factory=dict)
    events: tuple[EventSpec, ...] = ()
    streams: tuple[StreamSpec, ...] = ()
    placed: tuple[PlacedSpec, ...] = ()
    sessions: tuple[SessionSpec, ...] = ()
    model: ModelSpec = field(default_factory=ModelSpec)
    horizon_ms: int | None = None
    model_concurrency: int | None = None
    resample: bool = False
    tool_attempts: int = 3
    acknowledge_ms: Law = field(default_factory=lambda: Constant(value=1000.0))
    acknowledge_usd: float = 0.0
    hazards: "Hazards | None" = None
