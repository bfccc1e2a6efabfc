"""Rules that only the ground truth can judge: accepted by every provider, and still false.

A record with ground truth is told again as a run, and the catalogue of invariants judges it (``JUDGED_BY``); what no
invariant says is a rule of its own. Each rule is a small generator over :class:`~simlab.check.evidence.Evidence`; its
name is the rule, its docstring the statement. They need ``events`` (inbox, executions, cancels, deliveries) or an
earlier snapshot; a record without them breaks none of them.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Final, TypeAlias

from simlab.check import truth_calls, truth_messages
from simlab.check.breach import Breach
from simlab.check.conversation import Conversation
from simlab.check.evidence import Evidence
from simlab.dialects.findings import Finding

Rule: TypeAlias = Callable[[Evidence], Iterator[Breach]]

RULES: Final[Mapping[str, Rule]] = {**truth_calls.RULES, **truth_messages.RULES}
"""Every rule by name."""

REPAIRS: Final[Mapping[str, str]] = {**truth_calls.REPAIRS, **truth_messages.REPAIRS}

JUDGED_BY: Final[Mapping[str, tuple[str, ...]]] = {
    "untruthful_placeholder": ("every_placeholder_is_true",),
    "fabricated_result": ("no_result_before_its_tool_finished",),
    "misattributed_result": ("no_result_before_its_tool_finished",),
    "unrecorded_execution": ("no_tool_of_a_discarded_message_runs",),
    "double_execution": ("every_effect_happens_once_per_intent", "no_tool_starts_once_its_call_is_closed"),
    "execution_after_cancel": (
        "no_tool_starts_before_an_interrupt_was_read",
        "no_tool_starts_once_its_call_is_closed",
    ),
    "lost_message": ("every_event_is_consumed_once_or_accounted_for",),
    "duplicated_message": ("no_event_is_handled_twice",),
    "reordered_message": ("order_is_kept_within_a_source",),
    "unanswered_message": ("every_request_is_finished_voided_or_censored",),
    "overlapping_turns": ("one_turn_at_a_time",),
    "append_only": ("history_is_append_only",),
}
"""The invariants of the catalogue that judge a rule; a rule that is not here is told by no invariant."""


def check_truth(conversation: Conversation) -> list[Finding]:
    """Compare the record with what happened, and return the breaches in the order of the messages."""
    if not conversation.events and conversation.baseline is None:
        return []
    evidence = Evidence(conversation)
    found = [
        Finding(
            rule=name,
            severity="error",
            index=breach.index,
            path=None if breach.index is None else f"messages[{breach.index}]",
            partner=breach.partner,
            message=breach.message,
            provider_error=None,
            repair=REPAIRS[name],
        )
        for name, rule in RULES.items()
        for breach in rule(evidence)
    ]
    return sorted(found, key=lambda one: -1 if one.index is None else one.index)
