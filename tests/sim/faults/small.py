"""One task of two steps, with one message in the middle of the first: where every fault has its place."""

from dataclasses import replace
from typing import Any

from simlab.core.decisions import Decision, Side
from simlab.core.events import Event, Verdict
from simlab.core.messages import AssistantMessage, notation
from simlab.core.record import Exposure, FaultKind, IntentKind, RunRecord
from simlab.core.view import View
from simlab.sim.faults import Hazards
from simlab.sim.spec import EventSpec, ModelSpec, Step, ToolModel, WorldSpec
from simlab.strategies.habits import is_late
from simlab.strategies.parallel import Parallel
from tests.validation.building import constant, event, request, tool, world

READ = tool("read", 8_000)
POST = tool("post", 8_000, commit_share=0.75)
SEND = tool("send", 1_000, commit_share=0.5)
READ_THEN_SEND = (Step(id="a", tool="read"), Step(id="b", tool="send", needs=("a",)))
POST_THEN_SEND = (Step(id="a", tool="post"), Step(id="b", tool="send", needs=("a",)))
REMARK = event("U2", 5_000, IntentKind.LIGHT)


def small(
    *events: EventSpec,
    steps: tuple[Step, ...] = READ_THEN_SEND,
    tools: tuple[ToolModel, ...] = (READ, POST, SEND),
    hazards: Hazards | None = None,
) -> WorldSpec:
    """Return the world: calls of the model take 1 s, the request comes at 0, a remark at 5 s (unless others do)."""
    made = world(
        tools=tools, steps=steps, events=(request(), *(events or (REMARK,))), model=ModelSpec(call_ms=constant(1_000))
    )
    return replace(made, hazards=hazards)


def certain(**faults: float) -> Hazards:
    """Return constant hazards."""
    chances: dict[str, Any] = faults
    return Hazards(**chances)


def drawn(record: RunRecord, kind: FaultKind) -> list[Exposure]:
    """Return the faults of a kind that happened."""
    return [each for each in record.exposures if each.kind is kind and each.sampled]


def subjects(record: RunRecord, kind: FaultKind) -> list[tuple[str, ...]]:
    """Return the opportunities of a kind, in order."""
    return [each.subject for each in record.exposures if each.kind is kind]


def line(record: RunRecord) -> str:
    """Return the trajectory as one line."""
    return notation(record.trace.trajectory())


def said(record: RunRecord) -> list[tuple[str, ...]]:
    """Return what each message of the model says and calls: ("answer:U2", "a")."""
    return [
        (*message.says, *(call.arguments.split("\x1f")[1] for call in message.calls))
        for message in record.trace.trajectory()
        if isinstance(message, AssistantMessage)
    ]


class UnmarkedParallel(Parallel):
    """Answers aside, and does not say so in the main trajectory."""

    name = "parallel-unmarked"

    def on_event(self, view: View, event: Event, verdict: Verdict) -> Decision:
        return super().on_event(view, event, verdict) if is_late(event) else Side(marked=False)
