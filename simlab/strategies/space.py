"""The policy space: what a product decides about a message while busy, as one frozen value of independent axes."""

from enum import StrEnum

from simlab.core.commands import Partial
from simlab.core.decisions import LatePolicy, Pending, SafePoint, Then
from simlab.core.messages import Mark, Wording
from simlab.core.values import value


class Trigger(StrEnum):
    """Which events stop the operation in hand. ``verdict``: those that the router calls urgent."""

    NEVER = "never"
    URGENT = "urgent type"
    OPERATOR = "urgent, by a person"
    PERSON = "by a person"
    REVISION = "by a person, on an earlier request"
    VERDICT = "verdict"
    ANY = "any"


class OnModel(StrEnum):
    """What a stopping event does to a model call."""

    CONTINUE = "continue"
    DISCARD = "cancel, discard"
    KEEP = "cancel, keep partial"
    TRUNCATE = "truncate to delivered"
    AT_ITEM = "stop at item, keep partial"


class OnTool(StrEnum):
    """What happens to a running tool when something must be appended. ``continue``: events wait for it instead."""

    CONTINUE = "continue"
    CANCEL = "cancel"
    SHIELD = "shield"
    BACKGROUND = "background"


class OnUnstarted(StrEnum):
    """What happens to a call that has not been launched."""

    AS_RUNNING = "as running"
    SKIP = "skip"


class How(StrEnum):
    """How much is taken at once."""

    ONE = "one"
    ALL = "all in order"
    JOINED = "all joined"
    NEWEST = "newest only"


class Order(StrEnum):
    """In which order events wait."""

    FIFO = "fifo"
    LIFO = "lifo"
    URGENT_FIRST = "urgent first"


class Admits(StrEnum):
    """Who may enter a turn that is under way."""

    ALL = "all"
    URGENT = "urgent"


class FillWhen(StrEnum):
    """When an open call of a stopped operation is closed."""

    AT_CANCEL = "at cancel"
    NEXT_CALL = "at next call"
    NEVER = "never"


class AtEnd(StrEnum):
    """What waits when a turn would end: goes on in the same turn, or begins a new one."""

    SAME_TURN = "same turn"
    NEW_TURN = "new turn"


class History(StrEnum):
    """What a stop does to history."""

    APPEND_ONLY = "append-only"
    TURN_START = "rewind to turn start"
    TURN_INPUT = "rewind to turn input"
    CONFLICT = "rewind to conflict"


class Overflow(StrEnum):
    """What happens beyond the cap."""

    REFUSE = "refuse"
    SUMMARISE = "summarise oldest"


class Aside(StrEnum):
    """Whether events are answered in side sessions, and whether the main history learns of it."""

    NEVER = "never"
    APPENDED = "appended"
    SILENT = "silent"


ROUND = frozenset({SafePoint.ROUND_CLOSED, SafePoint.BEFORE_CALL})


@value
class Policy:
    """One point of the space; the default is the source's queue.

    ``drain_at`` are the safe points inside a turn; ``starts_with`` is how much begins a turn, ``spares_first_call``
    keeps the first call of a turn for that. ``stops_idle`` lets a stopping event of an idle agent ask about background
    tools. ``grace_ms`` and ``expires_ms`` (None: unlimited), ``debounce_ms`` and ``acknowledge_ms`` (None: none) are
    milliseconds, ``cap`` a number of waiting events (None: none).
    """

    stops_on: Trigger = Trigger.NEVER
    stops_idle: bool = False
    on_model: OnModel = OnModel.CONTINUE
    on_tool: OnTool = OnTool.CONTINUE
    grace_ms: int | None = None
    on_unstarted: OnUnstarted = OnUnstarted.AS_RUNNING
    drain_at: frozenset[SafePoint] = ROUND
    drain_how: How = How.ALL
    admits: Admits = Admits.ALL
    spares_first_call: bool = False
    order: Order = Order.FIFO
    wrap: Mark = Mark.PLAIN
    fill_text: Wording = Wording.EXPLICIT
    fill_when: FillWhen = FillWhen.AT_CANCEL
    late_result: LatePolicy = LatePolicy.APPEND
    at_end: AtEnd = AtEnd.SAME_TURN
    starts_with: How = How.ALL
    pending: Pending = Pending.FLUSH
    after_stop: Then = Then.CALL
    history: History = History.APPEND_ONLY
    cap: int | None = None
    overflow: Overflow = Overflow.REFUSE
    debounce_ms: int = 0
    expires_ms: int | None = None
    merges_same_text: bool = False
    sequential_tools: bool = False
    aside: Aside = Aside.NEVER
    acknowledges: bool = False
    acknowledge_ms: int | None = None


PARTIALS = {
    OnModel.CONTINUE: Partial.DISCARD,
    OnModel.DISCARD: Partial.DISCARD,
    OnModel.KEEP: Partial.KEEP,
    OnModel.TRUNCATE: Partial.TRUNCATE,
    OnModel.AT_ITEM: Partial.KEEP,
}
"""What becomes of the partial message of a model call that is stopped."""
