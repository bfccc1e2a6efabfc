"""Closing calls: what is written in the place of a result, and what becomes of the call."""

from simlab.core.decisions import Cancel, Closing, Keep, LatePolicy, LeaveOpen, Skip
from simlab.core.messages import NoticeMessage, PlaceholderMessage, PlaceholderState, Wording
from simlab.core.state import CallStatus, OpenCall, State


def close(state: State, call: OpenCall, known: PlaceholderState, closing: Keep | Skip) -> None:
    """Close a call at its launch: it is skipped, or goes on in the background."""
    place = PlaceholderMessage(call_id=call.call.id, state=known, wording=closing.wording)
    call.placeholder_index = state.append(place)
    call.closed = True
    if isinstance(closing, Keep):
        call.status = CallStatus.BACKGROUND
        call.late = closing.late
    else:
        call.status = CallStatus.ENDED
        del state.open[call.call.id]


def dangling(state: State) -> list[OpenCall]:
    """Return the calls that were left open on purpose and still have neither result nor placeholder."""
    return [
        call for call in state.calls.values() if call.placeholder_index is None and isinstance(call.closing, LeaveOpen)
    ]


def patch(state: State, call: OpenCall, closing: object) -> None:
    """Write, before the next call, the placeholder that was not written at the interrupt.

    It goes directly behind the message of its call: a declared edit of history.
    """
    if isinstance(closing, Keep | Skip | Cancel):
        known = PlaceholderState.STILL_RUNNING if call.runs else PlaceholderState.NOT_STARTED
        if call.signalled:
            known = PlaceholderState.CANCELLED_UNKNOWN
        place = PlaceholderMessage(call_id=call.call.id, state=call.ack or known, wording=closing.wording)
        call.placeholder_index = state.insert_behind(call.message_index, place)


def finish_call(state: State, call: OpenCall) -> None:
    """Close a call at the end of a stop, as was decided at its beginning."""
    closing = call.closing
    if closing is None:
        return
    if isinstance(closing, LeaveOpen):
        _leave_open(state, call, closing)
        return
    known = call.ack or (PlaceholderState.STILL_RUNNING if call.runs else PlaceholderState.NOT_STARTED)
    call.placeholder_index = state.append(
        PlaceholderMessage(call_id=call.call.id, state=known, wording=_wording(closing))
    )
    call.closed = True
    call.late = closing.late if isinstance(closing, Keep) else LatePolicy.APPEND
    if call.runs:
        call.status = CallStatus.BACKGROUND
    else:
        call.status = CallStatus.ENDED
        del state.open[call.call.id]


def _leave_open(state: State, call: OpenCall, closing: LeaveOpen) -> None:
    """Write nothing; the call stays open in the trajectory for good, or until a patch."""
    call.closed = True
    call.late = closing.late
    if call.runs:
        call.status = CallStatus.BACKGROUND
    else:
        call.status = CallStatus.ENDED
        del state.open[call.call.id]


def tell_background(state: State, call: OpenCall) -> None:
    """Tell the end of a background call: by a notice, or in its placeholder's place."""
    closing = call.closing
    assert call.ack is not None
    assert isinstance(closing, Cancel)
    if closing.edit and call.placeholder_index is not None:
        state.replace(
            call.placeholder_index,
            PlaceholderMessage(call_id=call.call.id, state=call.ack, wording=closing.wording),
        )
    else:
        state.append(NoticeMessage(call_id=call.call.id, state=call.ack))
    if not call.runs:
        del state.open[call.call.id]


def _wording(closing: Closing | None) -> Wording:
    return closing.wording if isinstance(closing, Keep | Cancel | Skip) else Wording.EXPLICIT
