"""Each rule on a record made by hand: what breaks it, and what does not."""

from collections.abc import Sequence

import pytest

from simlab.testing.contract import EXTRA, TASK, Delivery, Desk, Ev, Message, Turn, assistant_message
from simlab.testing.fakes import Execution, Request, Workload, World, decide
from simlab.testing.grades import Finding, Grade, Record, judge

USER: Message = {"role": "user", "content": TASK}
LAST: Message = {"role": "user", "content": EXTRA}
CALL = assistant_message("Answer", [("call_0_a1", "work", {"label": "a1", "duration_ms": 1})])


class Nobody:
    async def turn(self, text: str) -> None:
        raise NotImplementedError

    def deliver(self, event: Ev) -> bool:
        raise NotImplementedError


def result(content: str) -> Message:
    return {"role": "tool", "tool_call_id": "call_0_a1", "content": content}


def record(
    final: Sequence[Message],
    *,
    ledger: Sequence[Execution] = (),
    turns: Sequence[Turn] = (),
    deliveries: Sequence[Delivery] = (),
    hang: str | None = None,
) -> Record:
    """A task at tick 0 with one finished request at tick 1, and the extra turn at tick 90 whose request is given."""
    world = World(Workload(rounds_ms=((1,),)))
    first = decide(world.workload, [USER], 0)
    last = decide(world.workload, final, 1)
    world.requests += [
        Request(tick=1, at_s=0.0, messages=[USER], plan=first),
        Request(tick=91, at_s=1.0, messages=list(final), plan=last),
    ]
    world.finished_plans |= {0, 1}
    world.ledger += ledger
    extra = Turn(text=EXTRA, began=90, ended=99)
    desk = Desk(Nobody(), "queue", lambda: 0)
    desk.turns += [*(turns or [Turn(text=TASK, began=0, ended=80)]), extra]
    desk.deliveries += deliveries
    return Record(world=world, desk=desk, hang=hang, extra=extra)


def kinds(findings: list[Finding]) -> list[tuple[Grade, str]]:
    return [(finding.grade, finding.rule) for finding in findings]


DONE = Execution(label="a1", receipt="r1", began=2, effect=3, finished=4)
CUT = Execution(label="a1", receipt="r1", began=2, effect=3, cancelled=4)
WHOLE = [USER, CALL, result("a1 is done, receipt r1"), LAST]


def test_a_whole_conversation_has_no_findings() -> None:
    assert judge(record(WHOLE, ledger=[DONE])) == []


@pytest.mark.parametrize(
    ("final", "ledger", "expected"),
    [
        ([USER, CALL, LAST], [], [(Grade.MALFORMED, "dangling_tool_call")]),
        ([USER, LAST], [DONE], [(Grade.LOSS, "silent_effect")]),
        ([USER, CALL, result("stopped"), LAST], [DONE], [(Grade.LOSS, "lost_result")]),
        ([USER, CALL, result("stopped"), LAST], [CUT], [(Grade.VAGUE, "effect_not_told")]),
        ([LAST], [], [(Grade.LOSS, "lost_message")]),
        ([USER, USER, LAST], [], [(Grade.DOUBLE, "double_message")]),
    ],
)
def test_what_the_final_conversation_lacks_is_graded(
    final: list[Message], ledger: list[Execution], expected: list[tuple[Grade, str]]
) -> None:
    assert kinds(judge(record(final, ledger=ledger))) == expected


def test_a_call_that_runs_more_often_than_it_was_asked_for_is_a_double_call() -> None:
    again = Execution(label="a1", receipt="r2", began=5, effect=6, finished=7)
    final = [USER, CALL, result("a1 is done, receipt r1; a1 is done, receipt r2"), LAST]
    assert kinds(judge(record(final, ledger=[DONE, again]))) == [(Grade.DOUBLE, "double_call")]


def test_a_result_given_to_another_call_is_misattributed() -> None:
    other = Execution(label="b1", receipt="r9", began=2, effect=3, finished=4)
    calls = assistant_message("", [("x", "work", {"label": "a1"}), ("y", "work", {"label": "b1"})])
    swapped: list[Message] = [
        {"role": "tool", "tool_call_id": "x", "content": "receipt r9"},
        {"role": "tool", "tool_call_id": "y", "content": "receipt r1"},
    ]
    found = judge(record([USER, calls, *swapped, LAST], ledger=[DONE, other]))
    assert (Grade.LOSS, "misattributed_result") in kinds(found)


def test_an_effect_counts_as_late_only_behind_the_end_of_its_stopped_turn() -> None:
    stopped = Turn(text=TASK, began=0, stopped=10, ended=20)
    late = Execution(label="a1", receipt="r1", began=2, effect=21, finished=22)
    in_time = Execution(label="a1", receipt="r1", began=2, effect=19, finished=22)
    assert kinds(judge(record(WHOLE, ledger=[late], turns=[stopped]))) == [(Grade.AFTER_STOP, "effect_after_stop")]
    assert judge(record(WHOLE, ledger=[in_time], turns=[stopped])) == []


def test_a_tool_that_starts_behind_the_acknowledged_stop_is_told_apart_from_one_that_goes_on() -> None:
    stopped = Turn(text=TASK, began=0, stopped=10, ended=20)
    late = Execution(label="a1", receipt="r1", began=21, effect=22, finished=23)
    assert kinds(judge(record(WHOLE, ledger=[late], turns=[stopped]))) == [
        (Grade.AFTER_STOP, "effect_after_stop"),
        (Grade.AFTER_STOP, "start_after_stop"),
    ]


@pytest.mark.parametrize(("stopped", "expected"), [(None, [(Grade.HANG, "stranded_message")]), (50, [])])
def test_a_message_that_waits_for_the_next_user_is_stranded_unless_a_stop_came_after_it(
    stopped: int | None, expected: list[tuple[Grade, str]]
) -> None:
    steer = Delivery(tick=40, event=Ev("message", "[message-0]"), accepted=True)
    turn = Turn(text=TASK, began=0, stopped=stopped, ended=80)
    final: list[Message] = [USER, {"role": "user", "content": "[message-0]"}, LAST]
    assert kinds(judge(record(final, turns=[turn], deliveries=[steer]))) == expected


def test_a_hang_a_failed_turn_and_a_failed_delivery_carry_their_reasons() -> None:
    failed = Turn(text=TASK, began=0, ended=5, error="KeyError: 'x'")
    broken = Delivery(tick=3, event=Ev("stop"), accepted=False, error="OSError: no")
    found = judge(record([LAST], turns=[failed], deliveries=[broken], hang="nothing can ever happen"))
    assert {(finding.grade, finding.evidence) for finding in found} == {
        (Grade.LOSS, "the turn '[task] Do all the work.' raised KeyError: 'x'"),
        (Grade.LOSS, "deliver(stop) raised OSError: no"),
        (Grade.HANG, "nothing can ever happen"),
    }


def test_a_refusal_is_no_fault() -> None:
    declined = Delivery(tick=3, event=Ev("message", "[message-0]"), accepted=False)
    (finding,) = judge(record(WHOLE, ledger=[DONE], deliveries=[declined]))
    assert (finding.grade, finding.grade.fails) == (Grade.REFUSED, False)


def test_a_text_that_was_cut_off_is_told_from_a_whole_one() -> None:
    made = record([USER, assistant_message("Answer 0: now", []), LAST])
    assert judge(made) == []  # the plan was finished, so this text is not one that was cut off
    made.world.finished_plans.discard(0)
    assert kinds(judge(made)) == [(Grade.MALFORMED, "partial_text")]
