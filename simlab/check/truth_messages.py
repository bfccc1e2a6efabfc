"""Truth rules about messages: what came in, what was answered, what was really delivered, what was changed later.

Where the catalogue has the statement the invariant judges the run that the record tells. What was delivered, which
reply was sent twice and what a turn had seen are facts of a saved conversation that no simulated run has.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from simlab.check.breach import Breach
from simlab.check.evidence import Evidence
from simlab.check.record import Event, Record
from simlab.check.retold import names
from simlab.check.retold_parts import snapshots, threads
from simlab.dialects.rules import show
from simlab.invariants import check

_MARKED_CUT: Final = re.compile(r"\[[^\]]{0,80}(interrupt|cut|truncat|not heard|stopped)[^\]]{0,80}\]", re.I)


def lost_message(evidence: Evidence) -> Iterator[Breach]:
    """Every message that was accepted enters the record, or is dropped by name."""
    lines: dict[str | None, Event] = {}
    for event in evidence.record.of("inbox"):
        lines.setdefault(event.text("id"), event)
    for breach in evidence.breaches("every_event_is_consumed_once_or_accounted_for"):
        line = lines.get(breach.event_id)
        if line is not None:
            what = f": {show(line.text('text'))}" if line.text("text") else ""
            name = show(breach.event_id)
            yield Breach(index=None, message=f"message {name} was accepted and is nowhere in the record{what}")


def duplicated_message(evidence: Evidence) -> Iterator[Breach]:
    """Every message enters the record once."""
    for name, places in _placed(evidence, "no_event_is_handled_twice"):
        for index in places[1:] if name else ():
            text = f"message {show(name)} stands in message {places[0]} already"
            yield Breach(index=index, partner=places[0], message=text)


def reordered_message(evidence: Evidence) -> Iterator[Breach]:
    """Messages enter the record in the order in which they came."""
    late = {name: places[0] for name, places in _placed(evidence, "order_is_kept_within_a_source")}
    latest: tuple[int, str] | None = None
    for event in evidence.record.of("inbox"):
        name, index = event.text("id"), event.message
        if index is None:
            continue
        if latest is not None and index < latest[0] and name in late:
            del late[name]
            text = f"message {show(name)} came after {show(latest[1])} and stands before it"
            yield Breach(index=index, partner=latest[0], message=text)
        latest = max(latest or (index, name), (index, name))


def unanswered_message(evidence: Evidence) -> Iterator[Breach]:
    """Every message is answered, or dropped by name; needs ``answer`` events, and a reply that came later."""
    last_reply = max(evidence.record.said("assistant"), default=-1)
    for name, places in _placed(evidence, "every_request_is_finished_voided_or_censored"):
        index = next(each for each in places if each <= last_reply)
        yield Breach(index=index, message=f"message {show(name)} was never answered")


def _placed(evidence: Evidence, invariant: str) -> Iterator[tuple[str, list[int]]]:
    """Yield the inbox ids that break an invariant, each once, with the messages that hold them."""
    for name in dict.fromkeys(breach.event_id or "" for breach in evidence.breaches(invariant)):
        if places := evidence.told.places.get(name):
            yield name, places


def duplicated_reply(evidence: Evidence) -> Iterator[Breach]:
    """One reply is recorded once, and one message is answered once."""
    record = evidence.record
    said = record.said("assistant")
    first: dict[tuple[str, str], int] = {}
    for event in record.of("turn", "answer"):
        index = event.message
        if index is None:
            continue
        keys = [("reply", event.text("id"))] if event.kind == "turn" else [("answer to", name) for name in names(event)]
        for what, name in keys:
            earlier = first.setdefault((what, name), index) if name else index
            if earlier != index and (event.kind == "answer" or said.get(earlier) == said.get(index)):
                text = f"{what} {show(name)} stands in message {earlier} already"
                yield Breach(index=index, partner=earlier, message=text)
                break


def overlapping_turns(evidence: Evidence) -> Iterator[Breach]:
    """A turn starts after the turn before it on its thread has ended, and has seen every earlier one."""
    record = evidence.record
    for run, turns in threads(record):
        overlapping = {breach.at_ms for breach in check(run) if breach.invariant == "one_turn_at_a_time"}
        for turn in turns:
            if turn.at_ms in overlapping and turn.before is not None:
                now, before = show(turn.event.text("id")), show(turn.before.text("id"))
                text = f"turn {now} starts while turn {before} still runs"
                yield Breach(index=turn.event.message, partner=turn.before.message, message=text)
    yield from _blind(record)


def _blind(record: Record) -> Iterator[Breach]:
    """Yield the turns that have not seen an earlier one of their thread."""
    ended: dict[str, list[Event]] = defaultdict(list)
    recorded: dict[str, list[Event]] = defaultdict(list)
    running: dict[str, str] = {}
    for event in record.of("turn_start", "turn_end", "turn"):
        thread = event.text("thread")
        if event.kind == "turn_start":
            if thread not in running:
                yield from _unseen(event, ended[thread])
            running[thread] = event.text("id")
            continue
        if event.kind == "turn":
            yield from _unseen(event, recorded[thread])
        else:
            ended[thread].append(event)
            if running.get(thread) == event.text("id"):
                del running[thread]
        recorded[thread].append(event)


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


def undelivered_text_kept(evidence: Evidence) -> Iterator[Breach]:
    """Recorded assistant text was delivered, or is marked as cut."""
    for event, recorded in _deliveries(evidence.record):
        delivered = _plain(event.text("text"))
        if recorded is None or _MARKED_CUT.search(recorded) or delivered.startswith(_plain(recorded)):
            continue
        text = f"only {show(delivered)} was delivered, the record holds more"
        yield Breach(index=event.message, message=text)


def delivered_text_missing(evidence: Evidence) -> Iterator[Breach]:
    """Delivered text is in the record."""
    record = evidence.record
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


def append_only(evidence: Evidence) -> Iterator[Breach]:
    """A later snapshot extends an earlier one, unless a compaction or rewind is declared."""
    record = evidence.record
    before = snapshot(record.baseline)
    if before is None or is_responses(before):
        return
    run, index = snapshots(record, before)
    if any(breach.invariant == "history_is_append_only" for breach in check(run)) and index is not None:
        if index < len(record.messages):
            yield Breach(index=index, message="differs from the earlier snapshot")
        else:
            yield Breach(index=None, message=f"message {index} of the earlier snapshot is gone")


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


def _plain(text: str) -> str:
    return " ".join(text.split())


RULES: Final[Mapping[str, Callable[[Evidence], Iterator[Breach]]]] = {
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
