"""Truth rules about messages: what came in, what was answered, what was really delivered, what was changed later."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from simlab.check.breach import Breach
from simlab.check.record import Event, Record
from simlab.dialects.rules import show

_MARKED_CUT: Final = re.compile(r"\[[^\]]{0,80}(interrupt|cut|truncat|not heard|stopped)[^\]]{0,80}\]", re.I)
_ENTRIES: Final = ("inbox", "deliver")
_DROPS: Final = ("drop", "dropped", "discard", "refuse", "refused")


def lost_message(record: Record) -> Iterator[Breach]:
    """Every message that was accepted enters the record, or is dropped by name."""
    said = [_plain(text) for text in record.said("user").values()]
    dropped = {event.text("id") for event in record.of(*_DROPS)}
    entered = {event.text("id") for event in record.of(*_ENTRIES) if _stands(record, event)}
    told: set[str] = set()
    for event in record.of("inbox"):
        name = event.text("id")
        if name in entered or name in dropped or name in told or _found(event, said):
            continue
        told.add(name)
        what = f": {show(event.text('text'))}" if event.text("text") else ""
        yield Breach(index=None, message=f"message {show(name)} was accepted and is nowhere in the record{what}")


def _stands(record: Record, event: Event) -> bool:
    return event.message is not None and event.message < len(record.messages)


def _found(event: Event, said: list[str]) -> bool:
    text = _plain(event.text("text"))
    return event.message is None and bool(text) and any(text in one for one in said)


def _plain(text: str) -> str:
    return " ".join(text.split())


def duplicated_message(record: Record) -> Iterator[Breach]:
    """Every message enters the record once."""
    first: dict[str, int] = {}
    for event in record.of(*_ENTRIES):
        name, index = event.text("id"), event.message
        if not name or index is None or first.setdefault(name, index) == index:
            continue
        text = f"message {show(name)} stands in message {first[name]} already"
        yield Breach(index=index, partner=first[name], message=text)


def reordered_message(record: Record) -> Iterator[Breach]:
    """Messages enter the record in the order in which they came."""
    latest: tuple[int, str] | None = None
    seen: set[str] = set()
    for event in record.of("inbox"):
        name, index = event.text("id"), event.message
        if index is None or name in seen:
            continue
        seen.add(name)
        if latest is not None and index < latest[0]:
            text = f"message {show(name)} came after {show(latest[1])} and stands before it"
            yield Breach(index=index, partner=latest[0], message=text)
        latest = max(latest or (index, name), (index, name))


def unanswered_message(record: Record) -> Iterator[Breach]:
    """Every message is answered, or dropped by name; needs ``answer`` events, and a reply that came later."""
    if "answer" not in record.kinds:
        return
    settled = {name for event in record.of("answer") for name in _names(event)}
    settled |= {event.text("id") for event in record.of(*_DROPS)}
    last_reply = max(record.said("assistant"), default=-1)
    told: set[str] = set()
    for event in record.of(*_ENTRIES):
        name, index = event.text("id"), event.message
        if index is None or name in settled or name in told or index > last_reply:
            continue
        told.add(name)
        yield Breach(index=index, message=f"message {show(name)} was never answered")


def _names(event: Event) -> list[str]:
    value = event.fields.get("inbox", event.fields.get("id"))
    values = value if isinstance(value, list) else [value]
    return [name for name in values if isinstance(name, str)]


def duplicated_reply(record: Record) -> Iterator[Breach]:
    """One reply is recorded once, and one message is answered once."""
    said = record.said("assistant")
    first: dict[tuple[str, str], int] = {}
    for event in record.of("turn", "answer"):
        index = event.message
        if index is None:
            continue
        keys = (
            [("reply", event.text("id"))] if event.kind == "turn" else [("answer to", name) for name in _names(event)]
        )
        for what, name in keys:
            earlier = first.setdefault((what, name), index) if name else index
            if earlier != index and (event.kind == "answer" or said.get(earlier) == said.get(index)):
                text = f"{what} {show(name)} stands in message {earlier} already"
                yield Breach(index=index, partner=earlier, message=text)
                break


def overlapping_turns(record: Record) -> Iterator[Breach]:
    """A turn starts after the turn before it on its thread has ended, and has seen every earlier one."""
    yield from _running_at_once(record)
    earlier: dict[str, list[Event]] = defaultdict(list)
    for event in record.of("turn_end", "turn"):
        if event.kind == "turn":
            yield from _unseen(event, earlier[event.text("thread")])
        earlier[event.text("thread")].append(event)


def _running_at_once(record: Record) -> Iterator[Breach]:
    running: dict[str, Event] = {}
    ended: dict[str, list[Event]] = defaultdict(list)
    for event in record.of("turn_start", "turn_end"):
        thread = event.text("thread")
        before = running.get(thread)
        if event.kind == "turn_end":
            if before is not None and before.text("id") == event.text("id"):
                del running[thread]
            ended[thread].append(event)
            continue
        if before is not None:
            text = f"turn {show(event.text('id'))} starts while turn {show(before.text('id'))} still runs"
            yield Breach(index=event.message, partner=before.message, message=text)
        else:
            yield from _unseen(event, ended[thread])
        running[thread] = event


def _unseen(event: Event, earlier: list[Event]) -> Iterator[Breach]:
    """Yield a breach when the turns (or messages) that a turn says it saw lack an earlier one."""
    listed = event.fields.get("saw")
    if not isinstance(listed, list):
        return
    saw = {one for one in listed if isinstance(one, (str, int))}
    for other in earlier:
        if other.text("id") not in saw and (other.message is None or other.message not in saw):
            text = f"turn {show(event.text('id'))} has not seen turn {show(other.text('id'))}"
            yield Breach(index=event.message, partner=other.message, message=text)
            return


def undelivered_text_kept(record: Record) -> Iterator[Breach]:
    """Recorded assistant text was delivered, or is marked as cut."""
    for event, recorded in _deliveries(record):
        delivered = _plain(event.text("text"))
        if recorded is None or _MARKED_CUT.search(recorded) or delivered.startswith(_plain(recorded)):
            continue
        text = f"only {show(delivered)} was delivered, the record holds more"
        yield Breach(index=event.message, message=text)


def delivered_text_missing(record: Record) -> Iterator[Breach]:
    """Delivered text is in the record."""
    everything = [_plain(text) for text in record.said("assistant").values()]
    for event, recorded in _deliveries(record):
        delivered = _plain(event.text("text"))
        if recorded is None:
            if not any(delivered in text for text in everything):
                yield Breach(index=None, message=f"{show(delivered)} was delivered and is nowhere in the record")
        elif delivered != _plain(recorded) and delivered.startswith(_plain(recorded)):
            yield Breach(index=event.message, message=f"{show(delivered)} was delivered, the record holds less")


def _deliveries(record: Record) -> Iterator[tuple[Event, str | None]]:
    said = record.said("assistant")
    for event in record.of("delivered"):
        if event.text("text"):
            yield event, said.get(event.message, "") if event.message is not None else None


def append_only(record: Record) -> Iterator[Breach]:
    """A later snapshot extends an earlier one, unless a compaction or rewind is declared."""
    before = snapshot(record.baseline)
    if before is None or is_responses(before) or not record.kinds.isdisjoint({"compact", "compaction", "rewind"}):
        return
    for index, message in enumerate(before):
        if index >= len(record.messages):
            yield Breach(index=None, message=f"message {index} of the earlier snapshot is gone")
            return
        if not _equal(message, record.messages[index]):
            yield Breach(index=index, message="differs from the earlier snapshot")
            return


def snapshot(baseline: list[Any] | None) -> list[Any] | None:
    """Return the messages of an earlier snapshot, also when they stand in a body of their own."""
    only = baseline[0] if baseline is not None and len(baseline) == 1 else None
    held = only.get("messages") if isinstance(only, dict) and "role" not in only else None
    return held if isinstance(held, list) else baseline


def is_responses(baseline: list[Any]) -> bool:
    """Tell recorded responses (objects with a list of ``output``) from an earlier snapshot of messages."""
    return bool(baseline) and all(
        isinstance(one, dict) and isinstance(one.get("output"), list) and "call_id" not in one for one in baseline
    )


def _equal(one: Any, other: Any) -> bool:
    try:
        return bool(one == other)
    except RecursionError:
        return True


RULES: Final[Mapping[str, Callable[[Record], Iterator[Breach]]]] = {
    rule.__name__: rule
    for rule in (
        lost_message,
        duplicated_message,
        reordered_message,
        unanswered_message,
        duplicated_reply,
        overlapping_turns,
        undelivered_text_kept,
        delivered_text_missing,
        append_only,
    )
}
REPAIRS: Final[Mapping[str, str]] = {
    "lost_message": "Append the message, or record that it was dropped.",
    "duplicated_message": "Drop the second copy, and deduplicate by inbox id at the door.",
    "reordered_message": "Append messages in the order of the inbox.",
    "unanswered_message": "Answer the message, or record that it was dropped.",
    "duplicated_reply": "Drop the second copy; send a reply once, however many messages it answers.",
    "overlapping_turns": "Let turns of one thread wait for each other, or branch the thread.",
    "undelivered_text_kept": "Cut the recorded text where the delivery stopped, or mark the rest as not delivered.",
    "delivered_text_missing": "Record what was delivered before the interruption, marked as cut.",
    "append_only": "Declare the compaction or rewind as an event of its own.",
}
