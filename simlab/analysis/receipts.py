"""Receipts: what the ledger says against what the trajectory says, at the end of a run. Read from the record alone."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from simlab.core.messages import (
    EventMessage,
    LateResultMessage,
    Message,
    NoticeMessage,
    PlaceholderMessage,
    PlaceholderState,
    ResultMessage,
    SideMessage,
)
from simlab.core.record import Claim, Effect, FaultKind, RunRecord


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipts:
    """Where ledger and trajectory part. Effects that were undone do not count, except as duplicates.

    ``unknown``: effects of which no result, report or acknowledgement tells. ``unfounded``: claims of a task's last
    final answer that the ledger does not bear out. ``duplicate``: effects that the world had already.
    ``after_correction``: mistaken effects that took place although the correction had arrived. ``invented``: effects
    that rest on a value that the model made up.
    """

    unknown: tuple[Effect, ...]
    unfounded: tuple[Claim, ...]
    duplicate: tuple[Effect, ...]
    after_correction: tuple[Effect, ...]
    invented: tuple[Effect, ...]


def receipts(record: RunRecord) -> Receipts:
    """Compare the ledger of a run with its trajectory."""
    undone = {run.call_id for run in record.tool_runs if run.undone_ms is not None}
    standing = [effect for effect in record.effects if effect.call_id not in undone]
    told = _told(record.trace.trajectory()) if standing else set()
    return Receipts(
        unknown=tuple(effect for effect in standing if effect.call_id not in told),
        unfounded=tuple(claim for claim in record.claims if _is_unfounded(record, claim, standing)),
        duplicate=tuple(effect for effect in record.effects if effect.duplicate),
        after_correction=tuple(effect for effect in standing if effect.after_correction),
        invented=tuple(effect for effect in standing if effect.invented),
    )


def _told(trajectory: Iterable[Message]) -> set[str]:
    """Return the calls (and jobs) of which the trajectory says that they took effect, or have ended."""
    told: set[str] = set()
    for message in trajectory:
        match message:
            case ResultMessage(call_id=call_id, result=result) | LateResultMessage(call_id=call_id, result=result):
                if result.ok:
                    told.add(call_id)
                    told.add(result.content.partition(": cancelled, id ")[2].partition(",")[0])
            case PlaceholderMessage(call_id=call_id, state=state) | NoticeMessage(call_id=call_id, state=state):
                if state is PlaceholderState.CANCELLED_AFTER:
                    told.add(call_id)
            case EventMessage(events=events):
                told.update(event.id for event in events)
            case SideMessage(event=event):
                told.add(event.id)
            case _:
                pass
    return told


def _is_unfounded(record: RunRecord, claim: Claim, standing: list[Effect]) -> bool:
    """Whether the last final answer claims an effect that the ledger does not have (or has only by mistake)."""
    task = record.tasks[claim.task_id]
    if claim.at_ms != task.finished_ms:
        return False
    return not any(effect.task_id == claim.task_id and effect.step == claim.step for effect in standing)


@dataclass(slots=True)
class Risk:
    """The three numbers of one fault: opportunities, the sum of their hazards, and how many of them were drawn."""

    exposure: int = 0
    expected: float = 0.0
    sampled: int = 0


_NO_RISKS: Mapping[FaultKind, Risk] = {kind: Risk() for kind in FaultKind}


def risks(record: RunRecord) -> Mapping[FaultKind, Risk]:
    """Add up the opportunities of a run by the kind of fault. Without hazards there are none."""
    if not record.exposures:
        return _NO_RISKS
    found = {kind: Risk() for kind in FaultKind}
    for exposure in record.exposures:
        risk = found[exposure.kind]
        risk.exposure += 1
        risk.expected += exposure.hazard
        risk.sampled += exposure.sampled
    return found
