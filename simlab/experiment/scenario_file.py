"""The form of a scenario file: which keys there are, and what each may hold.

Tables mirror the values of ``sim.spec``, key by key and with the same names; a test holds that none is missing. What
ties keys together (names, graphs, times) is checked in ``scenario_checks``. JSON Schema is generated from here.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated, Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, PlainValidator, StringConstraints, ValidationInfo, WithJsonSchema
from pydantic import model_validator as validator
from pydantic_core import PydanticCustomError

from simlab.core.errors import SimlabError
from simlab.core.events import EventType, Handling
from simlab.core.messages import ToolKind
from simlab.core.record import IntentKind
from simlab.sim.laws import Law, Unit, parse_law
from simlab.sim.spec import Acts, CancelPoints

PLACED: Final = "placed"
"""The type of errors whose message begins where the key path ends (``.law: no law ...``)."""

LAW: Final = "law"
"""Stands in the generated schema for a law of that unit, until its definition is put in."""

BASE: Final = "base"
"""The key of the validation context that holds the folder of the scenario file."""


def _law_reader(unit: Unit) -> Callable[[Any, ValidationInfo], Law]:
    def read(value: Any, info: ValidationInfo) -> Law:
        base: Path | None = (info.context or {}).get(BASE)
        try:
            return parse_law(value, "", unit, base=base)
        except SimlabError as error:
            raise PydanticCustomError(PLACED, "{told}", {"told": str(error)}) from None

    return read


def _law_reference(unit: Unit) -> WithJsonSchema:
    return WithJsonSchema({LAW: unit})


LawMs = Annotated[Law, PlainValidator(_law_reader("ms")), _law_reference("ms")]
LawTokens = Annotated[Law, PlainValidator(_law_reader("tokens")), _law_reference("tokens")]
LawPlain = Annotated[Law, PlainValidator(_law_reader("plain")), _law_reference("plain")]

Ms = Annotated[int, Field(ge=0)]
Whole = Annotated[int, Field(ge=0)]
Positive = Annotated[int, Field(ge=1)]
Share = Annotated[float, Field(ge=0, le=1)]
Amount = Annotated[float, Field(ge=0)]
Rate = Annotated[float, Field(gt=0)]
Id = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_.\-]+$")]
Need = Annotated[str, StringConstraints(pattern=r"^(job:)?[A-Za-z0-9_.\-]+$")]
Reference = Annotated[str, StringConstraints(pattern=r"^(@latest|[A-Za-z0-9_.\-]+)$")]
Text = Annotated[str, StringConstraints(min_length=1)]


class Table(BaseModel):
    """A table of a scenario file: strict, without unknown keys, without infinite numbers."""

    model_config = ConfigDict(
        strict=True, extra="forbid", frozen=True, allow_inf_nan=False, use_attribute_docstrings=True
    )

    @validator(mode="before")
    @classmethod
    def _only_known_keys(cls, given: Any) -> Any:
        if isinstance(given, Mapping):
            for key in given:
                if key not in cls.model_fields:
                    told = f".{key}: unknown key; allowed: {', '.join(cls.model_fields)}"
                    raise PydanticCustomError(PLACED, "{told}", {"told": told})
        return given

    def given(self) -> dict[str, Any]:
        """Return the keys that the file holds, with their values."""
        return {name: getattr(self, name) for name in self.model_fields_set}


class ToolTable(Table):
    """A tool: what is declared about it, and how it behaves."""

    kind: Annotated[ToolKind, Field(strict=False)] | None = None
    """Declared: does it change the world? Left out: ``effect`` if it has a commit_share, else ``read``."""
    can_be_cancelled: bool = True
    """Declared: may it be signalled to stop?"""
    irreversible: bool = False
    """Declared: its effect cannot be taken back."""
    idempotent: bool = False
    """Declared and true: doing it twice is doing it once."""
    typical_ms: Ms | None = None
    """Declared: how long it usually takes."""
    light: bool = False
    """Declared: may run in a side session."""
    undo: Literal["none", "undo", "compensate"] = "none"
    """Declared: what a rollback can do about its effect."""
    acts: Annotated[Acts, Field(strict=False)] = Acts.RUN
    """``run`` it, ``start`` a job, or ask for the ``status`` of a job or ``cancel`` it."""
    run_ms: LawMs | None = None
    """How long a run (or the job that it starts) takes. Left out: no time."""
    prepare_ms: Ms | None = None
    """Preparation between message and launch. Left out: it is launched at once."""
    commit_share: Share | None = None
    """At which share of the run time the side effect takes place. Left out: it has none."""
    cancel_points: Annotated[CancelPoints, Field(strict=False)] = CancelPoints.ANYWHERE
    """Where a run looks whether it was asked to stop."""
    cancel_every_ms: Ms = 0
    """Distance of the cancel points, for cancel_points = "steps"."""
    signal_ms: Ms = 0
    """How long a signal to stop takes to reach it."""
    ack_ms: Ms = 0
    """How long its acknowledgement takes."""
    timeout_ms: Positive | None = None
    """A longer run ends with an error at this time."""
    failure: Share = 0.0
    """Chance that a run ends with an error."""
    result_tokens: LawTokens | None = None
    """Size of its result in the context."""


class GuardTable(Table):
    """A condition on the number in an earlier step's result."""

    step: Id
    """The step whose result holds the number."""
    below: float | None = None
    """Run only if the number is below this."""
    at_least: float | None = None
    """Run only if the number is at least this."""


class StepTable(Table):
    """A step of a plan: one tool call."""

    id: Id
    """Its name within the plan."""
    tool: Id
    """The tool that it calls."""
    needs: list[Need] = Field(default_factory=list)
    """Steps whose results it needs; ``job:STEP`` needs the end of the job that STEP started."""
    job: Id | None = None
    """The step whose job a status or cancel tool acts on."""
    guard: GuardTable | None = None
    """Do it only on this condition."""
    run_ms: LawMs | None = None
    """Run time of this step, instead of the tool's."""
    output_tokens: LawTokens | None = None
    """Output tokens of the call, instead of the model's step_tokens."""


class MixTable(Table):
    """One tool of a mix."""

    tool: Id
    """The tool."""
    weight: Rate = 1.0
    """How often it is called, relative to the others."""


class PlanTable(Table):
    """A graph of steps and a final answer; or, with ``rounds``, a plan whose shape is drawn for each request."""

    steps: list[StepTable] = Field(default_factory=list)
    """Its steps."""
    final_needs: list[Need] = Field(default_factory=list)
    """What the final answer needs. Left out: every step."""
    final_tokens: LawTokens | None = None
    """Output tokens of the final answer, instead of the model's."""
    rounds: LawPlain | None = None
    """How many rounds of tool calls a request takes, one after another. Instead of steps."""
    calls: LawPlain | None = None
    """How many calls a round makes in parallel. Left out: one."""
    mix: list[MixTable] = Field(default_factory=list)
    """Which tools the rounds call, by weight."""
    last_tool: Id | None = None
    """A tool that is called alone after all rounds."""


class IntentTable(Table):
    """The true meaning of an event, which only the world and the oracle know."""

    kind: Annotated[IntentKind, Field(strict=False)]
    """What it truly asks for."""
    plan: Id | None = None
    """For a request: the plan that fulfils it. Left out: it is answered in text."""
    task: Reference | None = None
    """For an amendment, a correction or a question: the id of the request that it is about, or ``@latest``."""
    step: Id | None = None
    """For an amendment or a correction: the one step that it changes. Left out: the answer, or the whole task."""
    needs: list[Need] = Field(default_factory=list)
    """For a question: the steps whose facts it needs. Left out: all."""
    handling: Annotated[Handling, Field(strict=False)] | None = None
    """What the oracle says, where it differs from the rule."""


class Message(Table):
    """What scripted events and the variants of a stream share."""

    id: Id
    """Its name; in a stream a prefix: ``prefix-1``, ``prefix-2``, ..."""
    type: Annotated[EventType, Field(strict=False)]
    """Its declared type."""
    intent: IntentTable
    """Its true meaning."""
    text: str = ""
    """What it says: all that routers by keyword can read."""
    source: Text = "user"
    """Who sent it."""
    channel: Text = "chat"
    """How it came."""
    marked_urgent: bool = False
    """For ``external.trigger``: declared urgent."""
    patience_ms: LawMs | None = None
    """Whoever gets no answer for so long repeats it. Left out: waits for ever."""
    repeats: Whole = 2
    """How often it is repeated at most."""
    retry_ms: LawMs | None = None
    """Whoever is refused tries again after this. Left out: gives up."""


class EventTable(Message):
    """A scripted event."""

    at_ms: Ms
    """When it arrives."""


class VariantTable(Message):
    """One kind of event in a stream."""

    weight: Rate = 1.0
    """How often it comes, relative to the other variants."""
    texts: list[Text] = Field(default_factory=list)
    """Several wordings, each as often as the others. Instead of text."""


class StreamTable(Table):
    """A renewal stream of events."""

    name: Id
    """Its name, which its draws carry."""
    gap_ms: LawMs
    """The gaps between arrivals."""
    variants: list[VariantTable] = Field(min_length=1)
    """What arrives, by weight."""
    start_ms: Ms = 0
    """When the first gap begins."""
    until_ms: Ms | None = None
    """When it ends. Left out: at the horizon."""
    burst: LawPlain | None = None
    """How many events one arrival brings. Left out: one."""
    burst_gap_ms: LawMs | None = None
    """The gaps within a burst."""


class PlacedTable(Table):
    """An event placed within the time that a task takes when nothing else happens."""

    task: Id
    """The id of the scripted request."""
    share: LawPlain
    """At which share (0 to 1) of that time it arrives."""
    chance: Share = 1.0
    """How often it arrives at all."""
    variants: list[VariantTable] = Field(min_length=1)
    """What arrives, by weight. The id of the chosen variant is the event's."""


class SessionTable(Table):
    """A person who asks the next request a think time after the last one was answered."""

    name: Id
    """Its name, which its draws carry."""
    think_ms: LawMs
    """The think time."""
    requests: Positive
    """How many requests in all."""
    variants: list[VariantTable] = Field(min_length=1)
    """What is asked, by weight; ids are prefixes."""
    start_ms: Ms = 0
    """When the first request arrives."""


class ModelTable(Table):
    """How long the model takes and what it costs."""

    call_ms: LawMs | None = None
    """What every call takes, whatever it says; instead of time to first token, prefill and decoding."""
    ttft_ms: LawMs | None = None
    """Time to the first token."""
    prefill_tok_s: Rate | None = None
    """Prefill of new input, tokens a second. Left out: no time."""
    prefill_cached_tok_s: Rate | None = None
    """Prefill of cached input, tokens a second. Left out: no time."""
    decode_tok_s: LawPlain | None = None
    """Output, tokens a second."""
    step_tokens: LawTokens | None = None
    """Output tokens of one tool call."""
    answer_tokens: LawTokens | None = None
    """Output tokens of one answer."""
    final_tokens: LawTokens | None = None
    """Output tokens of a final answer. Left out: as for an answer."""
    idle_tokens: Whole = 20
    """Output tokens of a message that has nothing to say."""
    system_tokens: Whole = 0
    """Size of the system prompt and the tool declarations."""
    system_cached: bool = False
    """Whether that is in the provider's cache when the run begins."""
    event_tokens: Whole = 0
    """Size of an event in the context."""
    cache_ttl_ms: Positive | None = None
    """How long the provider keeps a prefix. Left out: for ever."""
    price_in_usd: Amount = 0.0
    """US dollars per million tokens of new input."""
    price_cached_usd: Amount = 0.0
    """US dollars per million tokens of cached input."""
    price_out_usd: Amount = 0.0
    """US dollars per million tokens of output."""
    failure: Annotated[float, Field(ge=0, lt=1)] = 0.0
    """Chance that an attempt fails and is made again."""
    retry_ms: LawMs | None = None
    """Time that a failed attempt costs."""
    thinking_share: Share = 0.0
    """Share of the output that is thinking and comes first."""
    slowdown_per_100k: Amount = 0.0
    """Share of the decode rate lost for every 100,000 tokens of input."""


class ScenarioFile(Table):
    """A scenario: events, tasks, tools and latencies. Says nothing of seeds, or of how anything is computed."""

    title: Text
    """What it is, in one line."""
    description: Text
    """Who meets this, and when."""
    sources: dict[str, Text] = Field(default_factory=dict)
    """Key path to the source of its value, or "assumption"; a path covers all below it."""
    tools: dict[Id, ToolTable] = Field(default_factory=dict)
    """Tools by name."""
    plans: dict[Id, PlanTable] = Field(default_factory=dict)
    """Plans by name."""
    events: list[EventTable] = Field(default_factory=list)
    """Scripted events; of two at one instant the first comes first."""
    streams: list[StreamTable] = Field(default_factory=list)
    """Streams of events."""
    placed: list[PlacedTable] = Field(default_factory=list)
    """Events placed within the time of a request."""
    sessions: list[SessionTable] = Field(default_factory=list)
    """People who ask one request after another."""
    model: ModelTable = Field(default_factory=ModelTable)
    """The model."""
    horizon_ms: Positive | None = None
    """When the run is cut. Left out: it ends when nothing more happens."""
    model_concurrency: Positive | None = None
    """How many calls the model serves at once. Left out: any number."""
    resample: bool = False
    """A sensitivity setting: draw the size of a piece of work anew each time it is done again."""
    tool_attempts: Positive = 3
    """How often a failing call is made before its error stands."""
    acknowledge_ms: LawMs | None = None
    """How long a holding reply takes."""
    acknowledge_usd: Amount = 0.0
    """What a holding reply costs, in US dollars."""
