"""A run told as a case: which call an execution belongs to, and what the catalogue says of it."""

from collections.abc import Sequence

import pytest

from simlab.invariants import CATALOGUE
from simlab.testing.contract import Call, Message, Plan, assistant_message
from simlab.testing.fakes import Execution, Request
from simlab.testing.grades import JUDGED_BY, NOT_JUDGED
from simlab.testing.law import PLACEHOLDER, Accepted, Told, keys_of

USER: Message = {"role": "user", "content": "[task] go"}


def asking(tick: int, *ids: str, messages: Sequence[Message] = (USER,)) -> Request:
    """A request at a tick, answered by calls for a1."""
    calls = tuple(Call(id=each, label="a1", duration_ms=1) for each in ids)
    return Request(
        tick=tick, at_s=0.0, messages=list(messages), plan=Plan(number=tick, text=f"Answer {tick}", calls=calls)
    )


def ran(began: int, receipt: str, *, effect: bool = True, cut: bool = False) -> Execution:
    return Execution(
        label="a1",
        receipt=receipt,
        began=began,
        effect=began + 1 if effect else None,
        finished=None if cut else began + 2,
        cancelled=began + 2 if cut else None,
    )


def saying(call: str, content: str) -> list[Message]:
    """A recorded call for a1 and its result."""
    return [
        assistant_message("", [(call, "work", {"label": "a1"})]),
        {"role": "tool", "tool_call_id": call, "content": content},
    ]


def told(
    requests: Sequence[Request],
    ledger: Sequence[Execution],
    accepted: Sequence[Accepted] = (),
    idle: Sequence[tuple[int, int | None]] = (),
) -> Told:
    keys = keys_of(requests, requests[-1], ledger)
    return Told(requests=requests, final=requests[-1], ledger=ledger, accepted=accepted, idle=idle, keys=keys)


def names(case: Told) -> set[str]:
    return {breach.invariant for breach in case.breaches()} & set(JUDGED_BY)


def test_every_invariant_of_the_catalogue_gives_a_grade_or_has_a_reason_why_not() -> None:
    assert {*JUDGED_BY} | {*NOT_JUDGED} == {entry.name for entry in CATALOGUE}
    assert not {*JUDGED_BY} & {*NOT_JUDGED}


@pytest.mark.parametrize(
    ("asked", "recorded", "receipts", "expected"),
    [
        (["c0"], saying("c0", "r1"), ["r1"], ["c0"]),
        (["c0", "c1"], saying("c1", "r2"), ["r1", "r2"], ["c0", "c1"]),
        (["c0", "c1"], [*saying("c0", "r2"), *saying("c1", "r1")], ["r1", "r2"], ["c1", "c0"]),
        (["c0"], saying("c0", "stopped"), ["r1", "r2"], ["c0", "c0"]),
        (["c0"], saying("own", "stopped"), ["r1"], ["own"]),
        (["c0"], [], ["r1"], ["c0"]),
        ([], [], ["r1"], ["unasked_a1"]),
    ],
)
def test_an_execution_belongs_to_the_call_that_tells_it_or_asked_for_it(
    asked: list[str], recorded: list[Message], receipts: list[str], expected: list[str]
) -> None:
    final = asking(90, messages=[USER, *recorded])
    requests = [*(asking(3 * number, each) for number, each in enumerate(asked)), final]
    ledger = [ran(3 * number + 1, receipt) for number, receipt in enumerate(receipts)]
    assert keys_of(requests, final, ledger) == expected


def test_a_whole_run_breaks_nothing() -> None:
    final = asking(90, messages=[USER, *saying("c0", "a1 is done, receipt r1")])
    task = Accepted(text="[task] go", handed=0, stopped=False, read=True)
    assert names(told([asking(1, "c0"), final], [ran(2, "r1")], [task])) == set()


def test_a_late_result_is_a_result_wherever_it_is_told() -> None:
    late: Message = {"role": "user", "content": "[late result] receipt r1"}
    placeholder = saying("c0", "still running")
    without = told([asking(1, "c0"), asking(90, messages=[USER, *placeholder])], [ran(2, "r1")])
    given = told([asking(1, "c0"), asking(90, messages=[USER, *placeholder, late])], [ran(2, "r1")])
    assert names(without) == {"every_placeholder_is_true"}
    assert names(given) == set()
    assert without.case().messages[-1]["content"] == PLACEHOLDER


def test_a_cut_call_that_was_made_anew_is_an_effect_that_nobody_tells_of() -> None:
    """Another call for the same thing does not stand for it."""
    final = asking(90, messages=[USER, *saying("c1", "stopped")])
    requests = [asking(1, "c0"), asking(10, "c1"), final]
    assert names(told(requests, [ran(2, "r1", cut=True), ran(11, "r2", effect=False, cut=True)])) == {
        "no_tool_of_a_discarded_message_runs"
    }


def test_what_left_nothing_behind_may_be_forgotten() -> None:
    assert names(told([asking(1, "c0"), asking(90)], [ran(2, "r1", effect=False, cut=True)])) == set()


@pytest.mark.parametrize(("idle", "expected"), [((20, None), True), ((20, 25), False), ((40, 50), False)])
def test_nothing_starts_between_a_stop_and_the_next_turn(idle: tuple[int, int | None], expected: bool) -> None:
    final = asking(90, messages=[USER, *saying("c0", "r1")])
    case = told([asking(1, "c0"), final], [ran(30, "r1")], idle=[idle])
    assert ("no_tool_starts_before_an_interrupt_was_read" in names(case)) is expected


@pytest.mark.parametrize(
    ("stopped", "read", "expected"),
    [
        (False, True, set()),
        (True, False, set()),
        (False, False, {"every_request_is_finished_voided_or_censored"}),
    ],
)
def test_a_message_is_read_before_the_user_speaks_again_unless_a_stop_came_after_it(
    stopped: bool, read: bool, expected: set[str]
) -> None:
    said = Accepted(text="[task] go", handed=0, stopped=stopped, read=read)
    assert names(told([asking(90)], [], [said])) == expected
