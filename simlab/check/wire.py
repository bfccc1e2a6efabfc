"""I14: what the model is called on can be sent. It joins the dialects' rules with a run, so it stands above both."""

from collections.abc import Iterator, Sequence
from typing import Any

from simlab.core.commands import CallModel
from simlab.core.record import RunRecord
from simlab.dialects.registry import DIALECTS, check
from simlab.dialects.render import render
from simlab.invariants import Blame, Breach

BODY: dict[str, Any] = {"model": "any", "modelId": "any", "max_tokens": 1024, "prefill_supported": False}
"""What makes a dialect look hardest: a whole request body, for a model that does not go on with its own words."""


def roles_follow_each_other_as_the_provider_demands(
    record: RunRecord, dialects: Sequence[str] = DIALECTS
) -> Iterator[Breach]:
    """On the wire the order of roles is legal for the provider that is called.

    Every request of the run, written in each dialect, is judged by the dialect's own rules. Each rule is told once,
    at the first model call that breaks it, with the dialects that refuse the request.
    """
    told: set[str] = set()
    for at_ms, call in record.trace.records:
        if not isinstance(call, CallModel):
            continue
        for rule, refusing in _refusals(call, dialects).items():
            if rule not in told:
                told.add(rule)
                yield Breach(
                    invariant="roles_follow_each_other_as_the_provider_demands",
                    blame=Blame.STRATEGY,
                    at_ms=at_ms,
                    what=f"model call {call.generation} would be refused ({rule}) by {', '.join(refusing)}",
                )


def _refusals(call: CallModel, dialects: Sequence[str]) -> dict[str, list[str]]:
    """Map each rule that the request breaks to the dialects that say so."""
    refused: dict[str, list[str]] = {}
    for dialect in dialects:
        rendered = render(list(call.messages[: call.length]), dialect)
        found = check(dialect, rendered.messages, request={**BODY, **rendered.request}, mode="request")
        for rule in dict.fromkeys(one.rule for one in found if one.severity == "error"):
            refused.setdefault(rule, []).append(dialect)
    return refused
