"""Making a call again while the first one runs."""

from dataclasses import replace

from simlab.core.record import FaultKind
from simlab.sim.faults.repeat import Repeat, repeat
from simlab.sim.interfaces import keyed
from tests.sim.faults.small import POST_THEN_SEND, certain, said, small, subjects
from tests.validation.building import run

REPEATS = certain(repeat=1)


def test_a_repeated_call_doubles_the_effect() -> None:
    record = run(small(steps=POST_THEN_SEND, hazards=REPEATS), "cancel-background")
    assert said(record)[1] == ("answer:U2", "a")
    assert [(each.step, each.at_ms, each.duplicate) for each in record.effects] == [
        ("a", 7_000, False),
        ("a", 12_000, True),
        ("b", 15_500, False),
    ]


def test_an_idempotent_tool_is_not_doubled() -> None:
    record = run(keyed(small(steps=POST_THEN_SEND, hazards=REPEATS), "post"), "cancel-background")
    assert not any(each.duplicate for each in record.effects)
    assert subjects(record, FaultKind.REPEAT) == [("U1", "a", "")]


def test_a_cancelled_call_is_no_opportunity_it_is_to_be_made_again() -> None:
    assert subjects(run(small(steps=POST_THEN_SEND, hazards=REPEATS), "cancel"), FaultKind.REPEAT) == []


def test_a_call_is_repeated_once_however_often_it_is_interrupted() -> None:
    from simlab.core.record import IntentKind
    from tests.validation.building import event

    more = tuple(event(f"U{n}", 4_000 + 1_100 * n, IntentKind.LIGHT) for n in range(2, 5))
    record = run(small(*more, steps=POST_THEN_SEND, hazards=REPEATS), "cancel-background")
    assert subjects(record, FaultKind.REPEAT) == [("U1", "a", "")]
    assert sum(each.step == "a" for each in record.tool_runs) == 2


def test_running_and_unknown_calls_have_hazards_of_their_own() -> None:
    assert repeat("base") == Repeat(running=0.02, unknown=0.4)
    record = run(
        small(steps=POST_THEN_SEND, hazards=replace(certain(), repeat=Repeat(running=0.25, unknown=1.0))),
        "cancel-background",
    )
    assert [each.hazard for each in record.exposures if each.kind is FaultKind.REPEAT] == [0.25]
