"""Canonical text: equal runs give equal bytes, and everything that happened stands in them."""

from simlab.core.canon import canonical
from simlab.core.commands import CallModel, Sleep
from simlab.core.decisions import Departure
from simlab.core.events import EventType, Handling
from simlab.core.inputs import Settled
from simlab.core.messages import AssistantMessage, Call, Message, NoticeMessage, PlaceholderState
from simlab.core.record import Effect, EventTruth, IntentKind, RunRecord
from simlab.core.trace import Trace

CALLED: list[Message] = [AssistantMessage(id="m1"), NoticeMessage(call_id="c1", state=PlaceholderState.STILL_RUNNING)]


def record() -> RunRecord:
    trace = Trace(strategy="s", departures=frozenset({Departure.WAITS, Departure.EDITS}), ended_ms=7, complete=True)
    trace.records = [
        (0, Settled()),
        (5, CallModel(generation=1, messages=CALLED, length=1, epoch=0, turn=2, call_in_turn=3)),
        (7, Sleep(waits_for_user=False)),
    ]
    made = RunRecord(scenario="w", strategy="s", router="r", seed=1, replication=2, trace=trace)
    made.events["U1"] = EventTruth(
        event_id="U1",
        kind=IntentKind.LIGHT,
        handling=Handling.QUEUE,
        urgent=False,
        arrived_ms=3,
        source=EventType.USER_INPUT,
    )
    return made


def test_a_run_is_written_one_record_a_line() -> None:
    lines = canonical(record()).decode().split("\n")
    assert lines[:5] == ["scenario 'w'", "strategy 's'", "router 'r'", "seed 1", "replication 2"]
    assert lines[5:9] == [
        "trace.strategy 's'",
        "trace.departures {edits a message in place, leaves events waiting for a later one}",
        "trace.ended_ms 7",
        "trace.complete True",
    ]
    assert lines[9] == "0 Settled()"
    assert lines[11] == "7 Sleep(waits_for_user=False)"
    assert lines[-4:] == ["router_cost_usd 0.0", "acknowledge_cost_usd 0.0", "ended_ms 0", "horizon_ms None"]


def test_a_model_call_is_written_with_the_last_message_that_it_was_sent() -> None:
    line = canonical(record()).decode().split("\n")[10]
    assert line.startswith("5 CallModel(generation=1, messages=[AssistantMessage(id='m1', text='', tokens=0, ")
    assert "NoticeMessage" not in line  # the list went on growing
    assert line.endswith("], length=1, epoch=0, turn=2, call_in_turn=3)")


def test_mappings_keep_their_order_and_enumerations_are_written_as_their_values() -> None:
    (line,) = [line for line in canonical(record()).decode().split("\n") if line.startswith("events")]
    assert line.startswith("events {'U1': EventTruth(event_id='U1', kind=light, handling=queue, urgent=False, ")


def test_what_differs_gives_other_bytes() -> None:
    first, second = record(), record()
    assert canonical(first) == canonical(second)
    second.trace.records[2] = (8, Sleep(waits_for_user=False))
    assert canonical(first) != canonical(second)
    assert b"calls=[Call(id='c1', tool='t', arguments='')]" in canonical(_with_call())


def _with_call() -> RunRecord:
    made = record()
    message = AssistantMessage(id="m", calls=(Call(id="c1", tool="t"),))
    made.trace.records.append(
        (9, CallModel(generation=2, messages=[message], length=1, epoch=0, turn=2, call_in_turn=4))
    )
    return made


def test_several_things_are_set_apart_by_a_comma_and_a_blank() -> None:
    made = record()
    made.events["U2"] = made.events["U1"]
    calls = (Call(id="c1", tool="t"), Call(id="c2", tool="t"))
    message = AssistantMessage(id="m", calls=calls)
    made.trace.records.append(
        (9, CallModel(generation=2, messages=[message], length=1, epoch=0, turn=2, call_in_turn=4))
    )
    text = canonical(made).decode()
    assert "calls=[Call(id='c1', tool='t', arguments=''), Call(id='c2', tool='t', arguments='')]" in text
    assert "cause=None), 'U2': EventTruth(" in text


def test_every_thing_of_a_list_is_written_and_what_is_opened_is_closed() -> None:
    made = record()
    made.effects = [Effect(call_id=call_id, task_id="U1", step="s", at_ms=4) for call_id in ("c1", "c2")]
    lines = canonical(made).decode().split("\n")
    assert [line for line in lines if line.startswith("effects")] == [
        f"effects Effect(call_id='{call_id}', task_id='U1', step='s', at_ms=4, mistaken=False, corrected_ms=None, "
        "duplicate=False, invented=False)"
        for call_id in ("c1", "c2")
    ]
    (events,) = [line for line in lines if line.startswith("events")]
    assert events.endswith("refusals=0, cause=None)}")
