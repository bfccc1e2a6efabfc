"""Breaches that a shipped strategy is known for: it is shipped because the field reports them."""

from collections.abc import Iterable, Mapping
from typing import Final

from simlab.invariants import Blame
from simlab.strategies import LEAVES_CALLS_OPEN
from simlab.testing.stage import Found

_OPEN: Final = frozenset(
    {
        "every_call_is_closed_once",
        "nothing_comes_between_a_call_and_its_result",
        "no_call_is_open_at_rest",
        "dropping_is_declared",
        "every_request_is_finished_voided_or_censored",
        "every_placeholder_is_resolved",
    }
)
_EFFECTS: Final = frozenset({"every_effect_happens_once_per_intent"})

KNOWN: Final[Mapping[str, frozenset[str]]] = {
    **dict.fromkeys(sorted(LEAVES_CALLS_OPEN), _OPEN),
    "langgraph-rollback": _EFFECTS,
    "langgraph-rollback-concat": _EFFECTS,
    "openclaw-collect": frozenset({"nothing_starves_while_the_agent_is_idle"}),
}


def surprises(strategy: str, found: Iterable[Found]) -> list[Found]:
    """Return what a strategy is not known for and what is not the mocked model's own fault."""
    known = KNOWN.get(strategy, frozenset())
    return [each for each in found if each.name not in known and each.blame is not Blame.MODEL]
