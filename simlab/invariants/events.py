"""Invariants about events: none is lost, none is doubled, order is kept."""

from collections.abc import Iterator, Mapping, Set

from simlab.core.decisions import Departure, DropReason
from simlab.core.record import FaultKind
from simlab.invariants.breach import Blame, Breach
from simlab.invariants.digest import Digest, EventFacts, SlipKind


def no_event_is_handled_twice(digest: Digest) -> Iterator[Breach]:
    """An event is appended, dropped or refused at most once, and only if it arrived."""
    name = "no_event_is_handled_twice"
    for event in digest.events.values():
        if event.count > 1:
            yield _breach(name, event, f"was handled {event.count} times")
    for slip in digest.slipped(SlipKind.STRANGER):
        yield Breach(invariant=name, blame=Blame.CORE, at_ms=slip.at_ms, what="never arrived", event_id=slip.subject)


def every_event_is_consumed_once_or_accounted_for(digest: Digest) -> Iterator[Breach]:
    """Accepted = appended + answered aside + dropped with a declared reason: at rest no event is still waiting."""
    trace = digest.record.trace
    if not trace.complete or digest.waits_for_user or Departure.WAITS in trace.departures:
        return
    for event in digest.events.values():
        if event.count == 0:
            yield _breach(
                "every_event_is_consumed_once_or_accounted_for",
                event,
                "was accepted and never consumed: the agent is idle and it still waits",
            )


def _breach(name: str, event: EventFacts, what: str) -> Breach:
    return Breach(
        invariant=name,
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
    """Events of one source, type and urgency that go the same way are consumed in the order of their verdicts.

    The verdict is the way: who is to interrupt is appended behind the backlog. Side exchanges are a way of their own:
    they are appended when they are answered.
    """
    if Departure.REORDERS in digest.record.trace.departures:
        return
    last: dict[tuple[object, ...], tuple[int, EventFacts]] = {}
    for event in digest.routed:
        if event.late or event.aside or not event.consumed:
            continue
        at_ms, place, _aside = event.consumed[0]
        key = (event.source, event.type, event.urgent, event.handling)
        before = last.get(key)
        if before is None or place >= before[0]:
            last[key] = (place, event)
            continue
        yield Breach(
            invariant="order_is_kept_within_a_source",
            blame=Blame.STRATEGY,
            at_ms=at_ms,
            what=f"was consumed after {before[1].event_id} of its source {event.source!r}, whose verdict came later",
            event_id=event.event_id,
        )


def _is_given_up(digest: Digest, task_id: str) -> bool:
    """Whether a declared departure (dropped, rewound, left waiting, a job's report lost) or a refusal ended it."""
    event = digest.events.get(task_id)
    if event is not None and (event.dropped or event.refused):
        return True
    if Departure.WAITS in digest.record.trace.departures:
        return True
    if task_id in digest.rewound_events:
        return True
    return any(_lost_its_report(digest, each) for each in _in_its_way(digest, task_id))


def _lost_its_report(digest: Digest, task_id: str) -> bool:
    """Whether history was rewound behind the report of a job of the task: nobody will tell it again."""
    return any(each.startswith(f"job:{task_id}:") for each in digest.rewound_events)


def _in_its_way(digest: Digest, task_id: str) -> Iterator[str]:
    """Yield the task, and those that suspend it until they are finished: later urgent requests in the trajectory."""
    yield task_id
    place = _last_place(digest.events.get(task_id))
    for other in digest.record.tasks:
        facts = digest.events.get(other)
        if facts is not None and facts.urgent and _last_place(facts) > place:
            yield other


def _last_place(facts: EventFacts | None) -> int:
    """Return where an event was written last; -1 if it never was."""
    return facts.consumed[-1][1] if facts is not None and facts.consumed else -1


_LOSES = {FaultKind.NEGLECT, FaultKind.FORGET, FaultKind.DERAIL, FaultKind.MISREAD}


def _is_lost_by_the_model(digest: Digest, task_id: str) -> bool:
    """Whether the mocked model was made to pass over the request, to drop its task or to take it for withdrawn."""
    return any(each.sampled and each.task_id == task_id and each.kind in _LOSES for each in digest.record.exposures)


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
            blame=Blame.MODEL if _is_lost_by_the_model(digest, task.task_id) else Blame.STRATEGY,
            at_ms=task.asked_ms,
            what="was neither finished nor voided when the run came to rest",
            event_id=task.task_id,
        )
