"""The one table of phases: which input is legal in which phase, and where it may lead."""

from collections.abc import Mapping
from enum import StrEnum

from simlab.core.inputs import (
    EventArrived,
    Input,
    ModelFinished,
    ModelStopped,
    Routed,
    Settled,
    SideEnded,
    StreamItem,
    TimerFired,
    ToolCancelled,
    ToolEnded,
    ToolPrepared,
)


class Phase(StrEnum):
    """Where the agent is.

    ``ready`` is the pause at a safe point until the instant has settled; ``stopping`` lasts until the model and every
    tool that was signalled or shielded has answered.
    """

    IDLE = "idle"
    WAITING_USER = "waiting_user"
    READY = "ready"
    THINKING = "thinking"
    ACTING = "acting"
    STOPPING = "stopping"


_I, _W, _R = Phase.IDLE, Phase.WAITING_USER, Phase.READY
_T, _A, _S = Phase.THINKING, Phase.ACTING, Phase.STOPPING

# An input that changes nothing but the backlog or a background call; a routed event may also interrupt.
_STAY: Mapping[Phase, frozenset[Phase]] = {phase: frozenset({phase}) for phase in Phase}
_STAY_OR_STOP: Mapping[Phase, frozenset[Phase]] = {phase: frozenset({phase, _S}) for phase in Phase}


def _row(phase: Phase, extra: Mapping[type[Input], frozenset[Phase]]) -> Mapping[type[Input], frozenset[Phase]]:
    """Return the row of a phase: what is always legal (the inbox, the background, the windows) and its own."""
    always: dict[type[Input], frozenset[Phase]] = {
        EventArrived: _STAY[phase],
        Routed: _STAY_OR_STOP[phase],
        ToolEnded: _STAY[phase],
        ToolCancelled: _STAY[phase],
        ToolPrepared: _STAY[phase],
        SideEnded: _STAY[phase],
        TimerFired: _STAY_OR_STOP[phase],
    }
    return {**always, **extra}


TRANSITIONS: Mapping[Phase, Mapping[type[Input], frozenset[Phase]]] = {
    _I: _row(_I, {Settled: frozenset({_I, _T})}),
    _W: _row(_W, {Settled: frozenset({_W, _I, _T})}),
    _R: _row(_R, {Settled: frozenset({_R, _A, _T, _S, _I})}),
    _T: _row(
        _T,
        {ModelFinished: frozenset({_R}), StreamItem: frozenset({_T, _S})},
    ),
    _A: _row(
        _A,
        {
            ToolEnded: frozenset({_A, _R}),
            ToolPrepared: frozenset({_A, _R}),
            Settled: frozenset({_A, _R, _T, _S, _I}),
        },
    ),
    _S: _row(_S, {ModelStopped: frozenset({_S}), Settled: frozenset({_S, _T, _I, _W})}),
}
