"""Statements that are true of every trace: small generators, with evidence for a breach."""

from collections.abc import Callable, Iterator
from typing import TypeAlias

from simlab.core.record import RunRecord
from simlab.invariants.breach import Blame, Breach
from simlab.invariants.calls import (
    every_call_is_closed_once,
    every_placeholder_is_true,
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
    order_is_kept_within_a_source,
)
from simlab.invariants.history import (
    history_is_append_only,
    one_main_model_call_at_a_time,
    partial_output_is_never_recorded,
)
from simlab.invariants.liveness import nothing_starves_while_the_agent_is_idle, the_agent_comes_to_rest

Invariant: TypeAlias = Callable[[Digest], Iterator[Breach]]

CATALOGUE: tuple[Invariant, ...] = (
    every_request_is_finished_voided_or_censored,
    every_call_is_closed_once,
    no_result_stands_without_its_call,
    nothing_comes_between_a_call_and_its_result,
    every_event_is_consumed_once_or_accounted_for,
    order_is_kept_within_a_source,
    partial_output_is_never_recorded,
    no_result_before_its_tool_finished,
    one_main_model_call_at_a_time,
    history_is_append_only,
    every_placeholder_is_true,
    dropping_is_declared,
    every_effect_happens_once_per_intent,
    nothing_starves_while_the_agent_is_idle,
    the_agent_comes_to_rest,
)


def check(record: RunRecord) -> list[Breach]:
    """Check a run against the whole catalogue and return every breach, in the catalogue's order."""
    digest = Digest(record)
    return [breach for invariant in CATALOGUE for breach in invariant(digest)]


__all__ = ["CATALOGUE", "Blame", "Breach", "Digest", "Invariant", "check"]
