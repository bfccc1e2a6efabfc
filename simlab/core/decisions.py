"""Decisions: the values that a strategy returns from its three hooks, and what it declares about itself."""

from enum import StrEnum

from simlab.core.commands import Partial
from simlab.core.messages import Mark, Wording
from simlab.core.values import value


class SafePoint(StrEnum):
    """Where events may be consumed."""

    BEFORE_CALL = "before_call"
    MESSAGE_CLOSED = "message_closed"
    TOOL_CLOSED = "tool_closed"
    ROUND_CLOSED = "round_closed"
    TURN_CLOSED = "turn_closed"
    IDLE = "idle"
    STREAM_ITEM = "stream_item"


class Moment(StrEnum):
    """When ``on_open_calls`` is asked: message recorded, about to launch, something must be appended, next call."""

    OPENED = "opened"
    LAUNCH = "launch"
    APPEND = "append"
    NEXT_CALL = "next_call"


class Then(StrEnum):
    """What follows an interrupt."""

    CALL = "call"
    IDLE = "idle"
    WAIT_USER = "wait_user"


class Pending(StrEnum):
    """What an interrupt does with the backlog: append it first, leave it, drop it, or keep the newest event only.

    The newest event is the interrupting one, so older interrupting events are dropped too. What tools report is never
    dropped: it is appended.
    """

    FLUSH = "flush"
    KEEP = "keep"
    CLEAR = "clear"
    NEWEST = "newest"


class LatePolicy(StrEnum):
    """What becomes of the result of a call that a placeholder has closed."""

    APPEND = "append"
    REPLACE = "replace"
    DROP = "drop"


class Departure(StrEnum):
    """Declared departures from the five rules. Invariants honour and count them; undeclared they are breaches."""

    REWINDS = "rewinds history"
    KEEPS_PARTIAL = "keeps partial output"
    EDITS = "edits a message in place"
    CLEARS_BACKLOG = "clears the backlog"
    REORDERS = "reorders events of one source"
    DROPS_LATE = "drops late results"
    DROPS_EVENTS = "drops events"
    WAITS = "leaves events waiting for a later one"


class DropReason(StrEnum):
    """Why an accepted event leaves the backlog without being appended."""

    OVERFLOW = "overflow"
    SUPERSEDED = "superseded"
    WITHDRAWN = "withdrawn"
    CLEARED = "cleared"
    FILTERED = "filtered"
    SUMMARISED = "summarised"
    ANSWERED_ASIDE = "answered aside"
    LATE = "late result dropped"


# --- on_event ---------------------------------------------------------------------------------------------------


@value
class Queue:
    """Append to the backlog, or to its front; ``hold_ms`` opens a hold-back window that wakes an idle agent.

    ``expires_ms`` gives the event back to its sender (refused) if it still waits after that time.
    """

    hold_ms: int = 0
    front: bool = False
    expires_ms: int | None = None


@value
class Interrupt:
    """Stop the current operation and append this event after the backlog.

    ``partial`` is what becomes of a streaming message. ``rewind_to`` cuts the trajectory to that many messages
    first; ``undo`` names finished calls whose effects are to be undone. An interrupt of an idle agent is a wake-up.
    ``after_ms`` lets the event wait in the backlog first: it interrupts only if nothing has consumed it by then.
    ``queue`` puts the event into the backlog when the operation has stopped, instead of appending it, with a
    hold-back window of ``hold_ms``: what follows (idle: a new turn) finds it there. ``mark`` says how the backlog and
    the event are wrapped; ``reminds`` adds a word that the interrupted work is to be resumed.
    """

    then: Then = Then.CALL
    partial: Partial = Partial.DISCARD
    backlog: Pending = Pending.FLUSH
    rewind_to: int | None = None
    undo: tuple[str, ...] = ()
    after_ms: int = 0
    queue: bool = False
    hold_ms: int = 0
    mark: Mark = Mark.PLAIN
    reminds: bool = False


@value
class Side:
    """Answer in a side session.

    ``append`` False: the exchange never reaches the main trajectory; ``marked`` False: it does not say there that it
    ran aside.
    """

    append: bool = True
    marked: bool = True


@value
class Acknowledge:
    """Send a quick holding reply on the side, beside whatever else is decided for the event.

    After ``limit_ms`` a stock reply is sent in place of one that is not ready.
    """

    limit_ms: int | None = None


@value
class Refuse:
    """Do not accept the event; its sender knows at once."""

    reason: str = "busy"


@value
class Discard:
    """Drop the named events (this one or older ones of the backlog) with a declared reason."""

    event_ids: tuple[str, ...]
    reason: DropReason


Decision = Queue | Interrupt | Side | Acknowledge | Refuse | Discard
Placement = Queue | Interrupt | Side | Refuse

# --- at_safe_point ----------------------------------------------------------------------------------------------


@value
class Take:
    """Consume part of the backlog here.

    ``append`` and ``drop`` name items by event id, in the order in which they are to be handled; ``joined`` makes one
    message of all events; ``mark`` says how they are wrapped, and ``reminds`` adds to the last of them a word that the
    work in hand is to be resumed. ``call`` overrides the rule that decides whether the
    model is called next (None: the rule). ``partial`` counts at ``stream_item`` only.
    """

    append: tuple[str, ...] = ()
    drop: tuple[str, ...] = ()
    joined: bool = False
    mark: Mark = Mark.PLAIN
    reminds: bool = False
    reason: DropReason = DropReason.OVERFLOW
    call: bool | None = None
    partial: Partial = Partial.DISCARD


NOTHING = Take()

# --- on_open_calls ----------------------------------------------------------------------------------------------


@value
class Run:
    """Let the call run as it is (the default at ``opened`` and ``launch``; at ``append``: for background calls)."""


@value
class Keep:
    """Close with a placeholder and keep the tool running behind it."""

    wording: Wording = Wording.EXPLICIT
    late: LatePolicy = LatePolicy.APPEND


@value
class Cancel:
    """Signal the tool; the placeholder is written from its acknowledgement.

    After ``grace_ms`` without one the effect is unknown (None: wait). ``edit`` writes the end of a background call
    into its placeholder instead of appending a notice. A call that has not started is skipped.
    """

    grace_ms: int | None = None
    wording: Wording = Wording.EXPLICIT
    edit: bool = False


@value
class Shield:
    """Let the tool finish before anything is appended."""


@value
class Skip:
    """Do not start it; the placeholder says so. A call that has started is treated as ``Shield``."""

    wording: Wording = Wording.EXPLICIT


@value
class LeaveOpen:
    """Write nothing for this call (what a naive cancel does); ``cancel`` signals its tool."""

    cancel: bool = True
    late: LatePolicy = LatePolicy.DROP


Closing = Run | Keep | Cancel | Shield | Skip | LeaveOpen
