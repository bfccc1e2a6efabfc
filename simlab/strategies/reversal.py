"""What can be taken back of an agent's own work, by the classes that tools declare."""

from collections.abc import Iterator

from simlab.core.messages import AssistantMessage, ResultMessage, ToolKind, ToolSpec
from simlab.core.view import View
from simlab.strategies.pieces import INPUTS


def is_irreversible(spec: ToolSpec) -> bool:
    """Whether a run of the tool has to stay in history: it changes the world, and nothing takes that back."""
    return spec.kind is ToolKind.EFFECT and not spec.idempotent and (spec.irreversible or spec.undo == "none")


def earliest_cut(view: View) -> int:
    """Return the index behind the last input and the last irreversible round: nothing before it can be taken back."""
    messages = view.trajectory
    cut, irreversible = 0, False
    for index, message in enumerate(messages):
        if isinstance(message, AssistantMessage):
            irreversible = any(is_irreversible(view.tool(call.tool)) for call in message.calls)
        if isinstance(message, INPUTS) or irreversible:
            cut = index + 1
    return cut


def undoable(view: View, cut: int) -> tuple[str, ...]:
    """Return the finished calls behind the cut whose effects can be undone or compensated, in order."""
    behind = view.trajectory[cut:]
    tools = {
        call.id: call.tool for message in behind if isinstance(message, AssistantMessage) for call in message.calls
    }
    return tuple(
        call_id for call_id in _finished(view, cut) if call_id in tools and view.tool(tools[call_id]).undo != "none"
    )


def _finished(view: View, cut: int) -> Iterator[str]:
    for message in view.trajectory[cut:]:
        if isinstance(message, ResultMessage):
            yield message.call_id
