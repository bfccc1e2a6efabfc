"""Metrics of one run: one row for the run, one row for each event. Read from the record, never from the simulator.

Times are milliseconds of virtual time, costs US dollars, sizes tokens. A value that does not exist (a response that
never came) is None; ``censored`` says so.
"""

from collections.abc import Iterable
from dataclasses import dataclass, fields

from simlab.analysis.receipts import receipts, risks
from simlab.core.commands import Append
from simlab.core.inputs import Routed
from simlab.core.messages import (
    EventMessage,
    LateResultMessage,
    Message,
    SideMessage,
)
from simlab.core.record import EventTruth, FaultKind, IntentKind, ModelCall, RunOutcome, RunRecord, ToolRun

# Looked up once: on Python 3.11 the look-up of a member of an enumeration costs more than a call.
_FINISHED, _NOTICE, _CORRECT = RunOutcome.FINISHED, IntentKind.NOTICE, IntentKind.CORRECT
_FAULTS = tuple(kind for kind in FaultKind if kind is not FaultKind.RECOVER)


@dataclass(slots=True, kw_only=True)
class RunRow:
    """One run. Everything is per run; lower is better for all but the counts of what was asked for.

    ``effects_unknown``, ``effects_invented`` and ``claims_unfounded`` are the receipts, ``tasks_invented`` the tasks
    whose last answer rests on an invented value. For every fault of the model: ``exposure`` (opportunities),
    ``expected`` (the sum of their hazards) and ``sampled`` (how many were drawn): three numbers, never mixed.
    ``recomputed_tokens``: of the input tokens, those that an earlier call had read and that no cache spared this one.
    ``verdicts`` counts the router's verdicts on measured events, ``verdicts_right`` those that are the true handling.
    """

    scenario: str
    strategy: str
    router: str
    replication: int
    complete: bool
    ended_ms: int
    makespan_ms: int | None
    tasks: int
    tasks_finished: int
    tasks_voided: int
    events: int
    events_censored: int
    refusals: int
    repeats: int
    overtakes: int
    main_calls: int
    main_calls_kept: int
    side_calls: int
    synchronous_call_share: float
    input_tokens: int
    cached_tokens: int
    output_tokens: int
    discarded_tokens: int
    model_cost_usd: float
    router_cost_usd: float
    tool_used_ms: int
    tool_thrown_ms: int
    tool_doubled_ms: int
    effects: int
    effects_mistaken: int
    effects_after_correction: int
    effects_duplicate: int
    stop_latency_ms: int | None
    decision_points: int
    batches: int
    batch_size_mean: float
    batch_size_max: int
    breaches: int
    effects_unknown: int
    effects_invented: int
    claims_unfounded: int
    tasks_invented: int
    fabricate_exposure: int
    fabricate_expected: float
    fabricate_sampled: int
    neglect_exposure: int
    neglect_expected: float
    neglect_sampled: int
    forget_exposure: int
    forget_expected: float
    forget_sampled: int
    repeat_exposure: int
    repeat_expected: float
    repeat_sampled: int
    derail_exposure: int
    derail_expected: float
    derail_sampled: int
    confuse_exposure: int
    confuse_expected: float
    confuse_sampled: int
    misread_exposure: int
    misread_expected: float
    misread_sampled: int
    false_success_exposure: int
    false_success_expected: float
    false_success_sampled: int
    recomputed_tokens: int
    verdicts: int
    verdicts_right: int


@dataclass(slots=True, kw_only=True)
class EventRow:
    """One event of one run (late results and reports of tools are not events of the user's making)."""

    scenario: str
    strategy: str
    router: str
    replication: int
    event_id: str
    kind: str
    source: str
    urgent: bool
    is_repeat: bool
    is_voided: bool
    arrived_ms: int
    routing_ms: int | None
    wait_ms: int | None
    acknowledge_ms: int | None
    response_ms: int | None
    acted_ms: int | None
    censored: bool
    at_risk_ms: int


RUN_FIELDS: tuple[str, ...] = tuple(field.name for field in fields(RunRow))
EVENT_FIELDS: tuple[str, ...] = tuple(field.name for field in fields(EventRow))


@dataclass(slots=True)
class ToolTime:
    """Tool time in milliseconds, by what became of it. The three add up to the time that tools ran."""

    used_ms: int = 0
    thrown_ms: int = 0
    doubled_ms: int = 0


def tool_time(runs: list[ToolRun], ended_ms: int) -> ToolTime:
    """Split the time that tools ran into used, thrown away and doubled.

    Thrown away: cancelled, failed or timed out, or finished for a version of the step that an amendment replaced, or
    with an invented value and then done again with the true one.
    Doubled: finished although the same version of the step had been finished before. A run that the end of the
    simulation cut counts as used.
    """
    time = ToolTime()
    last_version = {(run.task_id, run.step): run.version for run in runs}
    nothing_is_repeated = len(last_version) == len(runs)
    finished: set[tuple[str, str, str]] = set()
    for run in runs:
        length_ms = (run.stopped_ms if run.stopped_ms is not None else ended_ms) - run.started_ms
        if nothing_is_repeated and run.outcome is _FINISHED:
            time.used_ms += length_ms
            continue
        key = (run.task_id, run.step, run.version)
        replaced = run.version != last_version[run.task_id, run.step] or (run.invented and _is_sound(runs, key))
        if run.outcome is RunOutcome.RUNNING:
            time.used_ms += length_ms
        elif run.outcome is not _FINISHED or replaced:
            time.thrown_ms += length_ms
        elif key in finished:
            time.doubled_ms += length_ms
        else:
            finished.add(key)
            time.used_ms += length_ms
    return time


def _is_sound(runs: list[ToolRun], key: tuple[str, str, str]) -> bool:
    """Whether the work was also done without an invented value."""
    return any((run.task_id, run.step, run.version) == key for run in runs if not run.invented)


@dataclass(slots=True)
class ModelUse:
    """What the model calls of a run came to; ``main``, ``main_kept`` and ``synchronous`` count main calls."""

    main: int = 0
    main_kept: int = 0
    synchronous: int = 0
    input_tokens: int = 0
    cached_tokens: int = 0
    output_tokens: int = 0
    discarded_tokens: int = 0
    cost_usd: float = 0


def model_use(calls: list[ModelCall]) -> ModelUse:
    """Add up model calls, main and side."""
    use = ModelUse()
    for call in calls:
        if not call.side:
            use.main += 1
            use.main_kept += call.kept
            use.synchronous += call.synchronous
        use.input_tokens += call.input_tokens
        use.cached_tokens += call.cached_tokens
        use.output_tokens += call.output_tokens
        use.cost_usd += call.cost_usd
        if not call.kept:
            use.discarded_tokens += call.output_tokens
    return use


@dataclass(slots=True)
class Batches:
    """How many events were consumed together: a batch is what was appended between two model calls at one instant."""

    count: int = 0
    events: int = 0
    largest: int = 0


def batches(record: RunRecord) -> Batches:
    """Count the batches of a run."""
    found = Batches()
    at_ms, size = -1, 0
    for when_ms, item in record.trace.records:
        taken = _events_in(item.message) if type(item) is Append else 0
        if not taken:
            continue
        if when_ms != at_ms:
            at_ms, size = when_ms, 0
            found.count += 1
        size += taken
        found.events += taken
        found.largest = max(found.largest, size)
    return found


def _events_in(message: Message) -> int:
    if type(message) is EventMessage:
        return len(message.events)
    return type(message) in _ONE_EVENT


_ONE_EVENT = frozenset({SideMessage, LateResultMessage})


def stop_latency_ms(record: RunRecord) -> int | None:
    """Return the time from a correction to the last mistaken effect after it.

    0 if no mistaken effect came after it, None if no correction was made.
    """
    corrections = [event for event in record.events.values() if event.kind is _CORRECT]
    if not corrections:
        return None
    late = [
        each.at_ms - each.corrected_ms for each in record.effects if each.corrected_ms is not None and each.mistaken
    ]
    return max(0, *late) if late else 0


def makespan_ms(record: RunRecord) -> int | None:
    """Return the time from the first request to the last final answer; None while a request is unfinished."""
    tasks = [task for task in record.tasks.values() if task.voided_ms is None]
    if not tasks or any(task.finished_ms is None for task in tasks):
        return None
    return max(task.finished_ms or 0 for task in tasks) - min(task.asked_ms for task in tasks)


def is_measured(event: EventTruth) -> bool:
    """Whether an event counts as one that somebody waits for: not the report of a tool, nor a notice."""
    return event.kind is not _NOTICE


def run_row(record: RunRecord, breaches: int = 0) -> RunRow:
    """Measure a run."""
    used = model_use(record.model_calls)
    time = tool_time(record.tool_runs, record.ended_ms)
    batch = batches(record)
    measured = [event for event in record.events.values() if is_measured(event)]
    receipt = receipts(record)
    risk = risks(record)
    fabricate, neglect, forget, repeat, derail, confuse, misread, false_success = [risk[kind] for kind in _FAULTS]
    verdicts = verdicts_of(record)
    return RunRow(
        scenario=record.scenario,
        strategy=record.strategy,
        router=record.router,
        replication=record.replication,
        complete=record.trace.complete,
        ended_ms=record.ended_ms,
        makespan_ms=makespan_ms(record),
        tasks=len(record.tasks),
        tasks_finished=sum(task.finished_ms is not None for task in record.tasks.values()),
        tasks_voided=sum(task.voided_ms is not None for task in record.tasks.values()),
        events=len(measured),
        events_censored=sum(_is_censored(event, record) for event in measured),
        refusals=sum(event.refusals for event in measured),
        repeats=sum(event.cause is not None and event.event_id.endswith("~") for event in measured),
        overtakes=overtakes(record),
        main_calls=used.main,
        main_calls_kept=used.main_kept,
        side_calls=len(record.model_calls) - used.main,
        synchronous_call_share=used.synchronous / used.main if used.main else 1.0,
        input_tokens=used.input_tokens,
        cached_tokens=used.cached_tokens,
        output_tokens=used.output_tokens,
        discarded_tokens=used.discarded_tokens,
        model_cost_usd=used.cost_usd + record.acknowledge_cost_usd,
        router_cost_usd=record.router_cost_usd,
        tool_used_ms=time.used_ms,
        tool_thrown_ms=time.thrown_ms,
        tool_doubled_ms=time.doubled_ms,
        effects=len(record.effects),
        effects_mistaken=sum(effect.mistaken for effect in record.effects),
        effects_after_correction=sum(effect.after_correction for effect in record.effects),
        effects_duplicate=sum(effect.duplicate for effect in record.effects),
        stop_latency_ms=stop_latency_ms(record),
        decision_points=len(record.decision_points),
        batches=batch.count,
        batch_size_mean=batch.events / batch.count if batch.count else 0.0,
        batch_size_max=batch.largest,
        breaches=breaches,
        effects_unknown=len(receipt.unknown),
        effects_invented=len(receipt.invented),
        claims_unfounded=len(receipt.unfounded),
        tasks_invented=sum(task.invented for task in record.tasks.values()),
        fabricate_exposure=fabricate.exposure,
        fabricate_expected=fabricate.expected,
        fabricate_sampled=fabricate.sampled,
        neglect_exposure=neglect.exposure,
        neglect_expected=neglect.expected,
        neglect_sampled=neglect.sampled,
        forget_exposure=forget.exposure,
        forget_expected=forget.expected,
        forget_sampled=forget.sampled,
        repeat_exposure=repeat.exposure,
        repeat_expected=repeat.expected,
        repeat_sampled=repeat.sampled,
        derail_exposure=derail.exposure,
        derail_expected=derail.expected,
        derail_sampled=derail.sampled,
        confuse_exposure=confuse.exposure,
        confuse_expected=confuse.expected,
        confuse_sampled=confuse.sampled,
        misread_exposure=misread.exposure,
        misread_expected=misread.expected,
        misread_sampled=misread.sampled,
        false_success_exposure=false_success.exposure,
        false_success_expected=false_success.expected,
        false_success_sampled=false_success.sampled,
        recomputed_tokens=recomputed_tokens(record.model_calls),
        verdicts=len(verdicts),
        verdicts_right=sum(verdicts),
    )


def recomputed_tokens(calls: Iterable[ModelCall]) -> int:
    """Count input tokens that were read again without a cache: a call's input is that of earlier calls and more."""
    seen = again = 0
    for call in calls:
        if call.input_tokens:
            again += max(0, min(call.input_tokens, seen) - call.cached_tokens)
            seen = max(seen, call.input_tokens)
    return again


def verdicts_of(record: RunRecord) -> list[bool]:
    """Return for each verdict on a measured event, in order, whether it is the handling that the event truly wants."""
    return [
        item.verdict.handling is event.handling
        for _, item in record.trace.records
        if type(item) is Routed and (event := record.events.get(item.event_id)) is not None and is_measured(event)
    ]


def overtakes(record: RunRecord) -> int:
    """Count the events that got their verdict before an earlier event of their source: order that a router lost."""
    latest: dict[str, int] = {}
    count = 0
    for event in record.events.values():  # in the order of arrival
        if event.routed_ms is None:
            continue
        before_ms = latest.get(event.source, event.routed_ms)
        count += event.routed_ms < before_ms
        latest[event.source] = max(before_ms, event.routed_ms)
    return count


def _is_censored(event: EventTruth, record: RunRecord) -> bool:
    """Whether nobody answered it: cut by the end of the run. A request that a correction voided needs no answer."""
    if event.first_answer_ms is not None:
        return False
    return not _is_voided(event, record)


def _is_voided(event: EventTruth, record: RunRecord) -> bool:
    """Whether it is a request that a correction voided. How soon it was answered says nothing: better never."""
    task = record.tasks.get(event.event_id)
    return task is not None and task.voided_ms is not None


def event_rows(record: RunRecord) -> list[EventRow]:
    """Measure every event of a run. ``at_risk_ms`` is how long it could have been answered: to the end of the run."""
    rows = []
    for event in record.events.values():
        if not is_measured(event):
            continue
        start_ms = event.arrived_ms
        rows.append(
            EventRow(
                scenario=record.scenario,
                strategy=record.strategy,
                router=record.router,
                replication=record.replication,
                event_id=event.event_id,
                kind=str(event.kind),
                source=event.source,
                urgent=event.urgent,
                is_repeat=event.cause is not None and event.event_id.endswith("~"),
                is_voided=_is_voided(event, record),
                arrived_ms=start_ms,
                routing_ms=_since(start_ms, event.routed_ms),
                wait_ms=_since(start_ms, event.consumed_ms),
                acknowledge_ms=_since(start_ms, event.acknowledged_ms),
                response_ms=_since(start_ms, event.first_answer_ms),
                acted_ms=_since(start_ms, event.acted_ms),
                censored=_is_censored(event, record),
                at_risk_ms=record.ended_ms - start_ms,
            )
        )
    return rows


def _since(start_ms: int, at_ms: int | None) -> int | None:
    return at_ms - start_ms if at_ms is not None else None
