"""A conversation that knows where in its file each message stands."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

from simlab.check.conversation import Conversation
from simlab.check.readers.faults import Faults, fault_note
from simlab.check.readers.source import Record, Source
from simlab.core.errors import SimlabError


@dataclass(frozen=True, kw_only=True)
class SavedConversation(Conversation):
    """A conversation as a reader yields it.

    ``units`` is the number of messages in the file's own sense (steps, response items, records). ``places`` says
    for each message where it stands in the file (``line 12``, ``steps[3]``); it is empty where message ``i`` is
    simply the file's message ``i``.
    """

    units: int
    places: list[str]


Document: TypeAlias = Callable[[Any, str | None], Iterator[SavedConversation]]
"""Yields the conversations of one JSON value; the second argument names it inside its file (``line 3``)."""


class NotThisFormatError(SimlabError):
    """The value is not of the reader's format; the message says what is missing."""


def each_document(source: Source, document: Document) -> Iterator[SavedConversation]:
    """Read every value of the file on its own, holding no more than one conversation and the one before it."""
    if source.kind == "document":
        yield from _noted(source.head[0], document, None)
        return
    faults = Faults()
    waiting: SavedConversation | None = None
    for record in source.records():
        for conversation in _conversations(record, document, faults):
            if waiting is not None:
                waiting.notes.extend(faults.notes(end=False))
                yield waiting
            waiting = conversation
    if waiting is not None:
        waiting.notes.extend(faults.notes(end=True))
        yield waiting


def _conversations(record: Record, document: Document, faults: Faults) -> Iterator[SavedConversation]:
    if not record.usable:
        faults.usable(record)
        return
    faults.tail = None
    try:
        yield from _noted(record, document, f"line {record.line}")
    except NotThisFormatError:
        faults.add("skipped", record.line)
    except RecursionError:
        faults.add("too_deep", record.line)


def _noted(record: Record, document: Document, at: str | None) -> Iterator[SavedConversation]:
    for conversation in document(record.value, at):
        if record.fault is not None:
            conversation.notes.append(fault_note(record.fault, 1, record.line))
        yield conversation


def each_object(source: Source, faults: Faults) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the objects of a file that is one conversation as a whole, with their lines."""
    for record in source.records():
        if not faults.usable(record):
            continue
        if isinstance(record.value, dict):
            yield record.line, record.value
        else:
            faults.add("skipped", record.line)


def gathered(source: Source, read: Callable[[Source], Iterator[SavedConversation]]) -> Iterator[SavedConversation]:
    """Read a file that holds one message a line as one list of messages."""
    faults = Faults()
    messages = [value for _, value in each_object(source, faults)]
    whole = Source(path=source.path, kind="document", head=[Record(messages, 1)], rest=iter(()))
    for conversation in read(whole):
        conversation.notes.extend(faults.notes(end=True))
        yield conversation
