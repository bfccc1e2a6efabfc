"""A run told in words: one line for each thing that happened, with its time and whom it concerns."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from simlab.core import commands as c
from simlab.core import inputs as i
from simlab.core.messages import AssistantMessage, notation
from simlab.core.record import Effect, RunRecord

AGENT: Final = "agent"
MODEL: Final = "model"


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """What happened at ``at_ms`` to ``whom``: an event, a call, a side session, the model or the agent."""

    at_ms: int
    whom: str
    what: str


def timeline(record: RunRecord) -> list[Line]:
    """Return the lines of a run in order. An effect in the world comes first in its instant."""
    effects = list(record.effects)
    lines: list[Line] = []
    for at_ms, happened in record.trace.records:
        while effects and effects[0].at_ms <= at_ms:
            lines.append(_effect(effects.pop(0)))
        tell = _WORDS.get(type(happened))
        if tell is not None:
            lines += [Line(at_ms=at_ms, whom=whom, what=what) for whom, what in tell(happened)]
    return [*lines, *map(_effect, effects)]


def _effect(effect: Effect) -> Line:
    notes = {
        "mistaken": effect.mistaken,
        "after its correction": effect.after_correction,
        "again": effect.duplicate,
    }
    said = ", ".join(note for note, holds in notes.items() if holds)
    what = "takes effect in the world" + (f" ({said})" if said else "")
    return Line(at_ms=effect.at_ms, whom=effect.call_id, what=what)


Words = Iterator[tuple[str, str]]


def _arrives(item: i.EventArrived) -> Words:
    event = item.event
    said = f': "{event.content}"' if event.content else ""
    yield event.id, f"arrives, {event.type} from {event.source}{said}"


def _routed(item: i.Routed) -> Words:
    reason = f" ({item.verdict.reason})" if item.verdict.reason else ""
    yield item.event_id, f"the router says {item.verdict.handling}{reason}"


def _model_finished(item: i.ModelFinished) -> Words:
    yield MODEL, f"call {item.generation} ends and {_said(item.message)}"


def _said(message: AssistantMessage) -> str:
    parts = [_answer(said) for said in message.says]
    parts += [f"calls {call.tool} as {call.id}" for call in message.calls]
    return ", ".join(parts) or "has nothing to say for now"


def _answer(said: str) -> str:
    kind, _, name = said.partition(":")
    return f"gives the final answer to {name}" if kind == "final" else f"answers {name}"


def _model_stopped(item: i.ModelStopped) -> Words:
    kept = "what it had written is kept" if item.partial is not None else "nothing of it is recorded"
    yield MODEL, f"call {item.generation} has stopped after {item.output_tokens} tokens; {kept}"


def _call_model(command: c.CallModel) -> Words:
    many = "message" if command.length == 1 else "messages"
    yield MODEL, f"call {command.generation} begins on {command.length} {many}"


def _append(command: c.Append) -> Words:
    yield AGENT, f"appends {notation([command.message])}"


def _replace(command: c.Replace) -> Words:
    yield AGENT, f"replaces message {command.index} by {notation([command.message])}"


def _insert(command: c.Insert) -> Words:
    yield AGENT, f"inserts {notation([command.message])} as message {command.index}"


def _drop(command: c.Drop) -> Words:
    for event_id in command.event_ids:
        yield event_id, f"leaves the backlog unread: {command.reason}"


def _start_side(command: c.StartSide) -> Words:
    what = "a side session begins" if command.kind is c.SideKind.ANSWER else "a holding reply is on its way"
    yield command.event.id, f"{what} ({command.session_id})"


def _side_ended(item: i.SideEnded) -> Words:
    yield item.session_id, f"side session ends: {item.outcome.value.replace('_', ' ')}"


_WORDS: Final[Mapping[type[Any], Callable[[Any], Words]]] = {
    i.EventArrived: _arrives,
    i.Routed: _routed,
    i.ModelFinished: _model_finished,
    i.ModelStopped: _model_stopped,
    i.ToolPrepared: lambda item: iter([(item.call_id, "is ready to start")]),
    i.ToolEnded: lambda item: iter([(item.call_id, f"ends: {item.result.content}")]),
    i.ToolCancelled: lambda item: iter([(item.call_id, f"has stopped: {item.state}")]),
    i.SideEnded: _side_ended,
    i.TimerFired: lambda item: iter([(AGENT, f"window {item.timer_id} runs out")]),
    c.CallModel: _call_model,
    c.CancelModel: lambda command: iter([(MODEL, f"call {command.generation} is told to stop")]),
    c.Append: _append,
    c.Replace: _replace,
    c.Insert: _insert,
    c.Rewind: lambda command: iter([(AGENT, f"cuts the trajectory to {command.length} messages")]),
    c.PrepareTool: lambda command: iter([(command.call.id, f"{command.call.tool} is being prepared")]),
    c.StartTool: lambda command: iter([(command.call.id, f"{command.call.tool} starts")]),
    c.CancelTool: lambda command: iter([(command.call_id, "is told to stop")]),
    c.UndoTool: lambda command: iter([(command.call_id, "is to be undone")]),
    c.StartSide: _start_side,
    c.SetTimer: lambda command: iter([(AGENT, f"opens window {command.timer_id} of {command.delay_ms:,} ms")]),
    c.Refuse: lambda command: iter([(command.event_id, f"is refused: {command.reason}")]),
    c.Drop: _drop,
    c.Sleep: lambda command: iter([(AGENT, "waits for a person" if command.waits_for_user else "goes idle")]),
}
