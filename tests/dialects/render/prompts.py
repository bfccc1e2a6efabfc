"""What the model is called on in a run, and what a wire format has against it."""

from collections.abc import Iterator, Sequence
from typing import Any

from simlab.core.commands import CallModel, StartSide
from simlab.core.messages import AssistantMessage, EventMessage, Message, PlaceholderMessage, ResultMessage
from simlab.core.record import RunRecord
from simlab.dialects.findings import Finding
from simlab.dialects.registry import check
from simlab.dialects.render import render
from simlab.routers import ROUTERS
from simlab.sim.driver import simulate
from simlab.sim.spec import WorldSpec
from simlab.strategies import STRATEGIES

BODY = {"model": "m", "modelId": "m", "max_tokens": 1000, "prefill_supported": False}
"""Fields that make a checker look harder: a whole body, for a model that does not go on with its own words."""


def run(world: WorldSpec, strategy: str, router: str = "by_type", seed: int = 0) -> RunRecord:
    """Run a world once."""
    return simulate(world, STRATEGIES.get(strategy), ROUTERS.get(router), seed=seed)


def prompts(record: RunRecord) -> Iterator[list[Message]]:
    """Yield what stood in the trajectory at every call of a model, main and side."""
    for _, command in record.trace.records:
        if isinstance(command, CallModel):
            yield list(command.messages[: command.length])
        elif isinstance(command, StartSide):
            yield [*command.messages, EventMessage(events=(command.event,))]


def errors(messages: Sequence[Message], dialect: str, *, thinking: bool = False) -> list[Finding]:
    """Return why a provider would refuse the request."""
    rendered = render(messages, dialect, thinking=thinking)
    request: dict[str, Any] = {**BODY, **rendered.request}
    found = check(dialect, rendered.messages, request=request, mode="request")
    return [one for one in found if one.severity == "error"]


def has_open_calls(messages: Sequence[Message]) -> bool:
    """Whether any call has neither result nor placeholder."""
    made = {call.id for each in messages if isinstance(each, AssistantMessage) for call in each.calls}
    closed = {each.call_id for each in messages if isinstance(each, ResultMessage | PlaceholderMessage)}
    return not made <= closed
