"""The words in which a trajectory is told to the model. A placeholder says what is known, and is never a result."""

from collections.abc import Mapping
from typing import Final

from simlab.core.events import Event
from simlab.core.messages import (
    AssistantMessage,
    EventMessage,
    Mark,
    NoticeMessage,
    PlaceholderMessage,
    PlaceholderState,
    SideMessage,
    SideOutcome,
    ToolResult,
    Wording,
)

PARALLEL: Final = "ran in parallel with the main task"
BRIDGE: Final = "[Noted. A new message came in.]"
GO_ON: Final = "[Something above was filled in since you last spoke. Go on.]"
NO_OUTPUT: Final = "(the tool returned no text)"

_EXPLICIT: Final[Mapping[PlaceholderState, str]] = {
    PlaceholderState.NOT_STARTED: "This call was not started: something else came first. Nothing was done.",
    PlaceholderState.STILL_RUNNING: "The tool is still running in the background. Its result will come later, in a "
    "message of its own that names call {call}. Do not guess it, and do not call the tool again for it.",
    PlaceholderState.CANCELLED_BEFORE: "This call was cancelled before it took effect. Nothing was changed.",
    PlaceholderState.CANCELLED_AFTER: "This call was cancelled after it took effect. What it did stands; what it would "
    "have returned is not known.",
    PlaceholderState.CANCELLED_UNKNOWN: "This call was cancelled, and it is unknown whether it took effect. Find out "
    "before it is repeated.",
}
_OUTCOMES: Final[Mapping[SideOutcome, str]] = {
    SideOutcome.ANSWERED: "It is answered; nothing is left to do for it.",
    SideOutcome.FOR_MAIN: "It is not finished: act on it or answer it in the main task.",
}


def placeholder(message: PlaceholderMessage, call: str) -> str:
    """Say why there is no result, as plainly as the wording demands. ``call`` is the id on the wire."""
    state = message.state
    match message.wording:
        case Wording.EXPLICIT:
            return f"[no result] {_EXPLICIT[state].format(call=call)}"
        case Wording.TERSE:
            return f"[{state}]"
        case Wording.ERROR:
            return f"Error: no result ({state})"
        case Wording.MISSING:
            return "[no result]"


def notice(message: NoticeMessage, call: str) -> str:
    """Say that a call which a placeholder had closed has ended without a result."""
    return f"[end of call {call}] {_EXPLICIT[message.state].format(call=call)}"


def result(given: ToolResult) -> str:
    """Return what a tool returned; no format takes an empty text everywhere."""
    return given.content if given.content.strip() else NO_OUTPUT


def late_result(given: ToolResult, call: str, tool: str) -> str:
    """Say which call a late result belongs to."""
    kind = "result" if given.ok else "error"
    return f"[late {kind} of call {call}{f', tool {tool}' if tool else ''}] {result(given)}"


def event(given: Event) -> str:
    """Write one event: who, how and about what, then what it says."""
    about = f", about {given.context}" if given.context else ""
    return f"[{given.type} {given.id} from {given.source}{about}] {given.content}".rstrip()


def events(message: EventMessage) -> str:
    """Write an event message with its mark."""
    text = "\n".join(event(each) for each in message.events)
    if message.mark is Mark.NUMBERED:
        text = f"[message {message.position} of {message.batch_size}] {text}"
    elif message.mark is Mark.IN_RESULT:
        text = f"[this came in while the tool was running]\n{text}"
    if message.reminds:
        text += "\n[The work in hand is not finished: go on with it once this is answered.]"
    if message.mark is Mark.REMINDER:
        text = f"<system-reminder>\nThis came in while you were working:\n{text}\n</system-reminder>"
    return text


def said(message: AssistantMessage) -> str:
    """Return the text of an assistant message; where only its meaning is known, that."""
    text = message.text or "\n".join(_meant(each) for each in message.says)
    if message.cut:
        return f"{text} [cut off by an interrupt]".lstrip()
    return text if text.strip() or message.calls else "(no words)"


def _meant(what: str) -> str:
    kind, _, subject = what.partition(":")
    return f"[the final answer to {subject}]" if kind == "final" else f"[the answer to {subject}]"


def side(message: SideMessage) -> str:
    """Write a side exchange as one message: question, answer, and (marked) that it ran aside and what is left of it."""
    asked, answer = event(message.event), said(message.answer)
    if not message.marked:
        return f"{asked}\n{answer}"
    return f"[{PARALLEL}]\n{asked}\nThe answer given there: {answer}\n{_OUTCOMES[message.outcome]}"
