"""Every shipped policy as a named point of the space, and why some of them are more than a point."""

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

from simlab.core.decisions import LatePolicy, Pending, SafePoint, Then
from simlab.core.messages import Mark, Wording
from simlab.strategies.space import (
    ROUND,
    Admits,
    Aside,
    AtEnd,
    FillWhen,
    History,
    How,
    OnModel,
    OnTool,
    OnUnstarted,
    Order,
    Overflow,
    Policy,
    Trigger,
)

_NOWHERE: frozenset[SafePoint] = frozenset()
_AT_ROUND = frozenset({SafePoint.ROUND_CLOSED})
_AT_CALL = frozenset({SafePoint.BEFORE_CALL})
_AT_TOOL = frozenset({SafePoint.TOOL_CLOSED, SafePoint.ROUND_CLOSED})

_QUEUE = Policy()
_ENQUEUE = Policy(drain_at=_NOWHERE, at_end=AtEnd.NEW_TURN, starts_with=How.ONE)
_CANCEL = Policy(stops_on=Trigger.ANY, stops_idle=True, on_model=OnModel.DISCARD, on_tool=OnTool.CANCEL)
_LANGGRAPH = replace(_CANCEL, stops_idle=False, fill_when=FillWhen.NEVER, late_result=LatePolicy.DROP)
_ROLLBACK = replace(_LANGGRAPH, history=History.TURN_START, drain_at=_NOWHERE, at_end=AtEnd.NEW_TURN)
_STEER = Policy(drain_at=_AT_CALL, spares_first_call=True, starts_with=How.ONE)
_PI = Policy(drain_at=_AT_ROUND, drain_how=How.ONE, starts_with=How.ONE)
_REMINDER = Policy(drain_at=_AT_ROUND, wrap=Mark.REMINDER, at_end=AtEnd.NEW_TURN)


def _skipping(policy: Policy) -> Policy:
    return replace(policy, on_tool=OnTool.SHIELD, on_unstarted=OnUnstarted.SKIP, fill_text=Wording.ERROR)


def _for_operators(policy: Policy) -> Policy:
    return replace(policy, stops_on=Trigger.OPERATOR, on_tool=OnTool.CANCEL, pending=Pending.KEEP)


POINTS: Mapping[str, Policy] = MappingProxyType(
    {
        "queue": _QUEUE,
        "queue-first-return": replace(_QUEUE, drain_at=ROUND | _AT_TOOL, on_tool=OnTool.BACKGROUND),
        "queue-turn": _ENQUEUE,
        "cancel": _CANCEL,
        "cancel-background": replace(_CANCEL, on_tool=OnTool.BACKGROUND),
        "parallel": replace(_QUEUE, aside=Aside.APPENDED, on_tool=OnTool.BACKGROUND),
        "hard-cancel": replace(_LANGGRAPH, stops_idle=True),
        "holding-reply": replace(_QUEUE, acknowledges=True),
        "langgraph-reject": replace(_ENQUEUE, cap=0),
        "langgraph-enqueue": _ENQUEUE,
        "langgraph-interrupt": _LANGGRAPH,
        "deepagents-interrupt": replace(_LANGGRAPH, fill_when=FillWhen.NEXT_CALL),
        "langgraph-rollback": _ROLLBACK,
        "langgraph-rollback-concat": replace(_ROLLBACK, history=History.TURN_INPUT),
        "codex-steer": _STEER,
        "codex-interrupt": replace(
            _STEER,
            stops_on=Trigger.URGENT,
            on_model=OnModel.DISCARD,
            on_tool=OnTool.CANCEL,
            grace_ms=100,
            fill_text=Wording.TERSE,
            pending=Pending.CLEAR,
            after_stop=Then.IDLE,
        ),
        "codex-instant-interrupt": replace(_STEER, stops_on=Trigger.PERSON, on_model=OnModel.DISCARD),
        "codex-mailbox": replace(_STEER, on_model=OnModel.AT_ITEM, starts_with=How.ALL),
        "pi-v1-steer-seq": _skipping(replace(_PI, drain_at=_AT_TOOL, sequential_tools=True)),
        "pi-v1-steer-par": _skipping(_PI),
        "pi-v2-steer": _PI,
        "pi-followup": replace(_PI, admits=Admits.URGENT, order=Order.URGENT_FIRST),
        "openclaw-collect": replace(
            _ENQUEUE, starts_with=How.JOINED, cap=20, overflow=Overflow.SUMMARISE, debounce_ms=500
        ),
        "openclaw-interrupt": replace(_CANCEL, pending=Pending.NEWEST, fill_text=Wording.TERSE),
        "openclaw-steer-skip-unstarted": _skipping(replace(_QUEUE, drain_at=_AT_ROUND | {SafePoint.MESSAGE_CLOSED})),
        "claude-reminder": _REMINDER,
        "claude-esc": _for_operators(
            replace(_REMINDER, on_model=OnModel.KEEP, fill_text=Wording.TERSE, after_stop=Then.WAIT_USER)
        ),
        "claude-side-question": replace(_QUEUE, aside=Aside.SILENT),
        "opencode-steer": replace(_QUEUE, drain_at=_AT_ROUND),
        "opencode-queue": replace(_ENQUEUE, drain_at=_AT_ROUND, admits=Admits.URGENT),
        "opencode-interrupt": _for_operators(
            replace(
                _ENQUEUE,
                drain_at=_AT_ROUND,
                admits=Admits.URGENT,
                on_model=OnModel.DISCARD,
                fill_text=Wording.ERROR,
                fill_when=FillWhen.NEXT_CALL,
                late_result=LatePolicy.DROP,
                after_stop=Then.IDLE,
            )
        ),
        "gemini-idle-join": replace(_ENQUEUE, starts_with=How.JOINED),
        "gemini-hint": Policy(
            drain_at=_AT_ROUND,
            drain_how=How.JOINED,
            wrap=Mark.IN_RESULT,
            at_end=AtEnd.NEW_TURN,
            starts_with=How.JOINED,
            acknowledges=True,
            acknowledge_ms=1200,
        ),
        "cline-steer-front": replace(
            _STEER, drain_how=How.ONE, at_end=AtEnd.NEW_TURN, order=Order.LIFO, merges_same_text=True
        ),
        "copilot-immediate": replace(_STEER, admits=Admits.URGENT, order=Order.URGENT_FIRST, at_end=AtEnd.NEW_TURN),
        "docker-steer": Policy(drain_at=_AT_ROUND, wrap=Mark.REMINDER, cap=5),
        "docker-steer-no-entry": Policy(drain_at=_AT_ROUND, wrap=Mark.REMINDER, at_end=AtEnd.NEW_TURN, cap=5),
        "are-step-pull": Policy(drain_at=_AT_CALL, drain_how=How.JOINED, at_end=AtEnd.NEW_TURN),
        "book-cancel": replace(_CANCEL, stops_on=Trigger.VERDICT),
        "book-queue-no-flush": Policy(
            drain_at=_AT_TOOL, on_tool=OnTool.BACKGROUND, wrap=Mark.NUMBERED, at_end=AtEnd.NEW_TURN
        ),
        "livekit-barge-in": Policy(
            stops_on=Trigger.PERSON,
            on_model=OnModel.TRUNCATE,
            on_tool=OnTool.BACKGROUND,
            late_result=LatePolicy.REPLACE,
        ),
        "pipecat-cancel": replace(
            _CANCEL, stops_on=Trigger.PERSON, fill_text=Wording.TERSE, late_result=LatePolicy.REPLACE
        ),
        "pipecat-async": Policy(on_tool=OnTool.BACKGROUND, drain_at=_AT_ROUND, at_end=AtEnd.NEW_TURN),
        "inspect-stop-and-wait": _for_operators(
            replace(
                _QUEUE,
                drain_at=_AT_CALL,
                drain_how=How.JOINED,
                starts_with=How.JOINED,
                on_model=OnModel.DISCARD,
                fill_text=Wording.ERROR,
                after_stop=Then.WAIT_USER,
            )
        ),
        "foundry-cooperative": replace(_QUEUE, on_model=OnModel.AT_ITEM, expires_ms=30_000),
        "rollback-to-conflict": replace(_CANCEL, stops_on=Trigger.REVISION, stops_idle=False, history=History.CONFLICT),
        "ignore-until-end": replace(_ENQUEUE, starts_with=How.ALL),
        "always-interrupt": _CANCEL,
    }
)

MORE_THAN_A_POINT: Mapping[str, str] = MappingProxyType(
    {
        "hard-cancel": "leaves tools alone that cannot be cancelled",
        "codex-mailbox": "mail and steers are two classes, and mail without a trigger waits at idle",
        "pi-v1-steer-par": "looks for messages at the launch of each call",
        "pi-followup": "follow-ups enter when the turn would end, steers at the end of each round",
        "opencode-steer": "barriers split the batch",
        "opencode-queue": "begins a turn with one queued item and every steer",
        "opencode-interrupt": "begins a turn with one queued item and every steer",
        "docker-steer-no-entry": "does not drain at the entry of a run",
        "are-step-pull": "filters a class of events and wakes for some only",
        "book-queue-no-flush": "does not drain at the entry of a turn",
        "livekit-barge-in": "late results force no reply, speech must last, backchannels resume",
        "pipecat-cancel": "writes a status when a call is launched and waits for the group to settle",
        "pipecat-async": "writes a status when a call is launched and waits for the group to settle",
        "always-interrupt": "interrupts for late results too",
    }
)
"""Named points that leave something out of the hand-written policy, with what. All others are exactly their point."""
