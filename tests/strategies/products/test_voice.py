"""LiveKit and Pipecat: barge-in, statuses in place, asynchronous results."""

from simlab.core.commands import Replace
from simlab.core.messages import AssistantMessage
from simlab.core.record import IntentKind
from simlab.invariants import check
from simlab.strategies.products.livekit_barge_in import RESUME_MS, SPEECH_MS
from tests.strategies.products.kit import answered_ms, event, line, plan_of, request, run, tool, world

TWO = [tool("a", 4000), tool("b", 8000)]
BOTH = plan_of("a", "b")


def test_speech_of_half_a_second_stops_the_reply_where_it_was_heard() -> None:
    record = run("livekit-barge-in", world([request(), event("U2", 10_500)]))  # the reply: 10,000-12,000
    assert line(record) == "U1 A[c1] R(c1) A U2 A"
    heard = record.trace.trajectory()[3]
    assert isinstance(heard, AssistantMessage)
    assert (heard.cut, heard.tokens, record.events["U2"].consumed_ms) == (True, 50, 11_000)
    assert (SPEECH_MS, RESUME_MS) == (500, 2000)


def test_barge_in_lets_the_tool_run_and_its_result_takes_its_place_without_a_reply() -> None:
    record = run("livekit-barge-in", world([request(), event("U2", 4500)]))
    assert line(record) == "U1 A[c1] L(c1) U2 A"
    assert answered_ms(record, "U2") == 7000
    replaced = [(at_ms, item.index) for at_ms, item in record.trace.records if isinstance(item, Replace)]
    assert replaced == [(10_000, 2)]
    assert record.tasks["U1"].finished_ms is None
    assert check(record) == []


def test_a_backchannel_is_a_false_alarm_and_the_reply_goes_on_after_two_seconds() -> None:
    record = run("livekit-barge-in", world([request(), event("U2", 10_500, IntentKind.NOTICE, text="mm-hm")]))
    assert line(record) == "U1 A[c1] R(c1) A U2 A"
    assert record.events["U2"].consumed_ms == 13_000  # stopped 11,000, resumed two seconds later
    assert record.tasks["U1"].finished_ms == 15_000


def test_pipecat_replaces_the_status_of_a_cancelled_call_in_place() -> None:
    record = run("pipecat-cancel", world([request(), event("U2", 5000)]))
    assert line(record) == "U1 A[c1] P(c1 cancelled before it took effect) U2 A[c2] L(c2) A"
    replaced = [(at_ms, item.index) for at_ms, item in record.trace.records if isinstance(item, Replace)]
    assert replaced == [(5000, 2), (15_000, 5)]
    assert check(record) == []


def test_pipecat_calls_the_model_when_the_last_call_has_settled() -> None:
    for name in ("pipecat-cancel", "pipecat-async"):
        record = run(name, world([request()], TWO, BOTH))
        assert [call.started_ms for call in record.model_calls] == [0, 10_000]


def test_pipecat_async_answers_while_tools_run_and_brings_results_as_a_group() -> None:
    record = run("pipecat-async", world([request(), event("U2", 4000)], TWO, BOTH))
    places = "P(c1 still running) P(c2 still running)"
    assert line(record) == f"U1 A[c1,c2] {places} U2 A L(c1) L(c2) A"
    assert (answered_ms(record, "U2"), record.tasks["U1"].finished_ms) == (6000, 12_000)
    assert check(record) == []
