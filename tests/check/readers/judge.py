"""A small judge of pairing: what the samples' verdicts are about, whatever the dialect.

A result answers the nearest earlier open call of its id (of its name, where there is no id). It is independent of
the dialects' own rules on purpose.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

from simlab.check.conversation import Conversation
from simlab.check.readers.counts import Link, Turn, turns

ERRORS = {"dangling_tool_call", "orphan_tool_result", "duplicate_tool_result"}


@dataclass
class OpenCall:
    """A call, the model turn that made it, and whether it was answered."""

    link: Link
    turn: int
    answered: bool = False


@dataclass
class Pairing:
    """Calls so far, the number of the current turn, and which kinds of breach were seen."""

    calls: list[OpenCall] = field(default_factory=list)
    turn: int = 0
    before: str = ""
    broken: set[str] = field(default_factory=set)

    def take(self, turn: Turn) -> None:
        if turn.answers is not None:
            self.pair(turn.answers)
        elif not (turn.role == self.before == "assistant"):
            self.turn += 1
        self.before = turn.role
        self.calls.extend(OpenCall(link, self.turn) for link in turn.calls)

    def pair(self, answers: Link) -> None:
        matching = [call for call in self.calls if same(call.link, answers)]
        open_calls = [call for call in matching if not call.answered]
        if open_calls:
            nearest = open_calls[-1] if answers.id is not None else open_calls[0]
            nearest.answered = True
        else:
            self.broken.add("duplicate_tool_result" if matching else "orphan_tool_result")


def same(call: Link, result: Link) -> bool:
    if call.id is None and result.id is None:
        return bool(call.name == result.name)
    return bool(call.id == result.id)


def rules(conversation: Conversation) -> set[str]:
    """The rules that a conversation breaks, and what its reader noted."""
    pairing = Pairing()
    for turn in turns(conversation):
        pairing.take(turn)
    return pairing.broken | set(unanswered(pairing)) | {note.rule for note in conversation.notes}


def unanswered(pairing: Pairing) -> Iterator[str]:
    for call in pairing.calls:
        if not call.answered:
            yield "dangling_tool_call" if call.turn < pairing.turn else "open_tail"


def valid(conversation: Conversation) -> bool:
    """Whether nothing is an error."""
    return not rules(conversation) & ERRORS and all(note.severity != "error" for note in conversation.notes)
