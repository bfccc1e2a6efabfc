"""What can go wrong, in words and grades. Every judgement looks at what the model was sent and what the tools did."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum

from simlab.testing.contract import EXTRA, Desk, Turn
from simlab.testing.fakes import Execution, Request, World, called_labels, calls_in, text_of
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


@dataclass(frozen=True, kw_only=True, slots=True)
class Record:
    """What a run left behind. ``hang`` says why it never ended; then nothing can be said of what was saved."""

    world: World
    desk: Desk
    hang: str | None = None
    extra: Turn | None = field(default=None)

    @property
    def final(self) -> Request | None:
        """The last request of the extra user turn: all that was saved of the conversation."""
        if self.extra is None or self.extra.began is None:
            return None
        later = [request for request in self.world.requests if request.tick > self.extra.began]
        return later[-1] if later else None

    def final_results(self) -> str:
        """Return the text of all tool results of the final request."""
        messages = self.final.messages if self.final else []
        return "\n".join(text_of(message) for message in messages if message["role"] == "tool")


def judge(record: Record) -> list[Finding]:
    """Return every finding of a run, worst grade first, each once."""
    rules = (malformed, partial_text, message_fate, effects_told, doubles, after_stop, hangs, refusals)
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


def message_fate(record: Record) -> Iterator[Finding]:
    """Every user message that was accepted reaches the model before the agent goes idle, and is there once."""
    yield from (
        Finding(Grade.LOSS, "turn_failed", f"the turn {turn.text!r} raised {turn.error}")
        for turn in record.desk.turns
        if turn.error is not None
    )
    yield from (
        Finding(Grade.LOSS, "deliver_failed", f"deliver({delivery.event.kind}) raised {delivery.error}")
        for delivery in record.desk.deliveries
        if delivery.error is not None
    )
    if record.final is None:
        if record.extra is not None and record.extra.error is None and record.hang is None:
            yield Finding(Grade.HANG, "stranded_message", "the next user turn ended and the model was never asked")
        return
    for text, handed, stopped in _accepted(record):
        carriers = [request.tick for request in record.world.requests if _says(request, text) and request.tick > handed]
        times = sum(text in text_of(message) for message in record.final.messages if message["role"] == "user")
        if times == 0:
            yield Finding(Grade.LOSS, "lost_message", f"{text!r} was accepted and is not in the conversation")
        elif times > 1:
            yield Finding(Grade.DOUBLE, "double_message", f"{text!r} is in the conversation {times} times")
        elif text != EXTRA and not stopped and carriers and _after(carriers[0], record.extra):
            yield Finding(Grade.HANG, "stranded_message", f"{text!r} was accepted and waited for the next user turn")


def effects_told(record: Record) -> Iterator[Finding]:
    """Whatever a tool did to the world is told by the conversation, and whatever it returned is in it."""
    if record.final is None:
        return
    told, results = called_labels(record.final.messages), record.final_results()
    for run in record.world.ledger:
        if run.effect is not None and run.label not in told:
            yield Finding(Grade.LOSS, "silent_effect", f"{run.label} took effect and no message mentions the call")
        elif run.finished is not None and run.receipt not in results:
            yield Finding(Grade.LOSS, "lost_result", f"{run.label} returned and its result is not in the conversation")
        elif run.effect is not None and run.receipt not in results:
            yield Finding(Grade.VAGUE, "effect_not_told", f"{run.label} took effect; its result does not say so")
    yield from _misattributed(record.final, record.world.ledger)


def _misattributed(final: Request, ledger: list[Execution]) -> Iterator[Finding]:
    owners = {run.receipt: run.label for run in ledger}
    labels = {call_id: label for message in final.messages for call_id, label in calls_in(message)}
    for message in final.messages:
        label = labels.get(str(message.get("tool_call_id")))
        for receipt, owner in owners.items():
            if label is not None and label != owner and receipt in text_of(message):
                yield Finding(Grade.LOSS, "misattributed_result", f"the result of {owner} was given to {label}")


def doubles(record: Record) -> Iterator[Finding]:
    """No call runs twice, and no effect happens twice."""
    runs = Counter(run.label for run in record.world.ledger)
    effects = Counter(run.label for run in record.world.ledger if run.effect is not None)
    asked = Counter(call.label for request in record.world.requests for call in request.plan.calls)
    for label, times in runs.items():
        if times > asked[label]:
            yield Finding(
                Grade.DOUBLE, "double_call", f"{label} was asked for {asked[label]} times and ran {times} times"
            )
        elif effects[label] > 1:
            yield Finding(
                Grade.DOUBLE, "double_effect", f"{label} took effect {effects[label]} times: the model was not told"
            )


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
