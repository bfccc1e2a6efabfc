"""An independent look at a run: written from the rules, not from the catalogue of invariants."""

from collections import Counter
from collections.abc import Iterator, Sequence

from simlab.core.commands import CallModel, StartTool
from simlab.core.inputs import ModelFinished, ModelStopped, Routed, SideEnded, ToolCancelled, ToolEnded
from simlab.core.messages import (
    AssistantMessage,
    LateResultMessage,
    Message,
    NoticeMessage,
    PlaceholderMessage,
    ResultMessage,
)
from simlab.core.record import RunOutcome, RunRecord, ToolRun
from simlab.sim.spec import WorldSpec


def malformed(trajectory: Sequence[Message]) -> Iterator[str]:
    """What a provider would refuse: behind calls come their results and placeholders, one each, and nothing else.

    A late result or a notice counts where a strategy that edits has written it into its placeholder's place.
    """
    open_calls: list[str] = []
    for index, message in enumerate(trajectory):
        match message:
            case ResultMessage(call_id=call_id) | PlaceholderMessage(call_id=call_id):
                if call_id in open_calls:
                    open_calls.remove(call_id)
                else:
                    yield f"message {index} closes {call_id}, which is not open"
            case LateResultMessage(call_id=call_id) | NoticeMessage(call_id=call_id) if call_id in open_calls:
                open_calls.remove(call_id)
            case _:
                if open_calls:
                    yield f"message {index} comes while {open_calls} are open"
                    open_calls = []
        if isinstance(message, AssistantMessage):
            open_calls = [call.id for call in message.calls]


def cancels_that_meet_an_open_call(record: RunRecord) -> int:
    """How many verdicts of events from outside came while a recorded call had neither result nor placeholder."""
    trajectory: list[Message] = []
    open_calls: set[str] = set()
    met = 0
    for _, item in record.trace.records:
        message = getattr(item, "message", None)
        if isinstance(item, Routed):
            reports = item.event_id.startswith(("late:", "job:"))
            met += bool(open_calls) and not reports
        elif type(item).__name__ == "Append" and message is not None:
            trajectory.append(message)
            if isinstance(message, AssistantMessage):
                open_calls |= {call.id for call in message.calls}
            elif isinstance(message, ResultMessage | PlaceholderMessage):
                open_calls.discard(message.call_id)
        elif isinstance(item, CallModel):
            open_calls.clear()  # left behind for good: counted already
    return met


def unbalanced(record: RunRecord) -> Iterator[str]:
    """Q6: tokens generated = kept + discarded; tool time = used + thrown away + duplicated. Exactly, in every run.

    Both sides are counted apart: one from the trace, the other from the ledger.
    """
    yield from _unbalanced_tokens(record)
    yield from _unbalanced_tool_time(record)


def _unbalanced_tokens(record: RunRecord) -> Iterator[str]:
    kept = stopped = 0
    for _, item in record.trace.records:
        if isinstance(item, ModelFinished | SideEnded):
            kept += item.output_tokens
        elif isinstance(item, ModelStopped) and item.partial is not None:
            kept += item.output_tokens  # a strategy keeps what was said
        elif isinstance(item, ModelStopped):
            stopped += item.output_tokens
    calls = record.model_calls
    if kept != sum(call.output_tokens for call in calls if call.kept):
        yield f"{kept} tokens reached the agent, the ledger says otherwise"
    cut = sum(call.output_tokens for call in calls if not call.kept and call.ended_ms == record.ended_ms)
    discarded = sum(call.output_tokens for call in calls if not call.kept)
    if not discarded - cut <= stopped <= discarded:
        yield f"{stopped} tokens were discarded, the ledger says {discarded}"
    if sum(call.output_tokens for call in calls) != kept + discarded:
        yield "tokens generated are not kept + discarded"
    if any(call.output_tokens > call.planned_tokens for call in calls):
        yield "a call generated more than it had to say"


def _unbalanced_tool_time(record: RunRecord) -> Iterator[str]:
    runs = {each.call_id: each for each in record.tool_runs}
    started: dict[str, int] = {}
    in_trace: Counter[str] = Counter()
    for at_ms, item in record.trace.records:
        if isinstance(item, StartTool):
            started[item.call.id] = at_ms
        elif isinstance(item, ToolEnded):
            in_trace[item.call_id] += at_ms - started.pop(item.call_id)
        elif isinstance(item, ToolCancelled):
            run = runs[item.call_id]
            acknowledged_after_ms = at_ms - (run.stopped_ms or 0)
            in_trace[item.call_id] += at_ms - acknowledged_after_ms - started.pop(item.call_id)
    for call_id, begun_ms in started.items():
        in_trace[call_id] += (runs[call_id].stopped_ms or record.ended_ms) - begun_ms
    ledger = {each.call_id: _run_ms(each, record) for each in record.tool_runs if not each.call_id.startswith("job:")}
    if dict(in_trace) != ledger:
        yield f"tool time in the trace {dict(in_trace)} is not that of the ledger {ledger}"
    used, thrown_away, duplicated = _shares_ms(record)
    if used + thrown_away + duplicated != sum(_run_ms(each, record) for each in record.tool_runs):
        yield "tool time is not used + thrown away + duplicated"


def _run_ms(run: ToolRun, record: RunRecord) -> int:
    return (run.stopped_ms if run.stopped_ms is not None else record.ended_ms) - run.started_ms


def _shares_ms(record: RunRecord) -> tuple[int, int, int]:
    used = thrown_away = duplicated = 0
    done: set[tuple[str, str, str]] = set()
    for run in record.tool_runs:
        work = (run.task_id, run.step, run.version)
        if run.outcome in (RunOutcome.CANCELLED, RunOutcome.RUNNING):
            thrown_away += _run_ms(run, record)
        elif work in done:
            duplicated += _run_ms(run, record)
        else:
            used += _run_ms(run, record)
            if run.outcome is RunOutcome.FINISHED:
                done.add(work)
    return used, thrown_away, duplicated


def unequal_luck(records: Sequence[RunRecord], spec: WorldSpec) -> Iterator[str]:
    """The same piece of work takes the same time under every strategy (unless the world redraws it)."""
    if spec.resample:
        return
    times: dict[tuple[str, str, str], set[int]] = {}
    for record in records:
        for run in record.tool_runs:
            if run.outcome is RunOutcome.FINISHED:
                times.setdefault((run.task_id, run.step, run.version), set()).add(_run_ms(run, record))
    for work, found in times.items():
        if len(found) > (2 if any(run_is_job(record, work) for record in records) else 1):
            yield f"{work} took {sorted(found)} ms"


def run_is_job(record: RunRecord, work: tuple[str, str, str]) -> bool:
    """Whether this work is a job, whose start is a run of its own."""
    return any(
        run.call_id.startswith("job:") and (run.task_id, run.step, run.version) == work for run in record.tool_runs
    )
