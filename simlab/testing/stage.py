"""The stage: an agent driven directly, by any legal order of inputs.

It stands in for the whole world. Nothing in it decides: a schedule says what happens, when, and what the model says.
The stage knows which moves are legal, carries the agent's commands out as far as that needs, writes the trace, and
checks every safety invariant after every step. ``rest`` lets everything come to its end, so that liveness can be
judged.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from simlab.core import commands as c
from simlab.core import inputs as i
from simlab.core.agent import Agent
from simlab.core.decisions import SafePoint
from simlab.core.events import Event, EventType, Handling, Verdict
from simlab.core.messages import (
    AssistantMessage,
    Call,
    PlaceholderState,
    SideOutcome,
    ToolKind,
    ToolResult,
    ToolSpec,
)
from simlab.core.plugins import Strategy, StrategyError
from simlab.core.record import RunRecord
from simlab.core.trace import Trace
from simlab.invariants import Blame, Breach, Digest, check, check_safety
from simlab.testing.schedule import Move

TOOLS: Final = (
    ToolSpec(name="look", light=True),
    ToolSpec(name="act", kind=ToolKind.EFFECT, irreversible=True),
    ToolSpec(name="pack", kind=ToolKind.EFFECT, prepares=True),
    ToolSpec(name="burn", kind=ToolKind.EFFECT, can_be_cancelled=False),
)
"""Tools of the stage: one that reads, one with an effect, one that is prepared first, one that cannot be cancelled."""

INSTANT_LIMIT: Final = 500
REST_LIMIT: Final = 1_500
"""Inputs in one millisecond, and inputs after the last move: more means that the strategy never ends."""

ACKNOWLEDGEMENTS: Final[Mapping[str, PlaceholderState]] = {
    "before": PlaceholderState.CANCELLED_BEFORE,
    "after": PlaceholderState.CANCELLED_AFTER,
    "unknown": PlaceholderState.CANCELLED_UNKNOWN,
}

AgentMaker: TypeAlias = Callable[[Strategy, Iterable[ToolSpec]], Agent]


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """What a run was found guilty of: the name of an invariant (or of a way to fail), whose fault, the evidence."""

    name: str
    blame: Blame
    what: str

    @classmethod
    def breach(cls, breach: Breach) -> "Found":
        """Make one of a breach."""
        return cls(name=breach.invariant, blame=breach.blame, what=str(breach))


RAISED: Final = "strategy_answers_what_it_is_asked"
ENDLESS: Final = "every_run_comes_to_rest"
BROKEN: Final = "core_keeps_its_own_rules"


@dataclass(slots=True)
class _Tool:
    """A tool that runs, or is being prepared."""

    call: Call
    runs: bool = False
    signalled: bool = False


class Stage:
    """One run of an agent under a schedule. ``found`` is filled by the first step that breaks something."""

    def __init__(self, strategy: Strategy, *, make_agent: AgentMaker = Agent, watch: bool = True) -> None:
        self.strategy = strategy
        self.agent = make_agent(strategy, TOOLS)
        self.trace = Trace(strategy=strategy.name, departures=strategy.traits.departures)
        self.record = RunRecord(
            scenario="stage", strategy=strategy.name, router="schedule", seed=0, replication=0, trace=self.trace
        )
        self.digest = Digest(self.record)
        self.found: list[Found] = []
        self.played: list[Move] = []
        self.now_ms = 0
        self.inputs = 0
        self.streams = SafePoint.STREAM_ITEM in strategy.traits.points
        self.seen: set[str] = set()
        self.arrived: set[str] = set()
        self.routing: dict[str, Event] = {}
        self.model: int | None = None
        self.streamed = False
        self.stopping: c.CancelModel | None = None
        self.tools: dict[str, _Tool] = {}
        self.sides: dict[str, c.StartSide] = {}
        self.timers: dict[str, int] = {}
        self.unsettled = False
        self._watch = watch
        self._messages = 0
        self._calls = 0

    # --- playing ----------------------------------------------------------------------------------------------------

    def is_legal(self, move: Move) -> bool:
        """Whether the move can happen now."""
        rule = _RULES.get(move.verb)
        return rule is not None and rule[0](self, move)

    def play(self, move: Move) -> bool:
        """Let a move happen, if it is legal and nothing is broken yet; return whether it did."""
        if self.found or not self.is_legal(move):
            return False
        self.played.append(move)
        try:
            if move.wait_ms:
                self._pass(move.wait_ms)
            if not self.found and self.is_legal(move):
                _RULES[move.verb][1](self, move)
        except _Guilty:
            pass
        return True

    def feed(self, item: i.Input) -> None:
        """Hand an input to the agent, carry its commands out, check what must hold after every step."""
        records = self.trace.records
        start = len(records)
        records.append((self.now_ms, item))
        self.inputs += 1
        try:
            commands = self.agent.receive(item, self.now_ms)
        except StrategyError as error:
            self._blame(RAISED, Blame.STRATEGY, str(error))
        except Exception as error:
            self._blame(BROKEN, Blame.CORE, f"{type(error).__name__} for {item!r}: {error}")
        for command in commands:
            records.append((self.now_ms, command))
            carry_out = _CARRY_OUT.get(type(command))
            if carry_out is not None:
                carry_out(self, command)
        if self._watch:
            self._check_step(start)

    def _check_step(self, start: int) -> None:
        try:
            self.digest.read(self.trace.records[start:])
        except Exception as error:
            self._blame(BROKEN, Blame.CORE, f"the trace makes no sense: {error!r}")
        written = self.trace.records[start:]
        breaches = check_safety(self.digest) if any(type(item) in _JUDGED for _, item in written) else ()
        if breaches:
            self.found += map(Found.breach, breaches)
            raise _Guilty

    def _blame(self, name: str, blame: Blame, what: str) -> None:
        self.found.append(Found(name=name, blame=blame, what=what))
        raise _Guilty

    # --- time -------------------------------------------------------------------------------------------------------

    def _pass(self, wait_ms: int) -> None:
        """Let time pass; windows that run out on the way fire at their time."""
        until_ms = self.now_ms + wait_ms
        self.settle()
        while self.timers and min(self.timers.values()) < until_ms:
            self.now_ms = max(self.now_ms, min(self.timers.values()))
            self.settle()
        self.now_ms = until_ms

    def settle(self) -> None:
        """Let the instant settle: windows that run out now come last, then nothing else is left."""
        begun = self.inputs
        while self.unsettled or any(due_ms <= self.now_ms for due_ms in self.timers.values()):
            if self.inputs - begun > INSTANT_LIMIT:
                self._blame(ENDLESS, Blame.STRATEGY, f"the instant {self.now_ms} ms does not end")
            due = next((name for name, due_ms in self.timers.items() if due_ms <= self.now_ms), None)
            if due is not None:
                self._fire(due)
            else:
                self.unsettled = False
                self.feed(i.Settled())

    def _fire(self, timer_id: str) -> None:
        del self.timers[timer_id]
        self.feed(i.TimerFired(timer_id=timer_id))

    # --- coming to rest ---------------------------------------------------------------------------------------------

    def rest(self) -> list[Found]:
        """Let everything come to its end, the model saying nothing more; check all; return what was found."""
        try:
            begun = self.inputs
            while not self.found and self._go_on():
                if self.inputs - begun > REST_LIMIT:
                    self.found += map(Found.breach, check(self.record))
                    self._blame(ENDLESS, Blame.STRATEGY, f"no rest after {REST_LIMIT} more inputs")
            self._finish()
        except _Guilty:
            pass
        return self.found

    def _finish(self) -> None:
        self.trace.ended_ms = self.record.ended_ms = self.now_ms
        if self.found:
            return
        if not self.agent.is_quiet:
            self._blame(ENDLESS, Blame.CORE, "nothing is under way, and the agent is not at rest")
        self.trace.complete = True
        self.found += map(Found.breach, check(self.record))

    def _go_on(self) -> bool:
        """Do the next thing that is under way; return whether there was any."""
        self.settle()
        move = self._next()
        if move is not None:
            self.now_ms += 1
            _RULES[move.verb][1](self, move)
        elif self.timers:
            self.now_ms = max(self.now_ms, min(self.timers.values()))
        else:
            return self.unsettled
        return True

    def _next(self) -> Move | None:
        if self.routing:
            return Move(subject=next(iter(self.routing)), verb="is-routed", words=(Handling.QUEUE,))
        if self.stopping is not None:
            return Move(subject="model", verb="stops")
        for call_id, tool in self.tools.items():
            verb = "acknowledges" if tool.signalled else "ends" if tool.runs else "is-prepared"
            return Move(subject=call_id, verb=verb, words=("before",) if tool.signalled else ())
        if self.sides:
            return Move(subject=next(iter(self.sides)), verb="is-answered", words=("answered",))
        return Move(subject="model", verb="says") if self.model is not None else None

    # --- moves ------------------------------------------------------------------------------------------------------

    def _message(self, calls: tuple[Call, ...] = (), *, cut: bool = False) -> AssistantMessage:
        self._messages += 1
        return AssistantMessage(id=f"m{self._messages}", calls=calls, cut=cut)

    def _may_arrive(self, move: Move) -> bool:
        words = move.words
        return move.subject not in self.arrived and len(words) >= 3 and words[0] in _TYPES and words[1] == "from"

    def _arrive(self, move: Move) -> None:
        kind, _from, source, *marks = move.words
        self.arrived.add(move.subject)
        self.seen.add(move.subject)
        event = Event(
            id=move.subject, type=EventType(kind), source=source, content="", marked_urgent="urgently" in marks
        )
        self.feed(i.EventArrived(event=event))

    def _may_be_routed(self, move: Move) -> bool:
        return move.subject in self.routing and len(move.words) == 1 and move.words[0] in _HANDLINGS

    def _be_routed(self, move: Move) -> None:
        del self.routing[move.subject]
        self.feed(i.Routed(event_id=move.subject, verdict=Verdict(handling=Handling(move.words[0]))))

    def _may_say(self, move: Move) -> bool:
        return self.model is not None and self.stopping is None and set(move.words) <= _TOOL_NAMES

    def _say(self, move: Move) -> None:
        generation, self.model = self.model, None
        assert generation is not None
        calls = tuple(Call(id=self._call_id(), tool=name) for name in move.words)
        self.feed(i.ModelFinished(generation=generation, message=self._message(calls), output_tokens=1))

    def _call_id(self) -> str:
        self._calls += 1
        return f"c{self._calls}"

    def _may_stop(self, _move: Move) -> bool:
        return self.stopping is not None

    def _stop(self, _move: Move) -> None:
        command, self.stopping, self.model = self.stopping, None, None
        assert command is not None
        partial = None if command.partial is c.Partial.DISCARD else self._message(cut=True)
        self.feed(i.ModelStopped(generation=command.generation, partial=partial))

    def _may_stream(self, _move: Move) -> bool:
        return self.model is not None and self.stopping is None and self.streams and not self.streamed

    def _stream(self, _move: Move) -> None:
        assert self.model is not None
        self.streamed = True
        self.feed(i.StreamItem(generation=self.model, index=0))

    def _is_prepared(self, move: Move) -> bool:
        tool = self.tools.get(move.subject)
        return tool is not None and not tool.runs

    def _prepared(self, move: Move) -> None:
        del self.tools[move.subject]
        self.feed(i.ToolPrepared(call_id=move.subject))

    def _may_end(self, move: Move) -> bool:
        tool = self.tools.get(move.subject)
        return tool is not None and tool.runs

    def _end(self, move: Move) -> None:
        del self.tools[move.subject]
        ok = "failing" not in move.words
        self.feed(i.ToolEnded(call_id=move.subject, result=ToolResult(content=f"{move.subject}: done", ok=ok)))

    def _may_acknowledge(self, move: Move) -> bool:
        tool = self.tools.get(move.subject)
        return tool is not None and tool.signalled and len(move.words) == 1 and move.words[0] in ACKNOWLEDGEMENTS

    def _acknowledge(self, move: Move) -> None:
        del self.tools[move.subject]
        self.feed(i.ToolCancelled(call_id=move.subject, state=ACKNOWLEDGEMENTS[move.words[0]]))

    def _may_be_answered(self, move: Move) -> bool:
        return move.subject in self.sides and move.words in (("answered",), ("for_main",))

    def _be_answered(self, move: Move) -> None:
        del self.sides[move.subject]
        outcome = SideOutcome(move.words[0])
        self.feed(i.SideEnded(session_id=move.subject, answer=self._message(), outcome=outcome))

    def _may_fire(self, move: Move) -> bool:
        return self.timers.get(move.subject, self.now_ms + 1) <= self.now_ms + move.wait_ms

    def _timer(self, move: Move) -> None:
        if move.subject in self.timers:
            self._fire(move.subject)

    def _may_settle(self, _move: Move) -> bool:
        return self.unsettled

    def _settle_now(self, _move: Move) -> None:
        self.settle()

    # --- commands ---------------------------------------------------------------------------------------------------

    def _route(self, command: c.Route) -> None:
        self.routing[command.event.id] = command.event

    def _refuse(self, command: c.Refuse) -> None:
        self.arrived.discard(command.event_id)

    def _call_model(self, command: c.CallModel) -> None:
        self.model = command.generation
        self.streamed = False

    def _cancel_model(self, command: c.CancelModel) -> None:
        self.stopping = command

    def _prepare_tool(self, command: c.PrepareTool) -> None:
        self.tools[command.call.id] = _Tool(command.call)

    def _start_tool(self, command: c.StartTool) -> None:
        self.tools[command.call.id] = _Tool(command.call, runs=True)

    def _cancel_tool(self, command: c.CancelTool) -> None:
        if command.call_id in self.tools:
            self.tools[command.call_id].signalled = True

    def _start_side(self, command: c.StartSide) -> None:
        self.sides[command.session_id] = command

    def _set_timer(self, command: c.SetTimer) -> None:
        self.timers[command.timer_id] = self.now_ms + command.delay_ms

    def _settle(self, _command: c.Settle) -> None:
        self.unsettled = True


class _Guilty(Exception):  # noqa: N818 - leaves the step that broke something; never leaves the stage
    """Something was found."""


_JUDGED = frozenset(
    {c.Append, c.Replace, c.Insert, c.Rewind, c.CallModel, c.StartTool, c.Drop, c.Refuse, i.ModelFinished}
)
"""Records with which a safety invariant can come to be breached."""

_TYPES = frozenset(EventType)
_HANDLINGS = frozenset(Handling)
_TOOL_NAMES = frozenset(tool.name for tool in TOOLS)

_RULES: Mapping[str, tuple[Callable[[Stage, Move], bool], Callable[[Stage, Move], None]]] = {
    "arrives": (Stage._may_arrive, Stage._arrive),
    "is-routed": (Stage._may_be_routed, Stage._be_routed),
    "says": (Stage._may_say, Stage._say),
    "stops": (Stage._may_stop, Stage._stop),
    "streams": (Stage._may_stream, Stage._stream),
    "is-prepared": (Stage._is_prepared, Stage._prepared),
    "ends": (Stage._may_end, Stage._end),
    "acknowledges": (Stage._may_acknowledge, Stage._acknowledge),
    "is-answered": (Stage._may_be_answered, Stage._be_answered),
    "fires": (Stage._may_fire, Stage._timer),
    "settles": (Stage._may_settle, Stage._settle_now),
}

_CARRY_OUT: Mapping[type[c.Command], Callable[[Stage, Any], None]] = {
    c.Route: Stage._route,
    c.Refuse: Stage._refuse,
    c.CallModel: Stage._call_model,
    c.CancelModel: Stage._cancel_model,
    c.PrepareTool: Stage._prepare_tool,
    c.StartTool: Stage._start_tool,
    c.CancelTool: Stage._cancel_tool,
    c.StartSide: Stage._start_side,
    c.SetTimer: Stage._set_timer,
    c.Settle: Stage._settle,
}
