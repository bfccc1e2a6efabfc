"""Rules that only the ground truth can judge: accepted by every provider, and still false.

Each rule is a small generator over a :class:`~simlab.check.record.Record`; its name is the rule, its docstring the
statement. They need ``events`` (inbox, executions, cancels, deliveries) or an earlier snapshot; a record without them
breaks none of them.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Final, TypeAlias

from simlab.check import truth_calls, truth_messages
from simlab.check.breach import Breach
from simlab.check.conversation import Conversation
from simlab.check.record import Record
from simlab.dialects.findings import Finding

Rule: TypeAlias = Callable[[Record], Iterator[Breach]]

RULES: Final[Mapping[str, Rule]] = {**truth_calls.RULES, **truth_messages.RULES}
"""Every rule by name."""

REPAIRS: Final[Mapping[str, str]] = {**truth_calls.REPAIRS, **truth_messages.REPAIRS}


def check_truth(conversation: Conversation) -> list[Finding]:
    """Compare the record with what happened, and return the breaches in the order of the messages."""
    record = Record(conversation)
    if not record.events and record.baseline is None:
        return []
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
        for breach in rule(record)
    ]
    return sorted(found, key=lambda one: -1 if one.index is None else one.index)
