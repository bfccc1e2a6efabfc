"""What a run leaves behind: the trace, the ledger of what tools really did, and the truth about the events.

Plain values. The world writes them; metrics, invariants and reports read them.
"""

from dataclasses import dataclass, field
from enum import StrEnum

from simlab.core.events import Handling
from simlab.core.trace import Trace


class IntentKind(StrEnum):
    """What an event truly asks for. Only the world and the oracle know it."""

    REQUEST = "request"
    AMEND = "amend"
    CORRECT = "correct"
    QUESTION = "question"
    LIGHT = "light"
    NOTICE = "notice"


class FaultKind(StrEnum):
    """A way in which the mocked model may go wrong, or (recover) put right what it had invented."""

    FABRICATE = "fabricate"
    NEGLECT = "neglect"
    FORGET = "forget"
    REPEAT = "repeat"
    DERAIL = "derail"
    CONFUSE = "confuse"
    MISREAD = "misread"
    FALSE_SUCCESS = "false_success"
    RECOVER = "recover"


class RunOutcome(StrEnum):
    """How a tool run ended."""

    FINISHED = "finished"
    FAILED = "failed"
    TIMED_OUT = "timed out"
    CANCELLED = "cancelled"
    RUNNING = "running"


REPEATED = "~"


def root_id(event_id: str) -> str:
    """Return the id of the event that a person said first; each repetition carries one more mark."""
    return event_id.rstrip(REPEATED)


@dataclass(slots=True)
class ToolRun:
    """One run of a tool. Times are milliseconds; ``committed_ms`` is when its side effect took place, if it did.

    ``invented``: its arguments rest on a value that the model made up.
    """

    call_id: str
    tool: str
    task_id: str
    step: str
    version: str
    started_ms: int
    stopped_ms: int | None = None
    outcome: RunOutcome = RunOutcome.RUNNING
    committed_ms: int | None = None
    cancel_asked_ms: int | None = None
    undone_ms: int | None = None
    invented: bool = False


@dataclass(slots=True, kw_only=True)
class Effect:
    """One side effect in the world. ``mistaken``: it belongs to work that a correction voided.

    ``corrected_ms`` is when that correction had arrived (None: it never came); ``duplicate`` repeats an effect that
    the world already had; ``invented``: it rests on a value that the model made up.
    """

    call_id: str
    task_id: str
    step: str
    at_ms: int
    mistaken: bool = False
    corrected_ms: int | None = None
    duplicate: bool = False
    invented: bool = False

    @property
    def after_correction(self) -> bool:
        """Whether it took place although the correction had arrived before."""
        return self.mistaken and self.corrected_ms is not None and self.corrected_ms < self.at_ms


@dataclass(slots=True, kw_only=True)
class DecisionPoint:
    """A (task, plan node, missing result) at which the model was called; counted once, at its first call."""

    task_id: str
    node: str
    missing: str
    at_ms: int
    generation: int
    call_id: str
    outstanding: int


@dataclass(slots=True, kw_only=True)
class Exposure:
    """One opportunity for a fault of the model, drawn once, when the model was first called with it.

    ``subject`` names the opportunity (and its draw) within its kind. ``hazard`` is the chance by the covariates of
    that first call, ``sampled`` whether the draw fell below it. ``acted_ms`` is when a recorded message first played
    it out (None: it never did; the call may have been discarded). ``task_id`` is the task that it harms, if any.
    """

    kind: FaultKind
    subject: tuple[str, ...]
    task_id: str | None
    at_ms: int
    hazard: float
    sampled: bool
    acted_ms: int | None = None


@dataclass(slots=True, kw_only=True)
class Claim:
    """An effect that a final answer claims although no result in the trajectory says so."""

    task_id: str
    step: str
    at_ms: int
    kind: FaultKind


@dataclass(slots=True)
class ModelCall:
    """One request to a model, main or side. Tokens are counted in tokens, money in US dollars."""

    generation: int
    side: bool
    started_ms: int
    ended_ms: int | None = None
    kept: bool = False
    planned_ms: int = 0
    input_tokens: int = 0
    cached_tokens: int = 0
    output_tokens: int = 0
    planned_tokens: int = 0
    cost_usd: float = 0.0
    synchronous: bool = True


@dataclass(slots=True, kw_only=True)
class EventTruth:
    """What the world knows of an event and what became of it. Times are milliseconds; None: it never happened."""

    event_id: str
    kind: IntentKind
    handling: Handling
    urgent: bool
    arrived_ms: int
    source: str
    task_id: str | None = None
    routed_ms: int | None = None
    consumed_ms: int | None = None
    first_answer_ms: int | None = None
    acted_ms: int | None = None
    acknowledged_ms: int | None = None
    refusals: int = 0
    cause: str | None = None


@dataclass(slots=True, kw_only=True)
class TaskTruth:
    """One task: when it was asked for, finished (its last final answer) or voided. Times are milliseconds.

    ``invented``: its last final answer rests on a value that the model made up.
    """

    task_id: str
    asked_ms: int
    finished_ms: int | None = None
    voided_ms: int | None = None
    finals: int = 0
    invented: bool = False


@dataclass(slots=True, kw_only=True)
class RunRecord:
    """Everything about one run. Without hazards there are neither ``exposures`` nor ``claims``."""

    scenario: str
    strategy: str
    router: str
    seed: int
    replication: int
    trace: Trace
    tool_runs: list[ToolRun] = field(default_factory=list)
    effects: list[Effect] = field(default_factory=list)
    decision_points: list[DecisionPoint] = field(default_factory=list)
    exposures: list[Exposure] = field(default_factory=list)
    claims: list[Claim] = field(default_factory=list)
    model_calls: list[ModelCall] = field(default_factory=list)
    events: dict[str, EventTruth] = field(default_factory=dict)
    tasks: dict[str, TaskTruth] = field(default_factory=dict)
    router_cost_usd: float = 0.0
    acknowledge_cost_usd: float = 0.0
    ended_ms: int = 0
    horizon_ms: int | None = None
