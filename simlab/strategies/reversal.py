"""What can be taken back of an agent's own work, by the classes that tools declare."""

from simlab.core.messages import AssistantMessage, ToolKind, ToolSpec
from simlab.core.view import View
from simlab.strategies.pieces import INPUTS


def is_irreversible(spec: ToolSpec) -> bool:
    """Whether a run of the tool has to stay in history: it changes the world, and nothing takes that back."""
    return spec.kind is ToolKind.EFFECT and not spec.idempotent and (spec.irreversible or spec.undo == "none")


def earliest_cut(view: View) -> int | None:
    """Return the index behind the last input and the last irreversible round.

    None while a round is open that has to stay: because of what it does, or because it cannot be stopped.
    """
    cut, stays = 0, False
    for index, message in enumerate(view.trajectory):
        if isinstance(message, AssistantMessage):
            stays = any(is_irreversible(view.tool(call.tool)) for call in message.calls)
        if isinstance(message, INPUTS) or stays:
            cut = index + 1
    stays |= any(not call.spec.can_be_cancelled for call in view.open_calls)
    return None if stays and view.open_calls else cut


def undoable(view: View, cut: int | None) -> tuple[str, ...]:
    """Return the calls behind the cut whose effects, if they took place, can be undone or compensated, in order."""
    behind = view.trajectory[cut:] if cut is not None else ()
    calls = (call for message in behind if isinstance(message, AssistantMessage) for call in message.calls)
    return tuple(call.id for call in calls if view.tool(call.tool).undo != "none")
