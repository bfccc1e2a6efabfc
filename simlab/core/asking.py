"""Asking the strategy, and refusing nonsense: a strategy that raises or errs is named as the culprit."""

from collections.abc import Mapping, Sequence

from simlab.core.decisions import (
    NOTHING,
    Acknowledge,
    Cancel,
    Closing,
    Decision,
    Discard,
    Interrupt,
    Keep,
    LeaveOpen,
    Moment,
    Placement,
    Queue,
    Refuse,
    Run,
    SafePoint,
    Shield,
    Side,
    Skip,
    Take,
)
from simlab.core.events import Event, Verdict
from simlab.core.plugins import Strategy, StrategyError, Traits
from simlab.core.state import OpenCall, State
from simlab.core.view import View

_DECISIONS = (Queue, Interrupt, Side, Acknowledge, Refuse, Discard)
_CLOSINGS = (Run, Keep, Cancel, Shield, Skip, LeaveOpen)


class Asker:
    """Puts the three questions to a strategy and checks what comes back."""

    __slots__ = ("_points", "_state", "_strategy", "_view", "moments", "sequential", "stops_between_tools")

    def __init__(self, strategy: Strategy, state: State) -> None:
        if not isinstance(strategy.traits, Traits):
            raise StrategyError(f"strategy {strategy.name!r}: traits: {strategy.traits!r} are no Traits")
        self._strategy = strategy
        self._state = state
        self._view = View(state)
        self._points = strategy.traits.points
        self.moments = strategy.traits.moments
        self.sequential = strategy.traits.sequential_tools
        self.stops_between_tools = self.sequential or SafePoint.TOOL_CLOSED in self._points

    def _blame(self, hook: str, problem: str) -> StrategyError:
        return StrategyError(f"strategy {self._strategy.name!r}: {hook}: {problem}")

    def event(self, event: Event, verdict: Verdict) -> Sequence[Decision]:
        """Ask what an arrival does now."""
        try:
            answer = self._strategy.on_event(self._view, event, verdict)
        except Exception as error:
            raise self._blame("on_event", f"raised {error!r} for event {event.id!r}") from error
        if isinstance(answer, _DECISIONS):
            answer = (answer,)
        self._check_decisions(answer, event)
        return answer

    def _check_decisions(self, answer: object, event: Event) -> None:
        if not isinstance(answer, (tuple, list)) or not all(isinstance(one, _DECISIONS) for one in answer):
            raise self._blame("on_event", f"returned {answer!r}; a decision or a sequence of decisions is expected")
        placements = 0
        for one in answer:
            if isinstance(one, Discard):
                self._check_discard(one, event)
                placements += event.id in one.event_ids
            else:
                placements += isinstance(one, Placement)
        if placements != 1:
            raise self._blame("on_event", f"placed event {event.id!r} {placements} times; exactly once is expected")
        if event.id in self._state.late and not all(isinstance(one, Queue | Interrupt | Discard) for one in answer):
            raise self._blame("on_event", f"a late result ({event.id!r}) can only be queued, interrupt or be dropped")

    def _check_discard(self, discard: Discard, event: Event) -> None:
        known = {event.id, *(item.event.id for item in self._state.backlog)}
        if not known.issuperset(discard.event_ids):
            raise self._blame("on_event", f"drops {discard.event_ids!r}, of which not all are in the backlog")

    def take(self, point: SafePoint) -> Take:
        """Ask which part of the backlog is consumed at a safe point."""
        if point not in self._points:
            return NOTHING
        try:
            take = self._strategy.at_safe_point(self._view, point)
        except Exception as error:
            raise self._blame("at_safe_point", f"raised {error!r} at {point}") from error
        if take is not NOTHING:
            self._check_take(take, point)
        return take

    def _check_take(self, take: object, point: SafePoint) -> None:
        if not isinstance(take, Take):
            raise self._blame("at_safe_point", f"returned {take!r} at {point}; a Take is expected")
        named = (*take.append, *take.drop)
        if len(set(named)) != len(named):
            raise self._blame("at_safe_point", f"names an event twice at {point}: {named!r}")
        if not {item.event.id for item in self._state.backlog}.issuperset(named):
            raise self._blame("at_safe_point", f"names events that are not in the backlog at {point}: {named!r}")

    def _stands(self, call_id: str) -> bool:
        """Whether something must close the call before anything can be appended."""
        return not self._state.calls[call_id].closed

    def closings(self, calls: Sequence[OpenCall], moment: Moment) -> Mapping[str, Closing]:
        """Ask what closes each of the calls."""
        if not calls or moment not in self.moments:
            return {}
        try:
            answer = self._strategy.on_open_calls(self._view, calls, moment)
        except Exception as error:
            raise self._blame("on_open_calls", f"raised {error!r} at {moment}") from error
        ids = {call.call.id for call in calls}
        if not isinstance(answer, Mapping) or not ids.issuperset(answer):
            raise self._blame("on_open_calls", f"returned {answer!r}; a mapping from the given call ids is expected")
        if moment is Moment.APPEND and (left := [each for each in ids.difference(answer) if self._stands(each)]):
            raise self._blame("on_open_calls", f"closes neither of {sorted(left)}; LeaveOpen() would say so on purpose")
        for closing in answer.values():
            if not isinstance(closing, _CLOSINGS):
                raise self._blame("on_open_calls", f"returned {closing!r} for a call; a closing is expected")
        return answer
