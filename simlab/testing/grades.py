"""What can go wrong, in words and grades. Every judgement looks at what the model was sent and what the tools did.

The messages are judged by the dialect checker, what happened by the catalogue of invariants (``JUDGED_BY``). A rule of
its own says here only what no invariant can: a turn that never ends or that raises, an answer that was cut off by
chance and looks whole, an effect that comes after the acknowledged stop (the catalogue judges starts), what is told
vaguely, and what was refused.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from typing import Final

from simlab.invariants import Breach
from simlab.testing.contract import EXTRA, Desk, Turn
from simlab.testing.fakes import Execution, Request, World, text_of
from simlab.testing.law import Accepted, Told, keys_of, outcomes_of
from simlab.testing.messages import judge_messages


class Grade(StrEnum):
    """The grades, from the worst. ``REFUSED`` and ``VAGUE`` are reported and do not fail."""

    MALFORMED = "malformed"
    LOSS = "loss"
    DOUBLE = "double"
    AFTER_STOP = "after stop"
    HANG = "hang"
    VAGUE = "vague"
    REFUSED = "refused"

    @property
    def fails(self) -> bool:
        """Say whether a finding of this grade is a fault."""
        return self not in (Grade.VAGUE, Grade.REFUSED)


@dataclass(frozen=True, order=True, slots=True)
class Finding:
    """One thing that went wrong: its grade, the rule it breaks, and the evidence in words."""

    grade: Grade
    rule: str
    evidence: str


JUDGED_BY: Final[Mapping[str, tuple[Grade, str]]] = {
    "every_event_is_consumed_once_or_accounted_for": (Grade.LOSS, "lost_message"),
    "no_event_is_handled_twice": (Grade.DOUBLE, "double_message"),
    "every_request_is_finished_voided_or_censored": (Grade.HANG, "stranded_message"),
    "no_tool_of_a_discarded_message_runs": (Grade.LOSS, "silent_effect"),
    "every_placeholder_is_true": (Grade.LOSS, "lost_result"),
    "every_call_is_closed_once": (Grade.LOSS, "lost_result"),
    "no_call_is_open_at_rest": (Grade.LOSS, "lost_result"),
    "no_result_before_its_tool_finished": (Grade.LOSS, "misattributed_result"),
    "no_tool_starts_once_its_call_is_closed": (Grade.DOUBLE, "double_call"),
    "every_effect_happens_once_per_intent": (Grade.DOUBLE, "double_effect"),
    "no_tool_starts_before_an_interrupt_was_read": (Grade.AFTER_STOP, "start_after_stop"),
}
"""The grade of a breach of each invariant, and the name of the finding.

A call that is left open is malformed, which the dialect checker says; when its tool returned its result is lost too.
"""

NOT_JUDGED: Final[Mapping[str, str]] = {
    **dict.fromkeys(
        (
            "nothing_comes_between_a_call_and_its_result",
            "no_result_stands_without_its_call",
        ),
        "the dialect checker says it of every request, not of the last one only",
    ),
    **dict.fromkeys(
        (
            "dropping_is_declared",
            "order_is_kept_within_a_source",
            "one_turn_at_a_time",
            "one_main_model_call_at_a_time",
        ),
        "a runtime declares nothing; under ``parallel`` turns run side by side because the product wants it",
    ),
    **dict.fromkeys(
        (
            "history_is_append_only",
            "the_model_sees_the_whole_trajectory",
            "every_complete_message_is_recorded",
            "partial_output_is_never_recorded",
        ),
        "a runtime may shorten its history and drop the answer that it stopped; the case is told without plain answers",
    ),
    **dict.fromkeys(
        (
            "every_placeholder_is_resolved",
            "what_is_generated_is_kept_or_discarded",
            "every_tool_second_is_accounted_for",
            "time_never_runs_backwards",
            "nothing_starves_while_the_agent_is_idle",
            "the_agent_comes_to_rest",
        ),
        "the case holds neither times nor the states of a runtime",
    ),
}
"""Why the other invariants give no grade."""


@dataclass(frozen=True, kw_only=True)
class Record:
    """What a run left behind. ``hang`` says why it never ended; then nothing can be said of what was saved."""

    world: World
    desk: Desk
    hang: str | None = None
    extra: Turn | None = field(default=None)

    @cached_property
    def final(self) -> Request | None:
        """The last request of the extra user turn: all that was saved of the conversation."""
        if self.extra is None or self.extra.began is None:
            return None
        later = [request for request in self.world.requests if request.tick > self.extra.began]
        return later[-1] if later else None

    @cached_property
    def told(self) -> Told | None:
        """The run as a case for the catalogue; None when nothing was saved that could be judged."""
        if self.final is None:
            return None
        world = self.world
        return Told(
            requests=world.requests,
            final=self.final,
            ledger=world.ledger,
            accepted=[self._accepted(*one) for one in _accepted(self)],
            idle=list(_idle(self.desk.turns)),
            keys=keys_of(world.requests, self.final, world.ledger),
        )

    def _accepted(self, text: str, handed: int, stopped: bool) -> Accepted:
        carriers = [request.tick for request in self.world.requests if _says(request, text) and request.tick > handed]
        late = text != EXTRA and bool(carriers) and _after(carriers[0], self.extra)
        return Accepted(text=text, handed=handed, stopped=stopped, read=not late)


def judge(record: Record) -> list[Finding]:
    """Return every finding of a run, worst grade first, each once."""
    rules = (malformed, partial_text, failures, told_wrongly, told_vaguely, after_stop, hangs, refusals)
    found = {finding for rule in rules for finding in rule(record)}
    order = list(Grade)
    return sorted(found, key=lambda finding: (order.index(finding.grade), finding.rule, finding.evidence))


def malformed(record: Record) -> Iterator[Finding]:
    """Every request is one that the provider accepts. A rule is told of the first request that breaks it."""
    first: dict[str, int] = {}
    for breach in judge_messages([request.messages for request in record.world.requests]):
        if breach.request == first.setdefault(breach.rule, breach.request):
            where = f"request {breach.request}, message {breach.message}: {breach.why}"
            yield Finding(Grade.MALFORMED, breach.rule, where)


def partial_text(record: Record) -> Iterator[Finding]:
    """What the model had said of an answer that was cut off is not written as if it were an answer."""
    plans = [request.plan for request in record.world.requests]
    whole = {plan.text for plan in plans if plan.number in record.world.finished_plans}
    cut = [plan.text for plan in plans if plan.number not in record.world.finished_plans]
    for request in record.world.requests:
        for message in request.messages:
            text = text_of(message) if message["role"] == "assistant" else ""
            if text and text not in whole and any(other.startswith(text) for other in cut):
                yield Finding(Grade.MALFORMED, "partial_text", f"an answer that was cut off is kept as {text!r}")


def failures(record: Record) -> Iterator[Finding]:
    """No turn and no delivery raises, and the last turn asks the model."""
    for turn in record.desk.turns:
        if turn.error is not None:
            yield Finding(Grade.LOSS, "turn_failed", f"the turn {turn.text!r} raised {turn.error}")
    for delivery in record.desk.deliveries:
        if delivery.error is not None:
            yield Finding(Grade.LOSS, "deliver_failed", f"deliver({delivery.event.kind}) raised {delivery.error}")
    if record.final is None and record.extra is not None and record.extra.error is None and record.hang is None:
        yield Finding(Grade.HANG, "stranded_message", "the next user turn ended and the model was never asked")


def told_wrongly(record: Record) -> Iterator[Finding]:
    """What was accepted is in the conversation once, what ran is told as it was, and nothing happens twice."""
    if record.told is None:
        return
    found = [
        Finding(*JUDGED_BY[breach.invariant], evidence)
        for breach in record.told.breaches()
        if breach.invariant in JUDGED_BY
        for evidence in _evidence(record, record.told, breach)
    ]
    again = {finding.evidence.split()[0] for finding in found if finding.rule == "double_call"}
    for finding in found:  # what ran too often has its effect too often
        if finding.rule != "double_effect" or finding.evidence.split()[0] not in again:
            yield finding


def _evidence(record: Record, told: Told, breach: Breach) -> Iterator[str]:
    """Put a breach into the words of the storm: texts of messages and labels of calls."""
    rule = JUDGED_BY[breach.invariant][1]
    if breach.event_id is not None:
        yield _message_evidence(rule, breach.event_id, told)
        return
    runs = told.owners_of(breach.call_id or "")
    if rule == "misattributed_result":
        yield from _given_to(told, breach.call_id or "")
    elif rule == "lost_result":
        results = outcomes_of(told.final.messages)
        lost = [run for run in runs if run.finished is not None and run.receipt not in results]
        yield from (f"{run.label} returned and its result is not in the conversation" for run in lost)
    elif runs:
        yield _call_evidence(rule, runs[0].label, record.world)


def _message_evidence(rule: str, text: str, told: Told) -> str:
    if rule == "lost_message":
        return f"{text!r} was accepted and is not in the conversation"
    if rule == "stranded_message":
        return f"{text!r} was accepted and waited for the next user turn"
    times = sum(text in text_of(message) for message in told.final.messages if message["role"] == "user")
    return f"{text!r} is in the conversation {times} times"


def _call_evidence(rule: str, label: str, world: World) -> str:
    runs = Counter(run.label for run in world.ledger)[label]
    effects = Counter(run.label for run in world.ledger if run.effect is not None)[label]
    asked = Counter(call.label for request in world.requests for call in request.plan.calls)[label]
    return {
        "silent_effect": f"{label} took effect and no message mentions the call",
        "double_call": f"{label} was asked for {asked} times and ran {runs} times"
        if runs > asked
        else f"one call of {label} ran more than once",
        "double_effect": f"{label} took effect {effects} times: the model was not told",
        "start_after_stop": f"{label} was started after its turn was stopped",
    }[rule]


def _given_to(told: Told, call: str) -> Iterator[str]:
    labels = told.labels
    for message in told.final.messages:
        if str(message.get("tool_call_id")) == call:
            for run in told.ledger:
                if run.receipt in text_of(message) and run.label != labels.get(call):
                    yield f"the result of {run.label} was given to {labels.get(call)}"


def told_vaguely(record: Record) -> Iterator[Finding]:
    """What took effect and was cut off is told as such: the catalogue takes a cancellation for true either way."""
    if record.told is None:
        return
    recorded, results = set(record.told.labels), outcomes_of(record.told.final.messages)
    for run, key in zip(record.told.ledger, record.told.keys, strict=True):
        if key in recorded and run.effect is not None and run.finished is None and run.receipt not in results:
            yield Finding(Grade.VAGUE, "effect_not_told", f"{run.label} took effect; its result does not say so")


def after_stop(record: Record) -> Iterator[Finding]:
    """Nothing that a stopped turn started takes effect once the stop is acknowledged."""
    for turn in record.desk.turns:
        if turn.began is None or turn.stopped is None or turn.ended is None:
            continue
        for run in record.world.ledger:
            owner = _asked_at(record.world, run)
            if turn.began < owner < turn.stopped and run.effect is not None and run.effect > turn.ended:
                yield Finding(
                    Grade.AFTER_STOP, "effect_after_stop", f"{run.label} took effect after its turn was stopped"
                )


def hangs(record: Record) -> Iterator[Finding]:
    """Every turn ends."""
    if record.hang is not None:
        yield Finding(Grade.HANG, "turn_never_ends", record.hang)


def refusals(record: Record) -> Iterator[Finding]:
    """What the runtime declined; the product then did without. Not a fault."""
    for delivery in record.desk.deliveries:
        if not delivery.accepted and delivery.error is None:
            yield Finding(Grade.REFUSED, f"refused_{delivery.event.kind}", f"{delivery.event.kind} was not accepted")
    for turn in record.desk.turns:
        if turn.refused:
            yield Finding(Grade.REFUSED, "refused_turn", "a second turn was not accepted while one was running")


def _accepted(record: Record) -> Iterator[tuple[str, int, bool]]:
    """Yield each accepted text, the tick at which it was handed over, and whether a stop came after it."""
    stops = [turn.stopped for turn in record.desk.turns if turn.stopped is not None]
    for turn in record.desk.turns:
        if turn.began is not None and not turn.refused and turn.error is None:
            yield turn.text, turn.began, turn.stopped is not None
    for delivery in record.desk.deliveries:
        if delivery.accepted and delivery.event.text is not None:
            yield delivery.event.text, delivery.tick, any(stop > delivery.tick for stop in stops)


def _idle(turns: list[Turn]) -> Iterator[tuple[int, int | None]]:
    """Yield from when to when nothing may start: from the end of the last stopped turn to the next turn."""
    for turn in turns:
        if turn.stopped is None or turn.ended is None:
            continue
        ended = turn.ended
        begun = [other for other in turns if other.began is not None]
        if not any((other.began or 0) < ended and (other.ended is None or other.ended > ended) for other in begun):
            yield ended, min((other.began or 0 for other in begun if (other.began or 0) > ended), default=None)


def _asked_at(world: World, run: Execution) -> int:
    ticks = [
        request.tick
        for request in world.requests
        if request.tick < run.began and any(call.label == run.label for call in request.plan.calls)
    ]
    return ticks[-1] if ticks else -1


def _says(request: Request, text: str) -> bool:
    return any(text in text_of(message) for message in request.messages if message["role"] == "user")


def _after(tick: int, extra: Turn | None) -> bool:
    return extra is not None and extra.began is not None and tick > extra.began
