"""Invariants about events: none is lost, none is doubled, order is kept."""

from collections.abc import Iterator, Mapping, Set

from simlab.core.decisions import Departure, DropReason
from simlab.core.events import Handling
from simlab.invariants.breach import Blame, Breach
from simlab.invariants.digest import Digest, EventFacts


def every_event_is_consumed_once_or_accounted_for(digest: Digest) -> Iterator[Breach]:
    """Accepted = appended + answered aside + dropped with a declared reason + still waiting when the run was cut."""
    waits = Departure.WAITS in digest.record.trace.departures
    for event in digest.events.values():
        count = len(event.consumed) + event.dropped + event.refused
        if count == 1:
            continue
        if count > 1:
            yield _breach(event, f"was handled {count} times")
        elif digest.record.trace.complete and not digest.waits_for_user and not waits:
            yield _breach(event, "was accepted and never consumed: the agent is idle and it still waits")


def _breach(event: EventFacts, what: str) -> Breach:
    return Breach(
        invariant="every_event_is_consumed_once_or_accounted_for",
        blame=Blame.STRATEGY,
        at_ms=event.arrived_ms,
        what=what,
        event_id=event.event_id,
    )


def dropping_is_declared(digest: Digest) -> Iterator[Breach]:
    """Events, and late results, are dropped only by a strategy that declares it.

    Who rewinds withdraws the reports of the calls that it cuts away.
    """
    declared = digest.record.trace.departures
    allowed = {Departure.CLEARS_BACKLOG, Departure.DROPS_EVENTS} & declared
    needed_for: Mapping[str, Set[Departure]] = {
        DropReason.LATE: {Departure.DROPS_LATE},
        DropReason.WITHDRAWN: {Departure.REWINDS, *allowed},
    }
    for at_ms, drop in digest.drops:
        if drop.reason == "answered aside":
            continue
        if not needed_for.get(drop.reason, allowed) & declared:
            yield Breach(
                invariant="dropping_is_declared",
                blame=Blame.STRATEGY,
                at_ms=at_ms,
                what=f"dropped as {drop.reason!s} without having declared it",
                event_id=drop.event_ids[0] if drop.event_ids else None,
            )


def order_is_kept_within_a_source(digest: Digest) -> Iterator[Breach]:
    """Events of one source and one urgency that go the same way are consumed in the order of their verdicts.

    The verdict is the way: who is to interrupt is appended behind the backlog. Side exchanges are a way of their own:
    they are appended when they are answered.
    """
    if Departure.REORDERS in digest.record.trace.departures:
        return
    last: dict[tuple[str, bool, Handling | None], tuple[int, int, EventFacts]] = {}
    for event in digest.events.values():
        if event.late or not event.consumed or event.routed_ms is None:
            continue
        _at_ms, place, aside = event.consumed[0]
        if aside:
            continue
        key = (event.source, event.urgent, event.handling)
        before = last.get(key)
        if before is not None and before[0] > place and before[1] <= event.routed_ms:
            yield Breach(
                invariant="order_is_kept_within_a_source",
                blame=Blame.STRATEGY,
                at_ms=event.consumed[0][0],
                what=f"was consumed before {before[2].event_id}, which its source {event.source!r} had sent earlier",
                event_id=event.event_id,
            )
        if before is None or place > before[0]:
            last[key] = (place, event.routed_ms, event)


def _is_given_up(digest: Digest, task_id: str) -> bool:
    """Whether a declared departure (dropped, rewound with its job's report, left waiting) or a refusal ended it."""
    event = digest.events.get(task_id)
    if event is not None and (event.dropped or event.refused):
        return True
    if Departure.WAITS in digest.record.trace.departures:
        return True
    return any(each == task_id or each.startswith(f"job:{task_id}:") for each in digest.rewound_events)


def every_request_is_finished_voided_or_censored(digest: Digest) -> Iterator[Breach]:
    """At the end of a run every request is answered, voided by a correction, given back, or cut by the horizon."""
    record = digest.record
    if not record.trace.complete or digest.waits_for_user:
        return
    for task in record.tasks.values():
        if task.finished_ms is not None or task.voided_ms is not None:
            continue
        if _is_given_up(digest, task.task_id):
            continue
        yield Breach(
            invariant="every_request_is_finished_voided_or_censored",
            blame=Blame.STRATEGY,
            at_ms=task.asked_ms,
            what="was neither finished nor voided when the run came to rest",
            event_id=task.task_id,
        )
