"""Misread: the main model takes an event for another intent, as a router can.

Opportunity: an event, when the main model first reads it. What it is taken for is drawn too, from what it could
plausibly be: a request for a mere remark (nothing is done), an amendment for a remark or for a withdrawal of the task,
a correction for a remark or a change of the answer (the mistaken work goes on), a question for a remark (it is
answered without its facts). The event gets an answer all the same, so nobody repeats it.
"""

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Final

from simlab.core.record import FaultKind, IntentKind
from simlab.sim.faults.minds import Mind, harmed_by
from simlab.sim.spec import Intent

PARAMETER: Final = "flt.misread"

TAKEN_FOR: Final[Mapping[IntentKind, tuple[IntentKind, ...]]] = MappingProxyType(
    {
        IntentKind.REQUEST: (IntentKind.LIGHT,),
        IntentKind.AMEND: (IntentKind.LIGHT, IntentKind.CORRECT),
        IntentKind.CORRECT: (IntentKind.LIGHT, IntentKind.AMEND),
        IntentKind.QUESTION: (IntentKind.LIGHT,),
    }
)
"""What an event of each intent may be taken for. Remarks and the reports of tools are read as they are."""


def take_for(mind: Mind, event_id: str, intent: Intent) -> Intent:
    """Return what the model understands of an event."""
    others = TAKEN_FOR.get(intent.kind)
    if others is None or intent.repeats is not None:
        return intent
    hazard = mind.hazards.misread
    if not mind.luck.meet(FaultKind.MISREAD, (event_id,), hazard, harmed_by(intent, event_id)).sampled:
        return intent
    mind.luck.misread.add(event_id)
    kind = others[int(mind.luck.draw("misread as", event_id) * len(others))]
    if kind is IntentKind.LIGHT:
        return Intent(kind=kind)
    return replace(intent, kind=kind, step=None)
