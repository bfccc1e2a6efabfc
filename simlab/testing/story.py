"""Tell one run as lines that a person can read: what happened when, and the conversation at the end."""

from collections.abc import Iterator

from simlab.testing.contract import Message
from simlab.testing.fakes import calls_in, text_of
from simlab.testing.grades import Record
from simlab.testing.session import Run

WIDTH = 96


def story(run: Run) -> list[str]:
    """Return the timeline, the final conversation and the findings, a line each.

    Times are seconds of the schedule since the first thing happened, also on a real clock, which runs faster.
    """
    world = run.record.world
    lines = [f"schedule {run.schedule.text}"]
    if world.scale != 1:
        lines.append(f"plain asyncio on the real clock, {1 / world.scale:g} times as fast as the schedule says")
    for tick, told in sorted(_events(run.record)):
        at_s = (world.times_s[tick] - world.times_s[0]) / world.scale
        lines.append(f"{at_s:9.3f} s  {told}")
    if run.record.final is not None:
        lines.append("conversation as the next user turn finds it:")
        lines += [f"  {_line(message)}"[:WIDTH] for message in run.record.final.messages]
    for finding in run.findings:
        lines.append(
            f"{finding.grade}: {finding.rule}: {finding.evidence}" + ("" if finding.grade.fails else " (not a fault)")
        )
    return lines if run.findings else [*lines, "no findings"]


def _events(record: Record) -> Iterator[tuple[int, str]]:
    for turn in record.desk.turns:
        marks = ((turn.began, "begins"), (turn.stopped, "is stopped"), (turn.ended, _end_of(turn.error, turn.refused)))
        yield from ((tick, f"turn {turn.text!r} {told}") for tick, told in marks if tick is not None)
    for delivery in record.desk.deliveries:
        yield delivery.tick, f"{delivery.event.kind} {'accepted' if delivery.accepted else 'refused'}"
    for request in record.world.requests:
        names = ", ".join(call.label for call in request.plan.calls) or "nothing"
        yield request.tick, f"request {request.plan.number}: {len(request.messages)} messages; the model calls {names}"
    for run in record.world.ledger:
        steps = (
            (run.began, "begins"),
            (run.effect, "takes effect"),
            (run.finished, "returns"),
            (run.cancelled, "is cancelled"),
        )
        yield from ((tick, f"tool {run.label} {told}") for tick, told in steps if tick is not None)


def _end_of(error: str | None, refused: bool) -> str:
    if refused:
        return "is refused"
    return f"raises {error}" if error else "ends"


def _line(message: Message) -> str:
    calls = ", ".join(f"{label} ({call_id})" for call_id, label in calls_in(message))
    about = f" for {message['tool_call_id']}" if message["role"] == "tool" else ""
    return f"{message['role']}{about}: {text_of(message)}" + (f" -> calls {calls}" if calls else "")
