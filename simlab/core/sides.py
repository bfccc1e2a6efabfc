"""Side sessions: begun on a copy of the trajectory, and what comes back from them to the main task."""

from simlab.core.commands import Drop, SideKind, StartSide
from simlab.core.decisions import DropReason
from simlab.core.inputs import SideEnded
from simlab.core.messages import SideMessage, SideOutcome
from simlab.core.moves import sealed_copy
from simlab.core.plugins import ProtocolError
from simlab.core.state import Item, SideSession, State


def start_side(
    state: State, entry: Item, kind: SideKind, *, append: bool, marked: bool = True, limit_ms: int | None = None
) -> None:
    """Begin a session beside the main task, or a holding reply."""
    session_id = f"{'side' if kind is SideKind.ANSWER else 'ack'}:{entry.event.id}"
    assert entry.verdict is not None
    state.sides[session_id] = SideSession(
        event=entry.event,
        verdict=entry.verdict,
        arrived_ms=entry.arrived_ms,
        append=append,
        acknowledges=kind is SideKind.ACKNOWLEDGE,
        marked=marked,
    )
    messages = sealed_copy(state)
    state.emit(StartSide(session_id=session_id, kind=kind, event=entry.event, messages=messages, limit_ms=limit_ms))


def side_ended(state: State, item: SideEnded) -> Item | None:
    """Note the end of a session; return what must wait for the main task now, if anything must."""
    if item.session_id not in state.sides:
        raise ProtocolError(f"no side session {item.session_id!r} is under way")
    session = state.sides.pop(item.session_id)
    if session.acknowledges:
        return None
    entry = Item(event=session.event, verdict=session.verdict, arrived_ms=session.arrived_ms)
    if session.append:
        entry.side = SideMessage(
            event=session.event,
            session_id=item.session_id,
            answer=item.answer,
            outcome=item.outcome,
            marked=session.marked,
        )
    elif item.outcome is SideOutcome.ANSWERED:
        state.emit(Drop(event_ids=(session.event.id,), reason=DropReason.ANSWERED_ASIDE))
        return None
    return entry
