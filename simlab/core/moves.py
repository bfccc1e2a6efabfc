"""Moves on the trajectory: what is taken from the backlog, in which form, and what a side session gets to see."""

from collections.abc import Sequence

from simlab.core.commands import Drop
from simlab.core.decisions import DropReason, LatePolicy, Take
from simlab.core.messages import (
    EventMessage,
    LateResultMessage,
    Message,
    NoticeMessage,
    PlaceholderMessage,
    PlaceholderState,
    SideOutcome,
)
from simlab.core.state import CallStatus, Item, OpenCall, State


def wakes(item: Item) -> bool:
    """Whether the model must see the item: everything but a side exchange that was answered there."""
    return item.side is None or item.side.outcome is SideOutcome.FOR_MAIN


def select(state: State, event_ids: Sequence[str]) -> list[Item]:
    """Remove the named items from the backlog and return them in the named order."""
    if not event_ids:
        return []
    backlog = state.backlog
    if len(event_ids) == len(backlog):
        by_id = {item.event.id: item for item in backlog}
        state.backlog = []
        return [by_id[event_id] for event_id in event_ids]
    chosen = set(event_ids)
    by_id = {item.event.id: item for item in backlog if item.event.id in chosen}
    state.backlog = [item for item in backlog if item.event.id not in chosen]
    return [by_id[event_id] for event_id in event_ids]


def consume(state: State, items: Sequence[Item], take: Take) -> None:
    """Append items to the trajectory, each in its own form; ``joined`` makes one message of the plain events."""
    if not items:
        return
    if state.taken_at_ms != state.now_ms:
        state.taken_at_ms = state.now_ms
        state.taken_now = []
    state.taken_now.extend([item.event.id for item in items])
    plain = [item.event for item in items if item.call_id is None and item.side is None]
    last = plain[-1] if plain else None
    joined = False
    for position, item in enumerate(items, start=1):
        if item.side is not None:
            state.append(item.side)
        elif item.call_id is not None:
            _append_late(state, item, item.call_id)
        elif not take.joined:
            state.append(
                EventMessage(
                    events=(item.event,),
                    mark=take.mark,
                    position=position,
                    batch_size=len(items),
                    reminds=take.reminds and item.event is last,
                )
            )
        elif not joined:
            joined = True
            state.append(
                EventMessage(
                    events=tuple(plain),
                    mark=take.mark,
                    position=position,
                    batch_size=len(items),
                    reminds=take.reminds,
                )
            )


def _append_late(state: State, item: Item, call_id: str) -> None:
    """Append a late result, or the notice that there is none; or write it where the placeholder stands.

    The report of a call whose message was rewound is withdrawn: the trajectory holds nothing that it could be about.
    """
    call = state.calls.get(call_id)
    if call is None:
        state.emit(Drop(event_ids=(item.event.id,), reason=DropReason.WITHDRAWN))
        return
    message: Message
    if call.result is None:
        message = NoticeMessage(call_id=call_id, state=call.ack or PlaceholderState.CANCELLED_UNKNOWN)
    else:
        message = LateResultMessage(event=item.event, call_id=call_id, result=call.result)
    if call.late is LatePolicy.REPLACE and call.placeholder_index is not None:
        state.replace(call.placeholder_index, message)
    else:
        state.append(message)


def sealed_copy(state: State) -> Sequence[Message]:
    """Return a copy of the trajectory in which open calls are closed truthfully, for a side session."""
    copy = list(state.trajectory)
    copy.extend(
        PlaceholderMessage(call_id=call.call.id, state=_known(call)) for call in state.open.values() if not call.closed
    )
    return copy


def _known(call: OpenCall) -> PlaceholderState:
    if call.status in (CallStatus.UNSTARTED, CallStatus.PREPARING):
        return PlaceholderState.NOT_STARTED
    return call.ack or PlaceholderState.STILL_RUNNING
