"""The catalogue: every invariant with its number, its kind, and the public reports that motivated it.

Numbers are those of the list of invariants that the project began with; "rule 1" to "rule 5" are the rules for the
trajectory. A safety invariant holds after every step of a run: a breach of it never mends, so checking a run once at
its end finds what checking after every append finds (a test holds this). A liveness invariant is judged when the run
has come to rest.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeAlias

from simlab.invariants.accounts import (
    every_tool_second_is_accounted_for,
    time_never_runs_backwards,
    what_is_generated_is_kept_or_discarded,
)
from simlab.invariants.breach import Breach
from simlab.invariants.calls import (
    every_call_is_closed_once,
    every_placeholder_is_resolved,
    every_placeholder_is_true,
    no_call_is_open_at_rest,
    no_result_before_its_tool_finished,
    no_result_stands_without_its_call,
    nothing_comes_between_a_call_and_its_result,
)
from simlab.invariants.digest import Digest
from simlab.invariants.effects import every_effect_happens_once_per_intent
from simlab.invariants.events import (
    dropping_is_declared,
    every_event_is_consumed_once_or_accounted_for,
    every_request_is_finished_voided_or_censored,
    no_event_is_handled_twice,
    order_is_kept_within_a_source,
)
from simlab.invariants.history import (
    every_complete_message_is_recorded,
    history_is_append_only,
    one_main_model_call_at_a_time,
    one_turn_at_a_time,
    partial_output_is_never_recorded,
    the_model_sees_the_whole_trajectory,
)
from simlab.invariants.liveness import nothing_starves_while_the_agent_is_idle, the_agent_comes_to_rest
from simlab.invariants.starts import (
    no_tool_of_a_discarded_message_runs,
    no_tool_starts_before_an_interrupt_was_read,
    no_tool_starts_once_its_call_is_closed,
)

Invariant: TypeAlias = Callable[[Digest], Iterator[Breach]]


class Kind(StrEnum):
    """When an invariant is judged."""

    SAFETY = "safety"
    LIVENESS = "liveness"


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One invariant of the catalogue. ``reports`` are public: ``repository#number``, or a file."""

    number: str
    check: Invariant
    kind: Kind = Kind.SAFETY
    reports: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """Its name, which reads as a sentence."""
        return self.check.__name__

    @property
    def statement(self) -> str:
        """What it states, in words."""
        return " ".join((self.check.__doc__ or "").split())


@dataclass(frozen=True, slots=True, kw_only=True)
class Elsewhere:
    """A statement that needs more than one trace: where it is checked, and what it says."""

    number: str
    name: str
    statement: str
    place: str


_ORPHANS = (
    "claude-code#3003",
    "claude-code#12162",
    "claude-code#2179",
    "claude-code#1015",
    "claude-code#1750",
    "aegra#191",
    "langgraph#6726",
    "livekit#5092",
    "agentscope-java#2409",
    "deepagentsjs#150",
)
_STRANDED = ("docker-agent#2491", "opencode#21524", "codex#38289")

CATALOGUE: tuple[Entry, ...] = (
    Entry(number="I1", check=every_call_is_closed_once, reports=_ORPHANS),
    Entry(number="I1", check=nothing_comes_between_a_call_and_its_result, reports=_ORPHANS[:1]),
    Entry(number="I1", check=no_call_is_open_at_rest, kind=Kind.LIVENESS, reports=_ORPHANS[:2]),
    Entry(
        number="I2",
        check=no_result_stands_without_its_call,
        reports=("livekit#995", "langgraph#6533"),
    ),
    Entry(
        number="I3",
        check=every_effect_happens_once_per_intent,
        reports=("livekit#3702", "rancher PR #136", "langgraphjs#864"),
    ),
    Entry(
        number="I4",
        check=every_placeholder_is_resolved,
        kind=Kind.LIVENESS,
        reports=("pipecat#5779", "livekit#4413", "livekit PR #6600"),
    ),
    Entry(number="I4", check=every_placeholder_is_true, reports=("vortex PR #224",)),
    Entry(number="I5", check=no_tool_of_a_discarded_message_runs, reports=("pipecat#4997",)),
    Entry(number="I5", check=no_tool_starts_once_its_call_is_closed, reports=("livekit#3702",)),
    Entry(number="I6", check=no_event_is_handled_twice),
    Entry(
        number="I6",
        check=every_event_is_consumed_once_or_accounted_for,
        kind=Kind.LIVENESS,
        reports=_STRANDED,
    ),
    Entry(number="I6", check=dropping_is_declared, reports=("codex: tasks/mod.rs",)),
    Entry(number="I7", check=order_is_kept_within_a_source, reports=("cline: unshift", "claude-code#54031")),
    Entry(number="I8", check=no_result_before_its_tool_finished, reports=("vortex PR #224",)),
    Entry(number="I9", check=one_main_model_call_at_a_time, reports=("langgraphjs#864",)),
    Entry(number="I9", check=one_turn_at_a_time, reports=("codex#38289",)),
    Entry(number="I10", check=history_is_append_only),
    Entry(number="I10", check=the_model_sees_the_whole_trajectory),
    Entry(number="I11", check=what_is_generated_is_kept_or_discarded, kind=Kind.LIVENESS),
    Entry(number="I11", check=every_tool_second_is_accounted_for, kind=Kind.LIVENESS),
    Entry(number="I12", check=time_never_runs_backwards),
    Entry(number="I13", check=every_request_is_finished_voided_or_censored, kind=Kind.LIVENESS, reports=_STRANDED[:1]),
    Entry(number="I13", check=nothing_starves_while_the_agent_is_idle, kind=Kind.LIVENESS, reports=_STRANDED),
    Entry(number="I13", check=the_agent_comes_to_rest, reports=("pipecat#5779",)),
    Entry(number="I15", check=no_tool_starts_before_an_interrupt_was_read),
    Entry(number="rule 1", check=every_complete_message_is_recorded),
    Entry(number="rule 4", check=partial_output_is_never_recorded),
)

ELSEWHERE: tuple[Elsewhere, ...] = (
    Elsewhere(
        number="I12",
        name="a_run_repeats_itself",
        statement="The same seed gives the same bytes, and a run is what its recorded inputs make of a fresh agent.",
        place="simlab.testing.replaying",
    ),
    Elsewhere(
        number="I14",
        name="roles_follow_each_other_as_the_provider_demands",
        statement="On the wire the order of roles is legal for the provider that is called.",
        place="simlab.check.wire",
    ),
)
