"""The mocked model: what it says (``speaking``), how long that takes, what it costs.

Sizes of work are drawn for the work and repeat with it; time to first token, decode rate and failures belong to the
attempt. An attempt is named by the leading piece of work of its message and by how often that was begun before.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, assert_never

from simlab.core.messages import (
    AssistantMessage,
    Call,
    EventMessage,
    LateResultMessage,
    Mark,
    Message,
    NoticeMessage,
    PlaceholderMessage,
    ResultMessage,
    SideMessage,
    Wording,
)
from simlab.core.record import IntentKind, ModelCall
from simlab.sim.laws import Law
from simlab.sim.reading import Reading, write_arguments
from simlab.sim.speaking import Speech, Work, speak
from simlab.sim.spec import Intent, ModelSpec, Plan, ToolModel
from simlab.sim.streams import Draws

if TYPE_CHECKING:
    from simlab.sim.faults.hazards import Hazards
    from simlab.sim.faults.luck import Luck

PLACEHOLDER_TOKENS = {Wording.EXPLICIT: 25, Wording.TERSE: 8, Wording.ERROR: 12, Wording.MISSING: 2}
"""Size of a placeholder in tokens, by its wording (assumption)."""

MARK_TOKENS = 10
"""Size in tokens of a mark around an event, of the line that sums a numbered batch up, of a reminder (assumption)."""


def _mark_tokens(message: EventMessage) -> int:
    """Return the size of what was wrapped around the events."""
    if message.mark is Mark.PLAIN and not message.reminds:
        return 0
    sums_up = message.mark is Mark.NUMBERED and message.position == 1 and message.batch_size > 1
    return MARK_TOKENS * ((message.mark is not Mark.PLAIN) + sums_up + message.reminds)


_NOTICE = IntentKind.NOTICE  # looked up once: costly on Python 3.11


@dataclass(slots=True)
class Planned:
    """A model call that has begun: what it will say and when, unless it is stopped."""

    speech: Speech
    record: ModelCall
    total_ms: int
    silent_ms: float
    tokens: int

    def tokens_after(self, elapsed_ms: int) -> int:
        """Return the output tokens generated so far: none before the first token, then linear."""
        if elapsed_ms >= self.total_ms:
            return self.tokens
        speaking_ms = self.total_ms - self.silent_ms
        if elapsed_ms <= self.silent_ms or speaking_ms <= 0:
            return 0
        return int(self.tokens * (elapsed_ms - self.silent_ms) / speaking_ms)


@dataclass(slots=True)
class ContextMeter:
    """Counts the tokens of a growing context, and how much of its prefix is cached."""

    system_tokens: int
    sums: list[int] = field(default_factory=list)
    cached_length: int = 0
    cached_at_ms: int | None = None

    def changed(self, index: int) -> None:
        """History changed from this message on: the cache ends there."""
        del self.sums[index:]
        self.cached_length = min(self.cached_length, index)

    def up_to(self, length: int) -> int:
        """Return the tokens of the first ``length`` messages and the system prompt."""
        return self.system_tokens + (self.sums[length - 1] if length else 0)


class MockedModel:
    """One replication's model. Reads, speaks and prices; keeps no state that the trajectory does not determine."""

    __slots__ = (
        "_attempts",
        "_draws",
        "_is_measured",
        "_is_priced",
        "_meter",
        "_resample",
        "_speak",
        "_spec",
        "_tools",
        "luck",
        "reading",
    )

    def __init__(
        self,
        spec: ModelSpec,
        plan_of: Callable[[str], Plan],
        tools: Mapping[str, ToolModel],
        intents: Mapping[str, Intent],
        draws: Draws,
        *,
        tool_attempts: int,
        resample: bool,
        hazards: "Hazards | None" = None,
        luck: "Luck | None" = None,
    ) -> None:
        """With ``hazards`` (and the ``luck`` that decides) the model may go wrong."""
        self._spec = spec
        self._tools = tools
        self._draws = draws
        self._resample = resample
        self._is_priced = any((spec.price_in_usd, spec.price_cached_usd, spec.price_out_usd))
        self._is_measured = bool(spec.event_tokens or spec.system_tokens)
        self._attempts: dict[Work, int] = {}
        self._meter = ContextMeter(spec.system_tokens, cached_at_ms=0 if spec.system_cached else None)
        self.luck = luck
        self.reading: Reading
        self._speak: Callable[[Any, Mapping[str, ToolModel]], Speech]
        if hazards is None or luck is None:
            self.reading = Reading(plan_of, tools, intents, tool_attempts)
            self._speak = speak
        else:
            from simlab.sim.faults.tempted import Tempted, speak_tempted

            self.reading = Tempted(plan_of, tools, intents, tool_attempts, hazards=hazards, luck=luck)
            self._speak = speak_tempted

    # --- the main model -----------------------------------------------------------------------------------------

    def begin(self, messages: Sequence[Message], length: int, epoch: int, generation: int, now_ms: int) -> Planned:
        """Begin a main call on the first ``length`` messages."""
        self.reading.read(messages, length, epoch)
        speech = self._speak(self.reading, self._tools)
        attempt = self._attempt(speech)
        tokens = self._tokens(speech, attempt)
        record = ModelCall(generation, False, now_ms)
        record.planned_tokens = tokens
        if self._is_measured:
            self._measure(messages, length, record, now_ms)
        return self._time(speech, record, tokens, attempt)

    def changed(self, index: int) -> None:
        """History was rewritten from this message on."""
        self._meter.changed(index)

    def _attempt(self, speech: Speech) -> tuple[str | int, ...]:
        """Name this attempt: the leading piece of work, and how often it was begun before."""
        lead: Work = speech.work[0] if speech.work else ("wait", str(self.reading.at))
        count = self._attempts[lead] = self._attempts.get(lead, -1) + 1
        return (*lead, count)

    def _tokens(self, speech: Speech, attempt: tuple[str | int, ...]) -> int:
        if not speech.work:
            return self._spec.idle_tokens
        total, uniform = 0, self._draws.uniform
        for work in speech.work:
            law = self._law(work)
            if law is not None:
                u = uniform("tokens", *work, attempt[-1]) if self._resample else uniform("tokens", *work)
                total += max(1, round(law.quantile(u)))
        return total

    def _law(self, work: Work) -> Law | None:
        """Return the law of the output tokens of a piece of work."""
        spec = self._spec
        if work[0] == "answer":
            return None if self.reading.pending[work[1]].kind is _NOTICE else spec.answer_tokens
        task = self.reading.tasks[work[1]]
        if work[0] == "call":
            return task.plan_step(work[2]).output_tokens or spec.step_tokens
        return task.plan.final_tokens or spec.final_tokens or spec.answer_tokens

    def _measure(self, messages: Sequence[Message], length: int, record: ModelCall, now_ms: int) -> None:
        """Count input tokens, and which of them the provider's cache still holds."""
        meter, spec = self._meter, self._spec
        for index in range(len(meter.sums), length):
            size = self._size(messages[index])
            meter.sums.append((meter.sums[index - 1] if index else 0) + size)
        record.input_tokens = meter.up_to(length)
        alive = meter.cached_at_ms is not None and (
            spec.cache_ttl_ms is None or now_ms - meter.cached_at_ms <= spec.cache_ttl_ms
        )
        record.cached_tokens = meter.up_to(min(meter.cached_length, length)) if alive else 0
        if not record.side:
            meter.cached_length = length
            meter.cached_at_ms = now_ms

    def _size(self, message: Message) -> int:
        """Return the size of a message in tokens. Calls are drawn for the work, so a repeat has the same size."""
        match message:
            case EventMessage(events=events):
                return self._spec.event_tokens * len(events) + _mark_tokens(message)
            case AssistantMessage(tokens=tokens):
                return tokens
            case ResultMessage(call_id=call_id) | LateResultMessage(call_id=call_id):
                ref = self.reading.calls.get(call_id)
                task = self.reading.tasks.get(ref.task_id) if ref is not None else None
                if ref is None or task is None:
                    return 0
                law = self._tools[task.plan_step(ref.step).tool].result_tokens
                return round(law.quantile(self._draws.uniform("result", ref.task_id, ref.step, ref.version)))
            case PlaceholderMessage(wording=wording):
                return PLACEHOLDER_TOKENS[wording]
            case NoticeMessage():
                return PLACEHOLDER_TOKENS[Wording.EXPLICIT]
            case SideMessage(answer=answer):
                return self._spec.event_tokens + answer.tokens
            case _:
                assert_never(message)

    def _time(self, speech: Speech, record: ModelCall, tokens: int, attempt: tuple[str | int, ...]) -> Planned:
        spec, draws = self._spec, self._draws
        if spec.call_ms is not None:
            total = spec.call_ms.quantile(draws.uniform("call_ms", *attempt))
            silent = 0.0
        else:
            silent = spec.ttft_ms.quantile(draws.uniform("ttft_ms", *attempt))
            if record.input_tokens:
                fresh = record.input_tokens - record.cached_tokens
                silent += 1000 * (fresh / spec.prefill_tok_s + record.cached_tokens / spec.prefill_cached_tok_s)
            rate = spec.decode_tok_s.quantile(draws.uniform("decode_tok_s", *attempt))
            if spec.slowdown_per_100k:
                rate *= max(0.1, 1 - spec.slowdown_per_100k * record.input_tokens / 100_000)
            total = silent + 1000 * tokens / rate
        waste = self._failures(attempt) if spec.failure else 0.0
        whole = round(total + waste)
        record.planned_ms = whole
        return Planned(speech, record, whole, min(silent + waste, whole), tokens)

    def _failures(self, attempt: tuple[str | int, ...]) -> float:
        """Return the time lost to failed attempts of this call."""
        spec, lost, tries = self._spec, 0.0, 0
        while tries < 10 and self._draws.uniform("call_fails", *attempt, tries) < spec.failure:
            lost += spec.retry_ms.quantile(self._draws.uniform("retry_ms", *attempt, tries))
            tries += 1
        return lost

    # --- side sessions ------------------------------------------------------------------------------------------

    def begin_side(self, messages: Sequence[Message], event_id: str, now_ms: int) -> Planned:
        """Begin a side session: one call on a copy of the trajectory, with the question at its end."""
        work: Work = ("answer", event_id)
        speech = Speech(answers=[event_id], work=[work])
        tokens = max(1, round(self._spec.answer_tokens.quantile(self._draws.uniform("tokens", *work))))
        record = ModelCall(generation=0, side=True, started_ms=now_ms, planned_tokens=tokens)
        if self._is_measured:
            known = min(len(messages), len(self._meter.sums))
            record.input_tokens = self._meter.up_to(known) + self._spec.event_tokens
            record.cached_tokens = self._meter.up_to(min(self._meter.cached_length, known))
        return self._time(speech, record, tokens, ("side", event_id))

    # --- messages -----------------------------------------------------------------------------------------------

    def message(self, planned: Planned, message_id: str, call_ids: Sequence[str]) -> AssistantMessage:
        """Write the message that a call ends with."""
        speech = planned.speech
        tasks = self.reading.tasks
        calls = [
            Call(call_id, tasks[ref.task_id].plan_step(ref.step).tool, write_arguments(ref))
            for call_id, ref in zip(call_ids, speech.calls, strict=True)
        ]
        says = [f"answer:{each}" for each in speech.answers]
        says += [f"final:{each}" for each in speech.finals]
        return AssistantMessage(message_id, "", planned.tokens, "", tuple(calls), tuple(says))

    def bill(self, record: ModelCall) -> None:
        """Price a call: new input, cached input, output."""
        spec = self._spec
        if not self._is_priced:
            return
        record.cost_usd = (
            (record.input_tokens - record.cached_tokens) * spec.price_in_usd
            + record.cached_tokens * spec.price_cached_usd
            + record.output_tokens * spec.price_out_usd
        ) / 1_000_000
