"""A simulated run as a saved conversation: its last request in a wire format, and what its tools really did."""

from collections.abc import Callable, Iterator
from typing import Any

from simlab.core.commands import CallModel, StartTool
from simlab.core.errors import SimlabError
from simlab.core.inputs import ToolEnded
from simlab.core.messages import Message, PlaceholderMessage, PlaceholderState
from simlab.core.record import RunOutcome, RunRecord, ToolRun
from simlab.dialects.render import render
from simlab.dialects.render.names import call_namer

_ENDS = {RunOutcome.FINISHED: "ok", RunOutcome.FAILED: "error", RunOutcome.TIMED_OUT: "error"}


def case_of(record: RunRecord, dialect: str) -> dict[str, Any]:
    """Return the last request of a run as a ``case``, with the executions up to that moment as its ``events``.

    Times are seconds of virtual time. Raises ``SimlabError`` for an unknown dialect, and for a run in which the model
    was never called.
    """
    calls = [(at_ms, each) for at_ms, each in record.trace.records if isinstance(each, CallModel)]
    if not calls:
        raise SimlabError(f"{record.scenario}: the model was never called, so there is no request to write")
    at_ms, last = calls[-1]
    messages = list(last.messages[: last.length])
    rendered = render(messages, dialect)
    return {
        "id": f"{record.scenario}/{record.strategy}/{record.seed}/{record.replication}",
        "dialect": dialect,
        "request": rendered.request,
        "messages": rendered.messages,
        "events": executions(record, messages, at_ms, call_namer(dialect)),
    }


def executions(
    record: RunRecord, messages: list[Message], until_ms: int, name: Callable[[str], str]
) -> list[dict[str, Any]]:
    """Return what the tools did up to a moment, as lines of ground truth in the order of time."""
    started = {each.call.id for _, each in record.trace.records if isinstance(each, StartTool)}
    outputs = {each.call_id: each.result.content for _, each in record.trace.records if isinstance(each, ToolEnded)}
    lines = [
        {"t": at_ms / 1000, "kind": kind, "call": name(run.call_id), **more}
        for run in record.tool_runs
        if run.call_id in started  # a job that goes on behind a finished call is nobody's call
        for at_ms, kind, more in _lines(run, outputs.get(run.call_id))
        if at_ms <= until_ms
    ]
    lines += [
        {"t": until_ms / 1000, "kind": "not_executed", "call": name(each.call_id)}
        for each in messages
        if isinstance(each, PlaceholderMessage) and each.state is PlaceholderState.NOT_STARTED
    ]
    return sorted(lines, key=lambda line: float(line["t"]))


def _lines(run: ToolRun, output: str | None) -> Iterator[tuple[int, str, dict[str, Any]]]:
    yield run.started_ms, "exec_start", {"name": run.tool}
    if run.committed_ms is not None:
        yield run.committed_ms, "effect", {}
    if run.cancel_asked_ms is not None:
        yield run.cancel_asked_ms, "cancel", {}
    if run.stopped_ms is None:
        return
    status = _ENDS.get(run.outcome)
    if status is None:
        yield run.stopped_ms, "exec_killed", {}
    elif output is None:
        yield run.stopped_ms, "exec_end", {"status": status}
    else:
        yield run.stopped_ms, "exec_end", {"status": status, "output": output}
